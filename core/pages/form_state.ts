/**
 * The state of a form that is shown again after a failure.
 *
 * @module
 */

import { messageForPeople, type ServiceError } from "@/core/errors.ts";
import type { FormState } from "@/core/request/form_fields.ts";

/** The typed values, and each mistake at its field. */
export function formState(values: FormState["values"], error: ServiceError | undefined): FormState {
  if (!error) return { values, complaints: new Map() };
  const complaints = complaintsOf(error, values.has("ui.csv"));
  const isOutdated = error.code === "precondition-failed";
  return {
    values,
    complaints,
    ...(complaints.size > 0 || isOutdated ? {} : { problem: messageForPeople(error) }),
    ...(isOutdated ? { isOutdated } : {}),
  };
}

/** The mistakes by the column or member that they are about, those of lines also by the row. */
function complaintsOf({ code, complaints }: ServiceError, hasLines: boolean): ReadonlyMap<string, string> {
  return new Map(complaints.map(({ record, column, sentence }) => {
    const parts = [...(hasLines ? [`Row ${record + 2}`] : []), ...(column === undefined ? [] : [column])];
    const refusal = hasLines && code === "conflict" ? "The database refuses this: " : "";
    return [parts.join(", "), refusal + plainComplaint(sentence)];
  }));
}

/** A number as many countries write it; three digits behind the comma may be thousands. */
const DECIMAL_COMMA = /['"](-?\d+),(\d\d?|\d{4,})['"](?: is not|: expected) a number$/;

/** Another number with separators. */
const SEPARATED = /(?<=['"]-?\d[\d.,' ]*['"](?: is not|: expected) a (whole )?)number$/;

/** The bits of integers, in a complaint about a value that has fewer digits than the largest one. */
const BITS = /^(?!.*\d{19})(.*) of at most 64 bits$/s;

/** The sentence without what only programs need, and with values as people write them here. */
export function plainComplaint(sentence: string): string {
  return sentence.replace(BITS, "$1")
    .replace(/(?<=is not |xpected )true or false$/, "yes or no")
    .replace(/(as in \d{4}-\d\d-\d\d)T/, "$1 ")
    .replace(DECIMAL_COMMA, "$&: write $1.$2")
    .replace(SEPARATED, (number, whole) => `${number} as in 1234${whole ? "" : ".5"}`);
}
