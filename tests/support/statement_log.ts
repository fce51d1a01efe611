/**
 * The statements of a service in the process of the tests.
 *
 * @module
 */

import { StatementMeter } from "@/core/database/statement_meter.ts";

/**
 * Calls `each` with the statements of every read, at its end, until it is disposed of. Statements of one read
 * run in one transaction.
 */
export function watchStatements(each: (statements: readonly string[]) => void): Disposable {
  const { end } = StatementMeter.prototype;
  StatementMeter.prototype.end = function (began, requestId, textOf) {
    end.call(this, began, requestId, textOf);
    each(textOf().split("; "));
  };
  return { [Symbol.dispose]: () => StatementMeter.prototype.end = end };
}
