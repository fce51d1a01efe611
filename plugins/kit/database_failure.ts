/**
 * Failures that a dialect reports itself, beside the errors of its driver.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

/** The words for callers who may not see those of the engine: these may name hosts, files and programs. */
export const UNTOLD = "The database refused the statement";

/** An error with a known failure: the dialect that throws it says what it means. */
export class DatabaseFailure extends Error {
  readonly failure: Failure;
  /** Position of the mistake in the statement, in UTF-16 code units from 0. Undefined: unknown. */
  readonly place: number | undefined;

  constructor(
    failure: Failure,
    message: string,
    options?: ErrorOptions & { readonly place?: number | undefined },
  ) {
    super(message, options);
    this.name = "DatabaseFailure";
    this.failure = failure;
    this.place = options?.place;
  }
}

/** {@link Database.place} of dialects whose failures have it. */
export function placeOf(error: unknown): number | undefined {
  return error instanceof DatabaseFailure ? error.place : undefined;
}

/**
 * The place of a word that an engine's message quotes. Undefined if the statement has it more than once:
 * a wrong place is worse than none.
 */
export function placeOfWord(word: string | undefined, sql: string): number | undefined {
  if (word === undefined || word === "") return undefined;
  const first = sql.toLowerCase().indexOf(word.toLowerCase());
  const isOnly = first >= 0 && sql.toLowerCase().indexOf(word.toLowerCase(), first + 1) < 0;
  return isOnly ? first : undefined;
}

/** Makes the failure of each use of a closed database. */
export function disconnected(): DatabaseFailure {
  return new DatabaseFailure("unavailable", "The database has been disconnected");
}

/** Makes the failure of a server that has said nothing for these seconds. */
export function silent(seconds: number): DatabaseFailure {
  return new DatabaseFailure("unavailable", `The server did not answer within ${seconds} s`);
}

/** Makes the failure of a server that answers in another protocol. */
export function otherProtocol(expected: string): DatabaseFailure {
  return new DatabaseFailure("unavailable", `The server does not speak ${expected}`);
}

/** The words for callers that got none of these connections in time. */
export function allInUse(max: number): string {
  return max <= 1 ? "The only connection is in use" : `All ${max} connections are in use`;
}

/** What an error says, or whatever else has been thrown. */
export function messageIn(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error, as drivers and Node.js add it, or an empty string. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** Whether the process, or the system, has no descriptors left for a socket, a file or a process. */
export function lacksDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(EMFILE|ENFILE)$/.test(codeOf(error)) ||
    /\b(os error 2[34]|EMFILE|ENFILE)\b/.test(error.message) ||
    lacksDescriptors(error.cause);
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
  ["login", "permission", "timeout", "unavailable", "storage", "corrupt", "contention"],
);

/**
 * Whether the failure to prepare a statement may be a mistake in it, not one of the
 * server, the login or the moment.
 */
export function isMistake(failure: Failure | undefined): boolean {
  return !SURROUNDINGS.has(failure);
}
