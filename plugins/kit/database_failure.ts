/**
 * Failures that a dialect reports itself, beside the errors of its driver.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

/** An error whose meaning is known where it is made. */
export class DatabaseFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseFailure";
    this.failure = failure;
  }
}

/** A value that a column would not keep as it is. */
export class UnstorableValue extends RangeError {
  override readonly name = "UnstorableValue";
}

/** Every use of a database fails with this error once it is closed. */
export function disconnected(): DatabaseFailure {
  return new DatabaseFailure("unavailable", "The database has been disconnected");
}
