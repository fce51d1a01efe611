/**
 * The refusal of a request whose plugin does not answer.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";

/** 503; the log names the plugin, by kind and name, and the request. */
export function latePlugin(
  plugin: string,
  { requestId, service: { log } }: { readonly requestId: string; readonly service: { readonly log: Log } },
): ServiceError {
  log.error(`Request ${requestId}: the ${plugin} has not answered in time (server.plugin_timeout)`);
  return new ServiceError("unavailable", "A part of the service takes too long: try again later");
}
