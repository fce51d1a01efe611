/**
 * The grammar of paths: raw URL text to names, values and operators. Pure; independent of the schema.
 *
 * Operators are recognised in the raw text, before decoding, so a percent-encoded `%2C` is a plain comma.
 * `print_path.ts` prints the paths that this module reads.
 *
 * @module
 */

import type { Substitution } from "@/config/mod.ts";
import { badRequest, quote, type ServiceError } from "@/core/errors.ts";

/** The markers of one request: the default grammar unless parameters replace some of them. */
export interface Grammar {
  readonly separator: RegExp;
  readonly wildcard: RegExp;
  /** Matches a whole element of a list. */
  readonly nullMarker: RegExp;
  /** Matches a percent-encoded byte, which is skipped, or a sequence. Absent: no sequences are configured. */
  readonly sequences?: RegExp;
  readonly characters: ReadonlyMap<string, string>;
  /** Matches text that means itself under every rule, so that most segments skip the grammar. */
  readonly plain: RegExp;
}

/** The sources of a grammar: `service.ini`, then the request's parameters. */
interface GrammarOptions {
  readonly substitutions: readonly Substitution[];
  /** Between the elements of a list. Default: `,`. */
  readonly separator?: string | undefined;
  /** Matches any text. Default: `*`. */
  readonly wildcard?: string | undefined;
  /** The element for NULL. Default: `<null>`. */
  readonly nullMarker?: string | undefined;
  /** Stands for `/` in place of the configured sequences. */
  readonly placeholder?: string | undefined;
}

/** One element of a filter's value, as text: the planner knows the column's type. */
export type Operand =
  | { readonly kind: "null" }
  | { readonly kind: "equal"; readonly text: string }
  /** Inclusive; an absent bound is open. */
  | { readonly kind: "range"; readonly from?: string; readonly to?: string }
  /** The literal texts between the wildcards: `A*` is `["A", ""]`. */
  | { readonly kind: "like"; readonly literals: readonly string[] };

/** A segment as a name: unchanged, and with sequences replaced by their characters. */
export interface Name {
  readonly literal: string;
  readonly substituted: string;
}

/** Compiles the markers to patterns, which match their plain and percent-encoded forms. */
export function createGrammar(options: GrammarOptions): Grammar {
  const substitutions = options.placeholder === undefined
    ? options.substitutions
    : replaceSlash(options.substitutions, options.placeholder);
  const characters = new Map(
    substitutions.flatMap(({ sequence, character }) =>
      forms(sequence).map((form) => [form, encode(character)])
    ),
  );
  return {
    separator: matcher(options.separator ?? ","),
    wildcard: matcher(options.wildcard ?? "*"),
    nullMarker: new RegExp(`^(?:${alternatives(forms(options.nullMarker ?? "<null>"))})$`),
    ...(characters.size > 0 ? { sequences: sequenceMatcher([...characters.keys()]) } : {}),
    characters,
    plain: usesOnlyMarks(options) ? /^[A-Za-z0-9]+$/ : NOTHING,
  };
}

const NOTHING = /^(?!)/;

/** Whether every marker and sequence has a character other than letters and digits. */
function usesOnlyMarks(
  { substitutions, separator, wildcard, nullMarker, placeholder }: GrammarOptions,
): boolean {
  const markers = [
    separator,
    wildcard,
    nullMarker,
    placeholder,
    ...substitutions.map(({ sequence }) => sequence),
  ];
  return markers.every((marker) => marker === undefined || /[^A-Za-z0-9]/.test(marker));
}

/** Cuts a known extension off the last segment of a raw path; the rest stays raw. */
export function cutExtension(
  path: string,
  extensions: { has(name: string): boolean },
): { readonly path: string; readonly extension?: string } {
  const dot = path.lastIndexOf(".");
  if (dot <= path.lastIndexOf("/")) return { path };
  const extension = path.slice(dot + 1);
  return extensions.has(extension) ? { path: path.slice(0, dot), extension } : { path };
}

/** Reads a segment as a name. Throws 400 for invalid percent-encoding. */
export function readName(raw: string, grammar: Grammar): Name {
  if (grammar.plain.test(raw)) return { literal: raw, substituted: raw };
  const literal = decode(raw);
  const substituted = substitute(raw, grammar);
  return { literal, substituted: substituted === raw ? literal : decode(substituted) };
}

/** Splits a segment at the raw separator: a column list. */
export function splitList(raw: string, grammar: Grammar): readonly string[] {
  return raw.split(grammar.separator);
}

/** Reads a filter's value: one operand, or several for a list. Throws 400 for an invalid value. */
export function readValue(raw: string, grammar: Grammar): readonly Operand[] {
  if (grammar.plain.test(raw)) return [{ kind: "equal", text: raw }];
  return splitList(raw, grammar).map((element) => readOperand(element, grammar));
}

function readOperand(raw: string, grammar: Grammar): Operand {
  if (grammar.nullMarker.test(raw)) return { kind: "null" };
  const dots = raw.indexOf("..");
  if (dots >= 0) return readRange(raw, dots, grammar);
  const parts = raw.split(grammar.wildcard);
  if (parts.length === 1) return { kind: "equal", text: decodeText(raw, grammar) };
  return { kind: "like", literals: parts.map((part) => decodeText(part, grammar)) };
}

function readRange(raw: string, dots: number, grammar: Grammar): Operand {
  const ends = [raw.slice(0, dots), raw.slice(dots + 2)] as const;
  if (ends[0] === "" && ends[1] === "") throw refuse(raw, "give at least one end, as in 1..10, 1.. or ..10");
  for (const end of ends) {
    if (grammar.nullMarker.test(end)) throw refuse(raw, "NULL has no place in a range");
    if (end.split(grammar.wildcard).length > 1) throw refuse(raw, "a range has no wildcards");
  }
  const [from, to] = ends.map((end) => decodeText(end, grammar));
  return {
    kind: "range",
    ...(ends[0] === "" || from === undefined ? {} : { from }),
    ...(ends[1] === "" || to === undefined ? {} : { to }),
  };
}

function refuse(raw: string, reason: string): ServiceError {
  return badRequest(`Cannot read range ${quote(raw)}: ${reason}`);
}

/** Replaces sequences and decodes: the plain text of a value. */
export function decodeText(raw: string, grammar: Grammar): string {
  return decode(substitute(raw, grammar));
}

function substitute(raw: string, grammar: Grammar): string {
  if (!grammar.sequences) return raw;
  return raw.replace(grammar.sequences, (match) => grammar.characters.get(upperBytes(match)) ?? match);
}

function decode(raw: string): string {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch (cause) {
    throw badRequest(`Cannot decode ${quote(raw)}: percent-encode the bytes of UTF-8 text`, { cause });
  }
}

function replaceSlash(substitutions: readonly Substitution[], placeholder: string): readonly Substitution[] {
  const others = substitutions.filter(({ character }) => character !== "/");
  return [{ sequence: placeholder, character: "/" }, ...others];
}

/** The forms of a marker in a raw path: plain, and as URL parsers encode it. */
function forms(marker: string): readonly string[] {
  return [...new Set([marker, encodeURI(marker.toWellFormed())])];
}

function encode(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

function upperBytes(text: string): string {
  return text.includes("%") ? text.replace(/%../g, (byte) => byte.toUpperCase()) : text;
}

function matcher(marker: string): RegExp {
  return new RegExp(alternatives(forms(marker)));
}

/** Also matches other percent-encoded bytes, so that no sequence is found inside one. */
function sequenceMatcher(sequences: readonly string[]): RegExp {
  const encoded = sequences.filter((sequence) => sequence.startsWith("%"));
  const plain = sequences.filter((sequence) => !sequence.startsWith("%")).toSorted((a, b) =>
    b.length - a.length
  );
  const parts = [alternatives(encoded), "%[0-9A-Fa-f]{2}", alternatives(plain)];
  return new RegExp(parts.filter((part) => part !== "").join("|"), "g");
}

function alternatives(texts: readonly string[]): string {
  return texts.map(pattern).join("|");
}

/**
 * A pattern for literal text in which the hexadecimal digits of percent-encoded bytes match in either case.
 * A percent sign of the text matches where it begins no such byte: the marker `%` is sent as `%25`.
 */
function pattern(text: string): string {
  return text.replace(/%[0-9A-F]{2}|[^]/gu, (part) => {
    if (part === "%") return "%(?![0-9A-Fa-f]{2})";
    if (part.length < 3) return RegExp.escape(part);
    return part.replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`);
  });
}
