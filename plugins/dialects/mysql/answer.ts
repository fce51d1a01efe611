/**
 * What the driver answers, as the dialect uses it.
 *
 * @module
 */

import type { Limits } from "@/plugins/kit/bounded.ts";
import type { Field, Header } from "./driver.ts";

/** What a statement gave: rows with their columns, or what it changed. */
export type Answer =
  | { readonly rows: unknown[][]; readonly fields: readonly Field[] }
  | { readonly header: Header };

/** Columns of a result, or of each of several ones. */
export type Fields = readonly (Field | readonly Field[] | undefined)[];

/** A procedure may give several results, and in the end what it changed: the first one counts. */
export function answerOf(result: unknown, fields: Fields | undefined): Answer {
  if (!Array.isArray(result)) return { header: result as Header };
  const of = fields?.find((each) => Array.isArray(each));
  if (of) return { rows: result[fields?.indexOf(of) ?? 0], fields: of };
  return { rows: result, fields: (fields ?? []) as readonly Field[] };
}

/** Rows are arrays, so names do not matter to the driver, but it gives up at a column that is called `__proto__`. */
export function forgetNames(fields: readonly Field[] | undefined): void {
  for (const field of fields ?? []) {
    field.label ??= field.name;
    field.name = "";
  }
}

/**
 * Refuses what comes after its time: the server's own limit ends some functions (`BENCHMARK`, `SLEEP`) with a result instead
 * of an error, and that may be here before our timer has run.
 */
export async function inTime<T>(work: () => Promise<T>, { seconds, expired }: Limits): Promise<T> {
  const started = performance.now();
  const result = await work();
  if (seconds > 0 && performance.now() - started >= seconds * 1000) throw expired();
  return result;
}
