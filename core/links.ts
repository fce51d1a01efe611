/**
 * Prints names and values as URL segments, so that `path.ts` reads back exactly what was printed. What is printed is
 * ASCII without quotes, angle brackets, ampersands, commas, asterisks or dots, so it can stand unescaped in JSON and XML.
 *
 * @module
 */

import type { Value } from "./model.ts";
import { type Grammar, readName, readText, type Substitution } from "./path.ts";

/** What printing depends on: the configured substitutions and the grammar made of them. */
export interface LinkStyle {
  readonly substitutions: readonly Substitution[];
  readonly grammar: Grammar;
}

/** Letters, digits and hyphens mean themselves under every default substitution. */
const PLAIN = /^[0-9A-Za-z-]*$/;

/** Prints a filter's value. */
export function printValue(text: string, style: LinkStyle): string {
  if (text === "<null>") return "%3C%6Eull%3E";
  const printed = encodeSegment(text);
  const short = abbreviate(printed, style);
  if (PLAIN.test(text) && short === text) return text;
  return firstThat(
    [short, abbreviate(encodeStarts(printed, style), style), encodeDots(printed)],
    (candidate) => {
      return readText(candidate, style.grammar) === text.toWellFormed();
    },
  );
}

/** Prints a name of the schema; a name that holds a sequence is tried as it stands first. */
export function printName(name: string, style: LinkStyle): string {
  const printed = encodeSegment(name).replace(/^~/, "%7E");
  const candidates = [
    abbreviate(printed, style),
    abbreviate(encodeStarts(printed, style), style),
    encodeDots(printed),
  ];
  return firstThat(candidates, (candidate) => {
    const { literal, substituted } = readName(candidate, style.grammar);
    return literal === name || substituted === name;
  });
}

/** Prints a key's value as a record's URL has it; null where there is no value to find the record by. */
export function printKey(value: Value, style: LinkStyle): string | null {
  if (value === null) return null;
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (value instanceof Uint8Array) return printValue(value.toBase64(), style);
  return printValue(String(value), style);
}

function encodeSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[*'!()]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

/** Writes substituted characters as their shortest sequence. */
function abbreviate(printed: string, style: LinkStyle): string {
  return printed.replace(/\.|%2F/g, (match) => {
    const character = match === "." ? "." : "/";
    return sequenceOf(character, style) ?? (match === "." ? "%2E" : match);
  });
}

function sequenceOf(character: string, style: LinkStyle): string | undefined {
  return style.substitutions.find((substitution) => substitution.character === character)?.sequence;
}

/** Encodes every character that could begin a sequence, so that only printed sequences are found. */
function encodeStarts(printed: string, style: LinkStyle): string {
  const starts = new Set(style.substitutions.map(({ sequence }) => sequence.charAt(0)));
  return printed.replace(/%..|[^]/g, (part) => {
    return starts.has(part) ? `%${part.charCodeAt(0).toString(16).toUpperCase()}` : part;
  });
}

function encodeDots(printed: string): string {
  return printed.replaceAll(".", "%2E").replaceAll("_", "%5F");
}

function firstThat(candidates: readonly string[], test: (candidate: string) => boolean): string {
  return candidates.find(test) ?? candidates.at(-1) ?? "";
}
