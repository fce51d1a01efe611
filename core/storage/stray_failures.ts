/**
 * Failures that nobody waits for: a promise of a driver or a plugin that was dropped.
 *
 * @module
 */

import type { Log } from "@/plugins/contract.ts";

/** Logs them as long as it is not disposed of: one such mistake must not end the service for everybody. */
export function logStrayFailures(log: Log): Disposable {
  const note = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.error("Something failed that nobody waited for", event.reason);
  };
  globalThis.addEventListener("unhandledrejection", note);
  return { [Symbol.dispose]: () => globalThis.removeEventListener("unhandledrejection", note) };
}
