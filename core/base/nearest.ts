/**
 * Finds the names that someone may have meant.
 *
 * @module
 */

import { distance } from "fastest-levenshtein";

/**
 * The candidates closest to `name`, best first, at most `most`. Letters that differ in case only count least; a candidate
 * that would need more than two edits in five characters, or more than three in all, is not offered.
 */
export function nearest(name: string, candidates: Iterable<string>, most = 3): string[] {
  const close = [];
  for (const candidate of candidates) {
    const edits = editsBetween(name, candidate);
    if (edits !== undefined) close.push({ candidate, edits });
  }
  close.sort((a, b) => a.edits - b.edits || compare(a.candidate, b.candidate));
  return close.slice(0, most).map((entry) => entry.candidate);
}

/** Whole edits ignoring case, plus a fraction where only the case differs; undefined when too far apart. */
function editsBetween(name: string, candidate: string): number | undefined {
  const shorter = Math.min(name.length, candidate.length);
  const allowed = Math.min(3, Math.max(1, Math.ceil(shorter * 0.4)));
  // Also keeps a very long name, which comes from a URL, cheap.
  if (Math.abs(name.length - candidate.length) > allowed) return undefined;
  const edits = distance(name.toLowerCase(), candidate.toLowerCase());
  if (edits > allowed) return undefined;
  return edits + (edits === distance(name, candidate) ? 0 : 0.5);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
