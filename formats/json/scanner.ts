/**
 * Reads JSON text piece by piece, as strictly as RFC 8259, from where it stands. It never recurses, so no text is too deep
 * for it.
 *
 * @module
 */

import type { BodyValue } from "@/plugins/contract.ts";

/** Why a text is refused, and where. */
export class Refusal extends Error {
  constructor(message: string, readonly at: number) {
    super(message);
    this.name = "Refusal";
  }
}

/** Objects and arrays inside each other, those of the body included. */
const MAX_DEPTH = 64;
/** Levels around a value of a record in a list. */
const OUTER_DEPTH = 2;

const LITERALS: readonly (readonly [string, BodyValue])[] = [["null", null], ["true", true], [
  "false",
  false,
]];

/** A place in a text. Every method moves it behind what it reads, or throws a {@link Refusal}. */
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

  /** The next character behind white space; empty at the end. */
  next(): string {
    for (;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    }
    return this.#text.charAt(this.#at);
  }

  /** Steps over one character if it is the next one. */
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

  /** A string in quotes. */
  string(): string {
    if (this.next() !== '"') this.refuse("expected a name in quotes");
    const start = this.#at++;
    const hasEscape = this.#skipString();
    return hasEscape ? this.#unescape(start) : this.#text.slice(start + 1, this.#at - 1);
  }

  value(): BodyValue {
    switch (this.next()) {
      case '"':
        return this.string();
      case "{":
      case "[":
        return { kind: "nested", text: this.#nested() };
      case "n":
      case "t":
      case "f":
        return this.#literal();
      default:
        return { kind: "number", text: this.#number() };
    }
  }

  /** From behind the opening quote to behind the closing one; true where there are escapes between. */
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
    const value = this.#parse(start, "a string contains an escape that JSON does not have");
    if (typeof value !== "string" || !value.isWellFormed()) {
      throw new Refusal("a string contains half of a surrogate pair", start);
    }
    return value;
  }

  #literal(): BodyValue {
    for (const [word, value] of LITERALS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.refuse("expected a value");
  }

  #number(): string {
    const start = this.#at;
    this.#step("-");
    if (!this.#step("0")) this.#digits("expected a value");
    if (this.#step(".")) this.#digits("expected a digit");
    if (this.#step("e") || this.#step("E")) {
      if (!this.#step("+")) this.#step("-");
      this.#digits("expected a digit");
    }
    return this.#text.slice(start, this.#at);
  }

  /** Like {@link skip}, but white space is not stepped over. */
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

  /** The source of an object or array: its end is found first, then it is checked as a whole. */
  #nested(): string {
    const start = this.#at;
    this.#skipNested();
    this.#parse(start, "this object or array is not valid JSON");
    return this.#text.slice(start, this.#at);
  }

  #skipNested(): void {
    const start = this.#at;
    let depth = OUTER_DEPTH;
    do {
      const code = this.#text.charCodeAt(this.#at++);
      if (code === 0x22) this.#skipString();
      else if (code === 0x7b || code === 0x5b) depth++;
      else if (code === 0x7d || code === 0x5d) depth--;
      else if (Number.isNaN(code)) throw new Refusal("an object or array is not closed", start);
      if (depth > MAX_DEPTH) {
        this.refuse(`objects and arrays are nested more than ${MAX_DEPTH} deep`, this.#at - 1);
      }
    } while (depth > OUTER_DEPTH);
  }

  #parse(start: number, complaint: string): unknown {
    try {
      return JSON.parse(this.#text.slice(start, this.#at));
    } catch (error) {
      if (error instanceof SyntaxError) throw new Refusal(complaint, start);
      throw error;
    }
  }
}
