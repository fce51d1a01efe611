/**
 * Reads the `url.substitution.` settings: sequences in URL segments that stand for a character.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import { complain, inside, type Place } from "./complaints.ts";
import type { Substitution } from "./configuration.ts";

/** The prefix of the keys of substitutions. */
export const SUBSTITUTION_PREFIX = "url.substitution.";

const BUILT_IN: readonly Substitution[] = [
  { sequence: "__", character: "/" },
  { sequence: "_dot", character: "." },
];

/** All substitutions, longest sequence first. With `append` the given ones extend the built-in ones. */
export function readSubstitutions(
  given: ReadonlyMap<string, { readonly raw: string; readonly text: string }>,
  place: Place,
  append: boolean,
): readonly Substitution[] {
  const added: Substitution[] = [];
  for (const [key, { raw, text }] of given) {
    if (!key.startsWith(SUBSTITUTION_PREFIX)) continue;
    const sequence = key.slice(SUBSTITUTION_PREFIX.length);
    if (check(sequence, text, raw, inside(place, key))) added.push({ sequence, character: text });
  }
  const overridden = new Set(added.map(({ sequence }) => sequence));
  const kept = append || added.length === 0
    ? BUILT_IN.filter(({ sequence }) => !overridden.has(sequence))
    : [];
  return [...kept, ...added].sort((a, b) => b.sequence.length - a.sequence.length);
}

function check(sequence: string, character: string, raw: string, place: Place): boolean {
  const sequenceFits = /^[A-Za-z0-9_~-]+$/.test(sequence);
  const characterFits = [...character].length === 1;
  if (!sequenceFits) {
    complain(place, `Expected a sequence of letters, digits, -, _ and ~, found ${quote(sequence)}`);
  }
  if (!characterFits) complain(place, `Expected one character (; and # in quotes), found ${quote(raw)}`);
  return sequenceFits && characterFits;
}
