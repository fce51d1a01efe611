/**
 * The lines that a plugin writes into the log.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";

/** A log whose lines begin with the kind and the name of a plugin. */
export function pluginLog(log: Log, kind: string, name: string): Log {
  const line = (message: string) => `The ${kind} ${quote(name)}: ${message}`;
  return {
    info: (message) => log.info(line(message)),
    warn: (message) => log.warn(line(message)),
    error: (message, cause) => log.error(line(message), cause),
  };
}
