/**
 * Logs whose lines name the plugin that writes them, or the request that they are about.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
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

const running = new AsyncLocalStorage<string>();

/** Does the work of a request; {@link runningLog} knows it, also after a wait. */
export function duringRequest<T>(requestId: string, work: () => T): T {
  return running.run(requestId, work);
}

/**
 * A log whose lines end with the id of the running request, if there is one. For parts that are not told
 * which request they work for, and do no work that goes on for others.
 */
export function runningLog(log: Log): Log {
  return changedLog(log, (message) => {
    const requestId = running.getStore();
    return requestId === undefined ? message : `${message} (${requestId})`;
  });
}

function changedLog(log: Log, change: (message: string) => string): Log {
  return {
    info: (message) => log.info(change(message)),
    warn: (message) => log.warn(change(message)),
    error: (message, cause) => log.error(change(message), cause),
  };
}
