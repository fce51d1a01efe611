/**
 * Tells the author of a query, before it runs, that none of its methods may do what its statement does.
 *
 * @module
 */

import type { QueryDefinition } from "@/core/model.ts";

const IN_FILE = 'set "read_only: false" in the file or over HTTP';

/**
 * A sentence for the author. `isReadOnly` is the effect of the statement as far as the engine tells it.
 * Undefined if a method may run the query.
 */
export function refusedChange(
  { methods, readOnly }: QueryDefinition,
  isReadOnly: boolean | undefined,
): string | undefined {
  if (methods.length === 0) return "no method runs it: choose GET if it only reads, else POST";
  if (isReadOnly !== false || readOnly === false) return undefined;
  if (readOnly === true) {
    return `the statement changes data, which "read_only: true" does not allow: ${IN_FILE}`;
  }
  if (methods.some((method) => method !== "GET")) return undefined;
  return `the statement changes data, which GET may not: choose the method POST instead, or ${IN_FILE}`;
}
