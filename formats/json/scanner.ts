/**
 * A pull parser for JSON, as strict as RFC 8259. It never recurses, so no depth
 * of nesting can overflow the stack.
 *
 * @module
 */

import type { BodyValue } from "@/plugins/contract.ts";
import { MAX_DEPTH, Refusal } from "@/plugins/kit/formats.ts";

/** Levels around a value of a record in a list. */
const OUTER_DEPTH = 2;
/** Number of nested values that are handled in one step. */
const STEP = 10_000;
const CLOSERS: ReadonlyMap<string, string> = new Map([["{", "}"], ["[", "]"]]);

/** The literals by their first characters. */
const LITERALS: ReadonlyMap<string, { readonly word: string; readonly value: BodyValue }> = new Map([
  ["n", { word: "null", value: null }],
  ["t", { word: "true", value: true }],
  ["f", { word: "false", value: false }],
]);

/** A position in a text. Every method advances it past the text it reads, or throws a {@link Refusal}. */
export class Scanner {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\ufeff") ? 1 : 0;
  }

  get at(): number {
    return this.#at;
  }

  /** The next character after white space; empty at the end. */
  next(): string {
    for (;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    }
    return this.#text.charAt(this.#at);
  }

  /** Advances past one character if it is the next one. */
  skip(character: string): boolean {
    if (this.next() !== character) return false;
    this.#at++;
    return true;
  }

  expect(character: string, what: string): void {
    if (!this.skip(character)) this.refuse(`expected ${what}`);
  }

  refuse(message: string, at: number = this.#at): never {
    throw new Refusal(at < this.#text.length ? message : `${message}, but the text ends here`, at);
  }

  /** A quoted string. */
  string(): string {
    if (this.next() !== '"') this.refuse("expected a name in quotes");
    const start = this.#at++;
    const hasEscape = this.#skipString();
    return hasEscape ? this.#unescape(start) : this.#text.slice(start + 1, this.#at - 1);
  }

  /** A value; undefined at the start of an object or array, which {@link nested} reads. */
  value(): BodyValue | undefined {
    const first = this.next();
    if (first === '"') return this.string();
    return first === "{" || first === "[" ? undefined : this.#plain(first);
  }

  /** The source of an object or array, in steps: it may be as long as the whole text. */
  *nested(): Generator<undefined, BodyValue, void> {
    const start = this.#at;
    const closers: string[] = [];
    for (let count = 1;; count++) {
      if (count % STEP === 0) yield;
      if (this.#enter(closers)) continue;
      for (; closers.length > 0 && this.skip(closers.at(-1) ?? ""); closers.pop());
      const closer = closers.at(-1);
      if (closer === undefined) return { kind: "nested", text: this.#text.slice(start, this.#at) };
      this.expect(",", `"," or "${closer}"`);
      if (closer === "}") this.#name();
    }
  }

  /** Enters a non-empty object or array, up to its first value; skips any other value. */
  #enter(closers: string[]): boolean {
    const first = this.next();
    const closer = CLOSERS.get(first);
    if (closer === undefined) {
      // Only the syntax of a nested value is checked.
      if (first === '"') this.#checkString();
      else this.#plain(first);
      return false;
    }
    if (closers.length + OUTER_DEPTH === MAX_DEPTH) {
      this.refuse(`objects and arrays are nested more than ${MAX_DEPTH} deep`);
    }
    this.#at++;
    if (this.skip(closer)) return false;
    if (closer === "}") this.#name();
    closers.push(closer);
    return true;
  }

  #name(): void {
    if (this.next() !== '"') this.refuse("expected a name in quotes");
    this.#checkString();
    this.expect(":", '":"');
  }

  #checkString(): void {
    const start = this.#at++;
    if (this.#skipString()) this.#parse(start);
  }

  /** Advances from the opening quote past the closing one; true if the string has escapes. */
  #skipString(): boolean {
    const start = this.#at;
    let hasEscape = false;
    for (;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        hasEscape = true;
        this.#at++;
      } else if (!(code >= 0x20)) {
        this.#refuseInString(start - 1);
      }
    }
    this.#at++;
    return hasEscape;
  }

  #refuseInString(start: number): never {
    if (this.#at >= this.#text.length) throw new Refusal("a string is not closed", start);
    return this.refuse("a string contains a control character that is not escaped");
  }

  #unescape(start: number): string {
    const value = this.#parse(start);
    if (typeof value !== "string" || !value.isWellFormed()) {
      throw new Refusal("a string contains half of a surrogate pair", start);
    }
    return value;
  }

  /** A literal or a number. */
  #plain(first: string): BodyValue {
    const literal = LITERALS.get(first);
    if (literal && this.#text.startsWith(literal.word, this.#at)) {
      this.#at += literal.word.length;
      return literal.value;
    }
    const start = this.#at;
    this.#step("-");
    if (!this.#step("0")) this.#digits("expected a value");
    if (this.#step(".")) this.#digits("expected a digit");
    if (this.#step("e") || this.#step("E")) {
      if (!this.#step("+")) this.#step("-");
      this.#digits("expected a digit");
    }
    return { kind: "number", text: this.#text.slice(start, this.#at) };
  }

  /** Like {@link skip}, without skipping white space. */
  #step(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false;
    this.#at++;
    return true;
  }

  #digits(message: string): void {
    const start = this.#at;
    for (;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code >= 0x30 && code <= 0x39)) break;
    }
    if (this.#at === start) this.refuse(message);
  }

  /** Parses the string from `start` to the position. */
  #parse(start: number): unknown {
    try {
      return JSON.parse(this.#text.slice(start, this.#at));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Refusal("a string contains an escape that JSON does not have", start);
    }
  }
}
