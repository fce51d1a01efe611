/**
 * Guards the service against the work that an authentication method does while the service runs.
 *
 * @module
 */

import type { Configuration } from "@/config/mod.ts";
import { isObject } from "@/core/base/plugin_answers.ts";
import { messageWithPlace, quote } from "@/core/errors.ts";
import type { NamedMethod } from "@/core/service.ts";
import type { Log } from "@/plugins/contract.ts";
import { PluginError } from "@/plugins/discover.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { pluginPlace } from "./set_up_plugins.ts";

/** Milliseconds that the work of a method may take to end before the service goes on without it. */
const ENDING = 5000;

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
  return work && { [Symbol.asyncDispose]: () => end(work, { title, log }) };
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

/** Never throws, and does not wait for ever: the stop must not depend on one plugin. */
async function end(
  work: AsyncDisposable,
  { title, log }: { readonly title: string; readonly log: Log },
): Promise<void> {
  const ending = Promise.try(() => work[Symbol.asyncDispose]());
  try {
    if (await settlesWithin(ending, ENDING)) return;
    log.error(`The ${title} has not ended its work after ${ENDING / 1000} seconds`);
    ending.catch((error: unknown) => log.error(`The ${title} failed at the end of its work`, error));
  } catch (error) {
    log.error(`The ${title} failed at the end of its work`, error);
  }
}
