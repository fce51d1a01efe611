/**
 * Lends built-in dialects to plugins whose engines speak the same protocol.
 *
 * @module
 */

import type { Dialect, DialectHost, DialectParts } from "./contract.ts";
import { loadDialect } from "./load.ts";

/** {@link DialectHost.lend} of a host. */
export async function lendDialect(name: string, parts: DialectParts, host: DialectHost): Promise<Dialect> {
  const plugin = await loadDialect(name, { plugins_path: undefined });
  const dialect = await plugin.setup({}, host);
  if (dialect.variant) return dialect.variant(parts);
  throw new TypeError(`The dialect "${name}" has no parts that can be replaced`);
}
