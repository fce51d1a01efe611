/**
 * Prints names and values as URL segments that `path_grammar.ts` reads back unchanged. The
 * result is ASCII without quotes, angle brackets, ampersands, commas, asterisks or dots, so it
 * needs no escaping in JSON and XML.
 *
 * @module
 */

import type { Substitution } from "@/config/mod.ts";
import type { Value } from "@/core/model.ts";
import { decodeText, type Grammar, readName } from "./path_grammar.ts";

/** The configured substitutions and their grammar. */
export interface LinkStyle {
  readonly substitutions: readonly Substitution[];
  readonly grammar: Grammar;
}

/** Text without characters to encode or abbreviate; the style's grammar tells whether it has a sequence. */
const PLAIN = /^[0-9A-Za-z-]*$/;

/** Values that were printed, by style: the same keys are in many answers, and one takes two microseconds. */
const PRINTED = new WeakMap<LinkStyle, Map<string, string>>();
/** For each style. */
const MOST_PRINTED = 1000;
/** In characters. */
const LONGEST_PRINTED = 100;

/** Prints a filter's value. */
export function printValue(text: string, style: LinkStyle): string {
  const { grammar } = style;
  const isPlain = PLAIN.test(text) && decodeText(text, grammar) === text;
  if (isPlain && !grammar.nullMarker.test(text)) return text;
  const known = PRINTED.getOrInsertComputed(style, () => new Map());
  const printed = known.get(text) ?? printOther(text, style);
  if (known.size >= MOST_PRINTED) known.clear();
  if (text.length <= LONGEST_PRINTED) known.set(text, printed);
  return printed;
}

function printOther(text: string, style: LinkStyle): string {
  const { grammar } = style;
  const whole = text.toWellFormed();
  return firstThat(candidatesFor(encodeSegment(text), style), (candidate) => {
    return !grammar.nullMarker.test(candidate) && decodeText(candidate, grammar) === whole;
  });
}

/**
 * Prints a name of the schema; a name that contains a sequence is first tried unchanged. `isOther` tells the
 * names beside it: where there is an `a__b`, the name `a/b` is not abbreviated to it.
 */
export function printName(
  name: string,
  style: LinkStyle,
  isOther: (name: string) => boolean = () => false,
): string {
  return firstThat(candidatesFor(encodeSegment(name).replace(/^~/, "%7E"), style), (candidate) => {
    if (candidate.startsWith("~")) return false;
    const { literal, substituted } = readName(candidate, style.grammar);
    return literal === name || (substituted === name && !isOther(literal));
  });
}

/** Prints a key's value for a record's URL; null without a value. */
export function printKey(value: Value, style: LinkStyle): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return printValue(value.toBase64(), style);
  return printValue(String(value), style);
}

/** Whether whole numbers are printed unchanged, which is fast: no sequence can occur in one. */
export function printsIntegersPlainly({ substitutions }: LinkStyle): boolean {
  return !substitutions.some(({ sequence }) => /^-?\d*$/.test(sequence));
}

/** The shortest first, made when needed; the last one is read back correctly under any substitutions. */
function* candidatesFor(printed: string, style: LinkStyle): Generator<string, void, void> {
  yield abbreviate(printed, style);
  yield abbreviate(encodeStarts(printed, style), style);
  yield encodeDots(printed);
  yield encodeDots(printed.replace(/^%3Cn/, "%3C%6E"));
  yield printed.replace(/%..|[^]/g, (part) => (part.length === 3 ? part : encodeByte(part)));
}

/**
 * Percent-encodes characters that are invalid in URLs; some clients send them unencoded, and
 * headers cannot contain all of them.
 */
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

/** Encodes every character that could begin a sequence, so that only intended sequences are found. */
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

/** The first candidate that passes, else the last one. */
function firstThat(candidates: Iterable<string>, test: (candidate: string) => boolean): string {
  let last = "";
  for (last of candidates) if (test(last)) break;
  return last;
}
