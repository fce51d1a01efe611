/**
 * Reads CSV text line by line, as strictly as RFC 4180; lines may end in CRLF, LF or CR, and
 * semicolons or tabs may replace commas.
 *
 * @module
 */

import { MAX_NAMES, Refusal } from "@/plugins/kit/formats.ts";

/** One line. */
export interface Line {
  readonly fields: readonly string[];
  /** Positions of the quoted fields. */
  readonly quoted: ReadonlySet<number>;
  /** The line's number, from 1. */
  readonly number: number;
}

/** Number of quote pairs in a field that are handled in one step. */
const STEP = 10_000;

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const TAB = 0x09;
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

const NONE: ReadonlySet<number> = new Set();

/** A place in a text. */
export class LineScanner {
  readonly #text: string;
  readonly #delimiter: number;
  #at: number;
  #number = 1;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\ufeff") ? 1 : 0;
    this.#delimiter = delimiterOf(text, this.#at);
  }

  /** The next line that is not empty, in steps; undefined at the end. Throws a {@link Refusal}. */
  *next(): Generator<undefined, Line | undefined, void> {
    while (this.#skipLineEnd());
    if (this.#at >= this.#text.length) return undefined;
    const number = this.#number;
    const fields: string[] = [];
    let quoted: Set<number> | undefined;
    do {
      if (fields.length === MAX_NAMES) throw new Refusal(`line ${number} has more than ${MAX_NAMES} fields`);
      if (this.#code() === QUOTE) (quoted ??= new Set()).add(fields.push(yield* this.#quotedField()) - 1);
      else fields.push(this.#plainField());
    } while (this.#skipDelimiter());
    this.#skipLineEnd();
    return { fields, quoted: quoted ?? NONE, number };
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #skipDelimiter(): boolean {
    if (this.#code() !== this.#delimiter) return false;
    this.#at++;
    return true;
  }

  #skipLineEnd(): boolean {
    const code = this.#code();
    if (code !== LF && code !== CR) return false;
    this.#at += code === CR && this.#text.charCodeAt(this.#at + 1) === LF ? 2 : 1;
    this.#number++;
    return true;
  }

  #plainField(): string {
    const start = this.#at;
    const delimiter = this.#delimiter;
    for (;; this.#at++) {
      const code = this.#code();
      if (code === delimiter || code === LF || code === CR || Number.isNaN(code)) break;
      if (code === QUOTE) throw this.#refusal("there is a quote inside a field without quotes");
    }
    return this.#text.slice(start, this.#at);
  }

  /** Inside quotes, two quotes stand for one. */
  *#quotedField(): Generator<undefined, string, void> {
    const number = this.#number;
    let field = "";
    let start = this.#at + 1;
    for (let from = start, count = 1;; count++) {
      const end = this.#text.indexOf('"', from);
      if (end < 0) throw new Refusal(`line ${number}: a quote is not closed`);
      from = end + 2;
      if (this.#text.charCodeAt(end + 1) !== QUOTE) {
        field += this.#unescape(start, end);
        this.#at = end + 1;
        break;
      }
      if (count % STEP > 0) continue;
      field += this.#unescape(start, from);
      start = from;
      yield;
    }
    const code = this.#code();
    if (code !== this.#delimiter && code !== LF && code !== CR && !Number.isNaN(code)) {
      throw this.#refusal("there is text behind a closing quote");
    }
    return field;
  }

  #unescape(start: number, end: number): string {
    const text = this.#text.slice(start, end);
    this.#number += countLineEnds(text);
    // Measured on millions of pairs: thirty times as fast as replaceAll, whose result is a rope of pieces.
    return text.includes('"') ? text.split('""').join('"') : text;
  }

  #refusal(message: string): Refusal {
    return new Refusal(`line ${this.#number}: ${message}`);
  }
}

/** Characters of the first line in which the delimiter is searched. */
const LONGEST_SEARCH = 2 ** 20;

/**
 * The comma, if the first line has one outside quotes, else the semicolon,
 * else the tab that spreadsheets copy.
 */
function delimiterOf(text: string, start: number): number {
  const end = Math.min(text.length, start + LONGEST_SEARCH);
  let isQuoted = false;
  let found = COMMA;
  for (let at = start, hasName = false; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (code === COMMA) return COMMA;
    if (code === SEMICOLON) found = SEMICOLON;
    if (code === TAB && found === COMMA) found = TAB;
    if (code !== LF && code !== CR) hasName = true;
    else if (hasName) return found;
  }
  return found;
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) count++;
  }
  return count;
}
