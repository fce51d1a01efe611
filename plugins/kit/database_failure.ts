/**
 * Failures that a dialect reports itself, beside the errors of its driver.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

/** An error with a known failure: the dialect that throws it says what it means. */
export class DatabaseFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseFailure";
    this.failure = failure;
  }
}

/** A value that a column would store as another one. */
export class UnstorableValue extends RangeError {
  override readonly name = "UnstorableValue";
}

/** Makes the failure of each use of a closed database. */
export function disconnected(): DatabaseFailure {
  return new DatabaseFailure("unavailable", "The database has been disconnected");
}

/** The code of an error, as drivers and Node.js add it, or an empty string. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** The failures by the codes of an engine; each row of codes has one subject. */
export function failuresByCode(
  rows: { readonly [Kind in Failure]?: readonly (readonly (string | number)[])[] },
): ReadonlyMap<string | number, Failure> {
  return new Map(
    Object.entries(rows).flatMap(([failure, codes]) =>
      codes.flat().map((code) => [code, failure as Failure] as const)
    ),
  );
}

const SURROUNDINGS: ReadonlySet<Failure | undefined> = new Set<Failure>(
  ["login", "permission", "timeout", "unavailable", "contention"],
);

/** Whether the failure to prepare a statement may be a mistake in it, not one of the server, the login or the moment. */
export function isMistake(failure: Failure | undefined): boolean {
  return !SURROUNDINGS.has(failure);
}
