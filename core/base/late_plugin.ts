/**
 * Failures of plugins, which name them in the log.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";

/** 503 for a request whose plugin does not answer; the reason is for the log. */
export class LatePlugin extends ServiceError {
  /** Names the plugin by kind and name, and its member. */
  readonly reason: string;

  constructor(plugin: string) {
    super("unavailable", "A part of the service takes too long: try again later");
    this.reason = `The ${plugin} has not answered in time (server.plugin_timeout)`;
  }
}

/** Names the plugin in an unexpected failure; a refusal for the caller stays as it is. */
export function blame(error: unknown, plugin: string): unknown {
  return error instanceof ServiceError ? error : new Error(`The ${plugin}`, { cause: error });
}
