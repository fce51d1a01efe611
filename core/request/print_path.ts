/**
 * Prints names and values as URL segments, so that `path.ts` reads back exactly what was printed. What is printed is
 * ASCII without quotes, angle brackets, ampersands, commas, asterisks or dots, so it can stand unescaped in JSON and XML.
 *
 * @module
 */

import type { Value } from "@/core/model.ts";
import { type Grammar, readName, readText, type Substitution } from "./path_grammar.ts";

/** What printing depends on: the configured substitutions and the grammar made of them. */
export interface LinkStyle {
  readonly substitutions: readonly Substitution[];
  readonly grammar: Grammar;
}

/** Nothing in it is encoded or abbreviated; whether a sequence is in it, a style's grammar tells. */
const PLAIN = /^[0-9A-Za-z-]*$/;

/** Prints a filter's value. */
export function printValue(text: string, style: LinkStyle): string {
  if (PLAIN.test(text) && readText(text, style.grammar) === text) return text;
  const whole = text.toWellFormed();
  return firstThat(candidatesFor(encodeSegment(text), style), (candidate) => {
    return !style.grammar.nullMarker.test(candidate) && readText(candidate, style.grammar) === whole;
  });
}

/** Prints a name of the schema; a name that holds a sequence is tried as it stands first. */
export function printName(name: string, style: LinkStyle): string {
  return firstThat(candidatesFor(encodeSegment(name).replace(/^~/, "%7E"), style), (candidate) => {
    if (candidate.startsWith("~")) return false;
    const { literal, substituted } = readName(candidate, style.grammar);
    return literal === name || substituted === name;
  });
}

/** Prints a key's value as a record's URL has it; null where there is no value to find the record by. */
export function printKey(value: Value, style: LinkStyle): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return printValue(value.toBase64(), style);
  return printValue(String(value), style);
}

/** True when whole numbers are printed as they stand, which makes them cheap: no sequence can be found in one. */
export function printsIntegersPlainly({ substitutions }: LinkStyle): boolean {
  return !substitutions.some(({ sequence }) => /^-?\d*$/.test(sequence));
}

/** The shortest first; the last one reads as what was printed under any substitutions. */
function candidatesFor(printed: string, style: LinkStyle): readonly string[] {
  return [
    abbreviate(printed, style),
    abbreviate(encodeStarts(printed, style), style),
    encodeDots(printed),
    encodeDots(printed.replace(/^%3Cn/, "%3C%6E")),
    printed.replace(/%..|[^]/g, (part) => (part.length === 3 ? part : encodeByte(part))),
  ];
}

/** Percent-encodes what may stand in no URL; clients send some of it as it is, and a header cannot hold all of it. */
export function encodeUrl(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]+|["<>\\^`{|}]/g, encodeURIComponent);
}

function encodeSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[*'!()]/g, encodeByte);
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
    return starts.has(part) ? encodeByte(part) : part;
  });
}

function encodeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function encodeDots(printed: string): string {
  return printed.replaceAll(".", "%2E").replaceAll("_", "%5F");
}

function firstThat(candidates: readonly string[], test: (candidate: string) => boolean): string {
  return candidates.find(test) ?? candidates.at(-1) ?? "";
}
