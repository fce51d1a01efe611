/**
 * Cuts SQL of saved queries into tokens like the engine's own scanner, in enough detail to tell `:name`
 * parameters from strings, quoted names, comments and casts. Pure; every character of the text is in exactly
 * one token, so the joined tokens equal the text.
 *
 * Sources of the rules: the PostgreSQL manual, 4.1 Lexical Structure; the MySQL manual, 11.1 Literal Values
 * and 11.7 Comments; SQLite, The Tokenizer (tokenize.c); Transact-SQL, Identifiers and Comments.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import type { SqlLexis } from "@/plugins/contract.ts";

/**
 * "string" and "name" include their quotes; "parameter" is `:name`,
 * "placeholder" is one of the engine itself.
 */
type TokenKind =
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

/** 400 for SQL that a saved query cannot have. */
export class SqlMistake extends ServiceError {
  /** Where it is in the text, in UTF-16 code units, if it is in one place. */
  readonly place: number | undefined;

  constructor(why: string, place?: number) {
    super("bad-request", `Cannot use this SQL: ${why}`);
    this.name = "SqlMistake";
    this.place = place;
  }
}

/** SQL Server takes every control character for white space; other engines refuse most of them. */
const SPACE = /[\s\p{Cc}]+/uy;
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_$]*/uy;
const NUMBER = /(?:\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\.\d[\w.]*)/uy;
const PARAMETER = /:[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
/** Colons that do not begin a parameter, even before white space. */
const COLONS = /::|:=/y;
/** The version has five digits or six. */
const EXECUTABLE = /\/\*M?!(?:\d{5,6})?/y;
const DOLLAR_TAG = /\$(?:[\p{L}_][\p{L}\p{M}\p{N}_]*)?\$/uy;

/** The opening bracket of a closing one. */
const OPENING: ReadonlyMap<string, string> = new Map([[")", "("], ["]", "["]]);

/** Throws 400 for a text that ends inside a string, a quoted name or a comment. */
export function tokenize(sql: string, lexis: SqlLexis): readonly Token[] {
  return new Scanner(sql, lexis).scan();
}

class Scanner {
  readonly #sql: string;
  readonly #lexis: SqlLexis;
  readonly #placeholders: RegExp;
  readonly #tokens: Token[] = [];
  /** Brackets that are open, and how many there are of each kind. */
  readonly #open: string[] = [];
  readonly #counts = new Map<string, number>();
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
    const { kind, end } = this.#match("space", SPACE) ?? this.#matchComment() ?? this.#matchString() ??
      this.#matchName() ?? this.#match("word", WORD) ?? this.#match("number", NUMBER) ??
      this.#matchColon() ?? this.#match("placeholder", this.#placeholders) ?? this.#symbol();
    const text = this.#sql.slice(this.#position, end);
    this.#closeBracket(OPENING.get(text));
    const token = { kind, text, depth: this.#open.length };
    this.#tokens.push(token);
    if (kind === "string" && (/^[eE]'/.test(text) || this.#isContinuing)) this.#escaping.add(token);
    this.#isContinuing = false;
    if (text === "(" || text === "[") this.#openBracket(text);
    this.#position = end;
    if (kind !== "space" && kind !== "comment") this.#last = token;
  }

  #openBracket(bracket: string): void {
    this.#open.push(bracket);
    this.#counts.set(bracket, (this.#counts.get(bracket) ?? 0) + 1);
  }

  /**
   * Closes the last one of its kind, with those inside. One that does not match is
   * tolerated; the engine refuses it.
   */
  #closeBracket(opening: string | undefined): void {
    if (opening === undefined || (this.#counts.get(opening) ?? 0) === 0) return;
    let closed: string | undefined;
    while (closed !== opening) {
      closed = this.#open.pop() ?? opening;
      this.#counts.set(closed, (this.#counts.get(closed) ?? 0) - 1);
    }
  }

  #matchComment(): Match | undefined {
    const { hashComments, spacedDashes } = this.#lexis;
    if (this.#isExecuted && this.#startsWith("*/")) {
      this.#isExecuted = false;
      return { kind: "comment", end: this.#position + 2 };
    }
    if (this.#startsWith("/*")) return this.#matchBlock();
    const isLine = (hashComments && this.#startsWith("#")) ||
      (this.#startsWith("--") && (!spacedDashes || this.#isBlank(this.#position + 2)));
    const comment = isLine ? this.#match("comment", /[^\n\r]+/y) : undefined;
    // For some engines the comment goes on, for others SQL follows.
    if (comment && /^\r[^\n]/.test(this.#sql.slice(comment.end, comment.end + 2))) {
      throw new SqlMistake("a comment ends in a carriage return without a line feed", this.#position);
    }
    return comment;
  }

  #matchBlock(): Match {
    const { executes } = this.#lexis;
    const opening = executes && this.#match("comment", EXECUTABLE);
    if (!opening) return { kind: "comment", end: this.#endOfBlock() };
    const mark = this.#sql.slice(this.#position, opening.end);
    if (executes(mark)) {
      this.#isExecuted = true;
      return opening;
    }
    const end = this.#endOfBlock();
    // One that the server skips may hold a whole comment, and then ends later than others.
    if (!this.#sql.slice(opening.end, end).includes("/*")) return { kind: "comment", end };
    throw new SqlMistake(`it has a comment inside of "${mark} ... */"`, this.#position);
  }

  /** Whether MySQL finds the end of the text, white space or a control character. */
  #isBlank(at: number): boolean {
    const code = this.#sql.charCodeAt(at);
    return !(code > 0x20) || code === 0x7f;
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
    throw this.#unfinished("a comment");
  }

  #matchString(): Match | undefined {
    const { strings, backslash, dollarStrings } = this.#lexis;
    if (dollarStrings) {
      const end = this.#endOfDollarString();
      if (end !== undefined) return { kind: "string", end };
    }
    const prefix =
      backslash === "prefixed" && /^[eE]'/.test(this.#sql.slice(this.#position, this.#position + 2)) ? 1 : 0;
    const mark = this.#sql.charAt(this.#position + prefix);
    if (!strings.includes(mark)) return undefined;
    this.#isContinuing = backslash === "prefixed" && prefix === 0 && this.#continues();
    const escapes = backslash === "always" || prefix === 1 || this.#isContinuing;
    const quotes = { close: mark, doubled: true, escapes };
    return { kind: "string", end: this.#endOfQuoted(this.#position + prefix, quotes, "a string") };
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
    if (end < 0) throw this.#unfinished("a string");
    return end + tag.length;
  }

  #matchName(): Match | undefined {
    const { names, slices } = this.#lexis;
    const quotes = names.find(({ open }) => this.#startsWith(open));
    if (!quotes || (slices && quotes.open === "[")) return undefined;
    return {
      kind: "name",
      end: this.#endOfQuoted(this.#position, { ...quotes, escapes: false }, "a quoted name"),
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
    throw this.#unfinished(what);
  }

  #unfinished(what: string): SqlMistake {
    const beginning = quote(this.#sql.slice(this.#position, this.#position + 20));
    return new SqlMistake(`it ends inside of ${what} that begins with ${beginning}`, this.#position);
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
