/**
 * The answers of the driver in the form that the dialect uses.
 *
 * @module
 */

import type { Limits } from "@/plugins/kit/bounded.ts";
import type { Field, Header } from "./driver.ts";

/** The result of a statement: rows with their columns, or the number of changes. */
export type Answer =
  | { readonly rows: unknown[][]; readonly fields: readonly Field[] }
  | { readonly header: Header };

/** Columns of a result, or of each of several results. */
export type Fields = readonly (Field | readonly Field[] | undefined)[];

/** A procedure may return several results and a final header: the first result counts. */
export function answerOf(result: unknown, fields: Fields | undefined): Answer {
  if (!Array.isArray(result)) return { header: result as Header };
  const of = fields?.find((each) => Array.isArray(each));
  if (of) return { rows: result[fields?.indexOf(of) ?? 0], fields: of };
  return { rows: result, fields: (fields ?? []) as readonly Field[] };
}

/** Rows are arrays, so the driver needs no names, and it fails at a column named `__proto__`. */
export function forgetNames(fields: readonly Field[] | undefined): void {
  for (const field of fields ?? []) {
    field.label ??= field.name;
    field.name = "";
  }
}

/**
 * Rejects a result that comes too late: the server's time limit ends some functions (`BENCHMARK`, `SLEEP`) with a result
 * instead of an error, which may arrive before the timer here has run.
 */
export async function inTime<T>(work: () => Promise<T>, { seconds, expired }: Limits): Promise<T> {
  const started = performance.now();
  const result = await work();
  if (seconds > 0 && performance.now() - started >= seconds * 1000) throw expired();
  return result;
}
