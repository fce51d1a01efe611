/**
 * Reads tokens one after the other.
 *
 * @module
 */

import type { Token } from "./tokens.ts";

/** A position in a list of tokens. A missing expected token is an error. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** Goes past these words or signs if they come next. */
  skip(...words: readonly string[]): boolean {
    const found = words.every((word, index) => isWord(this.#tokens[this.#at + index], word));
    if (found) this.#at += words.length;
    return found;
  }

  /** Skips the token that must come next; throws for another. */
  expect(...words: readonly string[]): void {
    if (!this.skip(...words)) throw new Error(`Expected ${words.join(" ")} in ${this.#rest()}`);
  }

  /** Tells whether one of these words comes next, without advancing. */
  isNext(...words: readonly string[]): boolean {
    return words.some((word) => isWord(this.#tokens[this.#at], word));
  }

  next(): Token {
    const token = this.#tokens[this.#at++];
    if (!token) throw new Error("The statement ends too early");
    return token;
  }

  rest(): readonly Token[] {
    const tokens = this.#tokens.slice(this.#at);
    this.#at = this.#tokens.length;
    return tokens;
  }

  /** The tokens in parentheses. */
  parenthesized(): readonly Token[] {
    this.expect("(");
    const start = this.#at;
    for (let depth = 1; depth > 0;) {
      const { text, kind } = this.next();
      if (kind === "other") depth += text === "(" ? 1 : text === ")" ? -1 : 0;
    }
    return this.#tokens.slice(start, this.#at - 1);
  }

  /** Names in parentheses. */
  names(): readonly string[] {
    return this.parenthesized().filter(({ text }) => text !== ",").map(({ text }) => text);
  }

  #rest(): string {
    return this.#tokens.slice(this.#at, this.#at + 8).map(({ text }) => text).join(" ");
  }
}

function isWord(token: Token | undefined, word: string): boolean {
  if (token === undefined || token.kind === "name" || token.kind === "string") return false;
  return token.text.toUpperCase() === word;
}
