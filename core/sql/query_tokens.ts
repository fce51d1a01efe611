/**
 * Cuts SQL of saved queries into tokens like the engine's own scanner, in enough detail to tell `:name` parameters from
 * strings, quoted names, comments and casts. Pure; every character of the text is in exactly one token, so the joined
 * tokens equal the text.
 *
 * Sources of the rules: the PostgreSQL manual, 4.1 Lexical Structure; the MySQL manual, 11.1 Literal Values and 11.7
 * Comments; SQLite, The Tokenizer (tokenize.c); Transact-SQL, Identifiers and Comments.
 *
 * @module
 */

import type { SqlLexis } from "@/plugins/contract.ts";

/**
 * "string" and "name" include their quotes; "parameter" is `:name`, "placeholder" a placeholder of the engine itself.
 */
export type TokenKind =
  | "space"
  | "comment"
  | "string"
  | "name"
  | "word"
  | "number"
  | "parameter"
  | "placeholder"
  | "symbol";

/** A token with its text, unchanged. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Number of brackets that are open before it. */
  readonly depth: number;
}

/** A text that ends inside a string, a quoted name or a comment. */
export class UnfinishedText extends Error {
  constructor(readonly what: string, readonly position: number) {
    super(`it ends inside of ${what} that begins at character ${position + 1}`);
    this.name = "UnfinishedText";
  }
}

const SPACE = /\s+/uy;
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\.\d[\w.]*)/uy;
const PARAMETER = /:[\p{L}_][\p{L}\p{N}_]*/uy;
/** Colons that do not begin a parameter, even before white space. */
const COLONS = /::|:=/y;
/** The version has five digits or six. */
const EXECUTABLE = /\/\*M?!(?:\d{5,6})?/y;
const DOLLAR_TAG = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

/** Throws {@link UnfinishedText}. */
export function tokenize(sql: string, lexis: SqlLexis): readonly Token[] {
  return new Scanner(sql, lexis).scan();
}

class Scanner {
  readonly #sql: string;
  readonly #lexis: SqlLexis;
  readonly #placeholders: RegExp;
  readonly #tokens: Token[] = [];
  /** Closing brackets of those that are open. */
  readonly #open: string[] = [];
  #position = 0;
  /** The kind and text of the last token that is not space or comment. */
  #last: Pick<Token, "kind" | "text"> = { kind: "symbol", text: "" };
  /** Strings with E, and those that continue one. */
  readonly #escaping = new Set<Token>();
  #isContinuing = false;
  /** Inside a comment whose content is executed. */
  #isExecuted = false;

  constructor(sql: string, lexis: SqlLexis) {
    this.#sql = sql;
    this.#lexis = lexis;
    this.#placeholders = new RegExp(lexis.placeholders.source, "uy");
  }

  scan(): readonly Token[] {
    while (this.#position < this.#sql.length) this.#next();
    return this.#tokens;
  }

  #next(): void {
    const { kind, end } = this.#matchSpace() ?? this.#matchComment() ?? this.#matchString() ??
      this.#matchName() ??
      this.#matchWord() ?? this.#matchColon() ?? this.#matchPlaceholder() ?? this.#symbol();
    const text = this.#sql.slice(this.#position, end);
    if (isClosing(text)) this.#close(text);
    const token = { kind, text, depth: this.#open.length };
    this.#tokens.push(token);
    if (kind === "string" && (/^[eE]'/.test(text) || this.#isContinuing)) this.#escaping.add(token);
    this.#isContinuing = false;
    if (isOpening(text)) this.#open.push(text);
    this.#position = end;
    if (kind !== "space" && kind !== "comment") this.#last = token;
  }

  /** Brackets that do not match are tolerated; the engine refuses them. */
  #close(text: string): void {
    const opening = text === ")" ? "(" : "[";
    const at = this.#open.lastIndexOf(opening);
    if (at >= 0) this.#open.length = at;
  }

  #matchSpace(): Match | undefined {
    return this.#match("space", SPACE);
  }

  #matchComment(): Match | undefined {
    const { hashComments, spacedDashes } = this.#lexis;
    if (this.#isExecuted && this.#startsWith("*/")) {
      this.#isExecuted = false;
      return { kind: "comment", end: this.#position + 2 };
    }
    const opening = this.#match("comment", EXECUTABLE);
    if (opening && this.#lexis.executes?.(this.#sql.slice(this.#position, opening.end))) {
      this.#isExecuted = true;
      return opening;
    }
    if (this.#startsWith("/*")) return { kind: "comment", end: this.#endOfBlock() };
    const isLine = (hashComments && this.#startsWith("#")) ||
      (this.#startsWith("--") &&
        (!spacedDashes || /^$|^\s/.test(this.#sql.slice(this.#position + 2, this.#position + 3))));
    return isLine ? this.#match("comment", /[^\n\r]+/y) : undefined;
  }

  #endOfBlock(): number {
    const marks = /\/\*|\*\//g;
    marks.lastIndex = this.#position + 2;
    let depth = 1;
    for (let mark = marks.exec(this.#sql); mark; mark = marks.exec(this.#sql)) {
      if (mark[0] === "*/") depth--;
      else if (this.#lexis.nestedComments) depth++;
      // The mark that looks like an opening may contain the slash of a closing one: `/*/`.
      else marks.lastIndex = mark.index + 1;
      if (depth === 0) return marks.lastIndex;
    }
    throw new UnfinishedText("a comment", this.#position);
  }

  #matchString(): Match | undefined {
    const { strings, backslash, dollarStrings } = this.#lexis;
    if (dollarStrings) {
      const end = this.#endOfDollarString();
      if (end !== undefined) return { kind: "string", end };
    }
    const prefix =
      backslash === "prefixed" && /^[eE]'/.test(this.#sql.slice(this.#position, this.#position + 2)) ? 1 : 0;
    const quote = this.#sql.charAt(this.#position + prefix);
    if (!strings.includes(quote)) return undefined;
    this.#isContinuing = backslash === "prefixed" && prefix === 0 && this.#continues();
    const escapes = backslash === "always" || prefix === 1 || this.#isContinuing;
    return {
      kind: "string",
      end: this.#endOfQuoted(this.#position + prefix, { close: quote, doubled: true, escapes }, "a string"),
    };
  }

  /** A string continues one with E if only white space with a line break is between them. */
  #continues(): boolean {
    const at = this.#tokens.findLastIndex(({ kind, text }) => {
      return kind !== "space" && !(kind === "comment" && text.startsWith("--"));
    });
    const last = this.#tokens[at];
    if (last?.kind !== "string" || !this.#escaping.has(last)) return false;
    return this.#tokens.slice(at + 1).some(({ text }) => /[\n\r]/.test(text));
  }

  #endOfDollarString(): number | undefined {
    DOLLAR_TAG.lastIndex = this.#position;
    const [tag] = DOLLAR_TAG.exec(this.#sql) ?? [];
    if (tag === undefined) return undefined;
    const end = this.#sql.indexOf(tag, this.#position + tag.length);
    if (end < 0) throw new UnfinishedText("a string", this.#position);
    return end + tag.length;
  }

  #matchName(): Match | undefined {
    const { names, slices } = this.#lexis;
    const quotes = names.find(({ open }) => this.#startsWith(open));
    if (!quotes || (slices && quotes.open === "[")) return undefined;
    const { close, doubled } = quotes;
    return {
      kind: "name",
      end: this.#endOfQuoted(this.#position, { close, doubled, escapes: false }, "a quoted name"),
    };
  }

  #endOfQuoted(
    start: number,
    { close, doubled, escapes }: {
      readonly close: string;
      readonly doubled: boolean;
      readonly escapes: boolean;
    },
    what: string,
  ): number {
    for (let at = start + 1; at < this.#sql.length; at++) {
      const character = this.#sql.charAt(at);
      if (escapes && character === "\\") at++;
      else if (character === close && doubled && this.#sql.charAt(at + 1) === close) at++;
      else if (character === close) return at + 1;
    }
    throw new UnfinishedText(what, this.#position);
  }

  #matchWord(): Match | undefined {
    return this.#match("word", WORD) ?? this.#match("number", NUMBER);
  }

  #matchColon(): Match | undefined {
    const operator = this.#match("symbol", COLONS);
    if (operator) return operator;
    return this.#isSlice() ? undefined : this.#match("parameter", PARAMETER);
  }

  /** Inside `[]`, a colon after an operand separates the bounds of a slice. */
  #isSlice(): boolean {
    if (!this.#lexis.slices || this.#open.at(-1) !== "[") return false;
    const { kind, text } = this.#last;
    return kind === "symbol" ? text === ")" || text === "]" : kind !== "space";
  }

  #matchPlaceholder(): Match | undefined {
    return this.#match("placeholder", this.#placeholders);
  }

  #symbol(): Match {
    const character = this.#sql.codePointAt(this.#position) ?? 0;
    return { kind: "symbol", end: this.#position + (character > 0xffff ? 2 : 1) };
  }

  #match(kind: TokenKind, pattern: RegExp): Match | undefined {
    pattern.lastIndex = this.#position;
    return pattern.test(this.#sql) && pattern.lastIndex > this.#position
      ? { kind, end: pattern.lastIndex }
      : undefined;
  }

  #startsWith(text: string): boolean {
    return this.#sql.startsWith(text, this.#position);
  }
}

interface Match {
  readonly kind: TokenKind;
  readonly end: number;
}

function isOpening(text: string): boolean {
  return text === "(" || text === "[";
}

function isClosing(text: string): boolean {
  return text === ")" || text === "]";
}
