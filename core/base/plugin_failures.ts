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

/** An unexpected failure with the name of the plugin that it comes from. */
export class PluginFailure extends Error {}

/** The failure itself. */
export function rootOf(error: unknown): unknown {
  return error instanceof PluginFailure ? error.cause : error;
}

/** Names the plugin in an unexpected failure; a refusal for the caller stays as it is. */
export function blame(error: unknown, plugin: string): unknown {
  return error instanceof ServiceError || error instanceof PluginFailure
    ? error
    : new PluginFailure(`The ${plugin}`, { cause: error });
}
