/**
 * Logs whose lines name the plugin that writes them, or the request that they are about.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";

/** A log whose lines begin with the kind and the name of a plugin. */
export function pluginLog(log: Log, kind: string, name: string): Log {
  return changedLog(log, (message) => `The ${kind} ${quote(name)}: ${message}`);
}

/** A log whose lines end with the id of a request. */
export function requestLog(log: Log, requestId: string | undefined): Log {
  return requestId === undefined ? log : changedLog(log, (message) => `${message} (${requestId})`);
}

function changedLog(log: Log, change: (message: string) => string): Log {
  return {
    info: (message) => log.info(change(message)),
    warn: (message) => log.warn(change(message)),
    error: (message, cause) => log.error(change(message), cause),
  };
}
