/**
 * Guards the service against the work that an authentication method does while the service runs.
 *
 * @module
 */

import type { Configuration } from "@/config/mod.ts";
import { endInTime } from "@/core/base/in_time.ts";
import { isObject } from "@/core/base/plugin_answers.ts";
import { messageWithPlace, quote } from "@/core/errors.ts";
import type { NamedMethod } from "@/core/service.ts";
import type { Log } from "@/plugins/contract.ts";
import { PluginError } from "@/plugins/discover.ts";
import { pluginPlace } from "./set_up_plugins.ts";

/**
 * Begins the work of a method, if it has any. Throws {@link PluginError} that
 * names a method that cannot begin.
 */
export function startMethod(
  { name, method }: NamedMethod,
  { configuration, log }: { readonly configuration: Configuration; readonly log: Log },
): AsyncDisposable | undefined {
  const title = `authentication method ${quote(name)}`;
  const work = begun(
    () => method.start?.(),
    `${pluginPlace("auth", name, configuration)}: The ${title} cannot start`,
  );
  const late = `The ${title} has not ended its work`;
  const failed = `The ${title} failed at the end of its work`;
  return work && { [Symbol.asyncDispose]: () => endInTime(work, { late, failed, log }) };
}

function begun(start: () => unknown, complaint: string): AsyncDisposable | undefined {
  let work: unknown;
  try {
    work = start();
  } catch (error) {
    throw new PluginError([`${complaint}: ${messageWithPlace(error)}`]);
  }
  if (work === undefined || isDisposable(work)) return work;
  throw new PluginError([
    `${complaint}: start() gave something else than an object with [Symbol.asyncDispose]`,
  ]);
}

function isDisposable(work: unknown): work is AsyncDisposable {
  return isObject(work) && typeof Reflect.get(work, Symbol.asyncDispose) === "function";
}
