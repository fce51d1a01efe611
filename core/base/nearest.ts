/**
 * Finds similar names, for error messages.
 *
 * @module
 */

import { distance } from "fastest-levenshtein";
import { notFound, quote, type ServiceError } from "@/core/errors.ts";

/**
 * The candidates closest to `name`, best first, at most `most`. Differences in case count least. A candidate
 * that needs more than two edits in five characters, or more than three in all, is left out, unless `name` is
 * its last word.
 */
export function nearest(name: string, candidates: Iterable<string>, most = 3): string[] {
  const close = [];
  for (const candidate of candidates) {
    const edits = editsBetween(name, candidate);
    if (edits !== undefined) close.push({ candidate, edits });
  }
  close.sort((a, b) => a.edits - b.edits || (a.candidate < b.candidate ? -1 : 1));
  return close.slice(0, most).map((entry) => entry.candidate);
}

/** `the nearest are "Booking", "Port"`; undefined without a similar name. */
export function nearestInWords(name: string, candidates: Iterable<string>): string | undefined {
  const names = nearest(name, candidates);
  return names.length === 0 ? undefined : inWords(names);
}

function inWords(names: readonly string[]): string {
  return `the nearest ${names.length === 1 ? "is" : "are"} ${names.map(quote).join(", ")}`;
}

/** A question behind a message about an unknown name; empty without a similar one. */
export function didYouMean(name: string, candidates: Iterable<string>, most = 1): string {
  const found = nearest(name, candidates, most).map(quote).join(", ");
  return found === "" ? "" : `: did you mean ${found}?`;
}

/**
 * 404 for a name that does not exist: the message ends with the similar names, or with `otherwise` without
 * any. `wanted` is the name as the caller wrote it. Default: `name`.
 */
export function unknownName(
  message: string,
  name: string,
  candidates: Iterable<string>,
  { otherwise = "", wanted = name }: { readonly otherwise?: string; readonly wanted?: string } = {},
): ServiceError {
  const names = nearest(name, candidates);
  if (names.length === 0) return notFound(message + otherwise);
  return notFound(`${message}; ${inWords(names)}`, { nearest: { wanted, names } });
}

/** More than the edits of any misspelling. */
const WORDS_LEFT_OUT = 4;

/** The number of edits ignoring case, plus a fraction if only the case differs; undefined when too many. */
function editsBetween(name: string, candidate: string): number | undefined {
  return misspelt(name, candidate) ?? (isLastWord(name, candidate) ? WORDS_LEFT_OUT : undefined);
}

/** Whether words before it are left out: `id` of `db_id`. */
function isLastWord(name: string, candidate: string): boolean {
  return name !== "" && candidate.toLowerCase().endsWith(`_${name.toLowerCase()}`);
}

function misspelt(name: string, candidate: string): number | undefined {
  const shorter = Math.min(name.length, candidate.length);
  const allowed = Math.min(3, Math.max(1, Math.round(shorter * 0.4)));
  // Also bounds the cost of a very long name, which comes from a URL.
  if (Math.abs(name.length - candidate.length) > allowed) return undefined;
  const edits = distance(name.toLowerCase(), candidate.toLowerCase());
  if (edits > allowed) return undefined;
  return edits + (edits === distance(name, candidate) ? 0 : 0.5);
}
