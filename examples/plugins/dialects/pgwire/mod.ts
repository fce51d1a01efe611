/**
 * Engines that speak PostgreSQL's protocol with a catalog of their own: everything but the catalog, its
 * fingerprint and the reset of sessions is the built-in dialect, which the host lends.
 *
 * @module
 */

import type { DialectPlugin } from "@/plugins/contract.ts";
import { fingerprintOf, readCatalog } from "./catalog.ts";

export default {
  contract: 2,
  kind: "dialect",
  name: "pgwire",
  setup: (_section, host) =>
    host.lend("postgresql", { catalog: readCatalog, fingerprint: fingerprintOf, reset: "RESET ALL" }),
} satisfies DialectPlugin;
