/**
 * Reads the text of a saved query: its parameters, its kind, and the statement without comments
 * and semicolons at the end. Pure.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import type { SqlLexis } from "@/plugins/contract.ts";
import { SqlMistake, type Token, tokenize } from "./query_tokens.ts";

/** A piece of SQL as it stands, or the name of a parameter. */
export type Piece = { readonly sql: string } | { readonly parameter: string };

/** Facts about a text that need no database. */
export interface QueryText {
  /** In order, without the semicolons, white space and comments at the end. */
  readonly pieces: readonly Piece[];
  /** Where the pieces begin in the author's text, in UTF-16 code units. */
  readonly start: number;
  /** Names of the parameters, each once, in the order of first use. Names are case-sensitive. */
  readonly parameters: readonly string[];
  /** The first word in upper case: `SELECT`, `WITH`, `CALL`. */
  readonly verb: string;
  /** Its rows can be read and streamed: its words only return rows, or the engine can read such a call. */
  readonly isReadable: boolean;
  /** A query that may be nested in another statement. */
  readonly isEmbeddable: boolean;
  /** The text itself names a change: INSERT, UPDATE …, also inside of WITH. */
  readonly isWriting: boolean;
  /** It locks the rows that it reads. Inside of another statement MariaDB may give such rows in any order. */
  readonly isLocking: boolean;
  /** It ends in ORDER BY and has no page, so that a page can be appended. */
  readonly isOrdered: boolean;
  /** The rows of several queries are ordered by names of columns, not by their numbers. */
  readonly ordersUnion: boolean;
  /** A query with WITH, split before its main part, for engines that do not nest WITH. */
  readonly hoisted?: { readonly before: readonly Piece[]; readonly main: readonly Piece[] };
}

/** Reading ten times as many takes a second, during which other requests wait. */
const MOST_CHARACTERS = 100_000;
/** Words that begin the main part of a statement with WITH. */
const MAIN = /^(SELECT|INSERT|UPDATE|DELETE|MERGE|REPLACE|VALUES|TABLE)$/i;
/** Words that begin a statement which returns rows. */
const QUERY = /^(SELECT|VALUES|TABLE|\()$/;
const WRITING = /^(INSERT|UPDATE|DELETE|MERGE|REPLACE)$/;
/** A page, or a clause that would follow one. OPTION and TOP alone may be columns. */
const PAGE = / (?:(?:LIMIT|OFFSET|FETCH|INTO) |OPTION \(|TOP [(\d:])/;
/** FOR SYSTEM_TIME stands behind a table. */
const LOCK = / (?:LOCK |FOR (?!SYSTEM_TIME ))/;
const UNION = / (?:UNION|INTERSECT|EXCEPT|MINUS) /;
/** Clauses of the outermost statement: hints, and on SQL Server another form of the result. */
const OUTERMOST = / (?:OPTION \(|FOR (?:XML|JSON|BROWSE) )/;

/**
 * Throws 400 for a text that is too long or ends too early, has no permitted statement, or has the engine's
 * placeholders.
 */
export function readQueryText(sql: string, lexis: SqlLexis): QueryText {
  if (sql.length > MOST_CHARACTERS) throw new SqlMistake("it has more than 100,000 characters");
  const all = tokenize(sql, lexis);
  const tokens = trim(all);
  const placeholder = tokens.find(({ kind }) => kind === "placeholder");
  if (placeholder) {
    const why = `${quote(placeholder.text)} is no parameter here, parameters are written as ":name"`;
    throw new SqlMistake(why, startOf([placeholder], all));
  }
  const [first] = tokens.filter(isMeant);
  if (!first) throw new SqlMistake("it has no statement");
  const verb = first.text.toUpperCase();
  if (verb !== "(" && !(first.kind === "word" && lexis.statements.includes(verb))) {
    const why = `a saved query is one of ${lexis.statements.join(", ")}, not ${quote(verb)}`;
    throw new SqlMistake(why, startOf([first], all));
  }
  requireWithin(tokens, lexis);
  const isBatch = tokens.some(({ kind, text, depth }) => kind === "symbol" && text === ";" && depth === 0);
  const main = verb === "WITH" ? mainOf(tokens) : tokens.indexOf(first);
  const does = tokens[main]?.text.toUpperCase() ?? verb;
  const outer = outerText(tokens);
  const isLocking = LOCK.test(outer);
  const isQuery = !isBatch && QUERY.test(does) && !outer.includes(" INTO ");
  return {
    pieces: piecesOf(tokens),
    start: startOf(tokens, all),
    parameters: [...new Set(tokens.flatMap((token) => parameterOf(token) ?? []))],
    verb,
    isReadable: isQuery || (!isBatch && lexis.readable?.includes(verb) === true),
    isEmbeddable: isQuery && !OUTERMOST.test(outer),
    isWriting: WRITING.test(does) || (verb === "WITH" && changesInside(tokens)),
    isLocking,
    isOrdered: outer.includes(" ORDER ") && !PAGE.test(outer) && !isLocking,
    ordersUnion: UNION.test(outer) && / ORDER BY (?!\d)/.test(outer),
    ...(verb === "WITH" && main >= 0
      ? { hoisted: { before: piecesOf(tokens.slice(0, main)), main: piecesOf(tokens.slice(main)) } }
      : {}),
  };
}

function requireWithin(tokens: readonly Token[], { beyond, names }: SqlLexis): void {
  if (!beyond) return;
  const plain = tokens.filter(isMeant).map((token) => plainText(token, names));
  const [found] = beyond.exec(plain.join(" ") + " ") ?? [];
  if (found !== undefined) throw new SqlMistake(`${quote(found.trim())} reaches beyond the database`);
}

function plainText({ kind, text }: Token, names: SqlLexis["names"]): string {
  // A number needs no space before a word: `SELECT 1exec('…')`.
  if (kind === "number") return text.replace(/^[\d.]+(?:e[+-]?\d+)?/i, "$& ");
  if (!QUOTED.has(kind)) return text;
  const mayBeName = kind === "name" || names.some(({ open }) => text.startsWith(open));
  return mayBeName ? `[${text.slice(1, -1).replace(/[^\p{L}\p{N}_$#]/gu, "_")}]` : "''";
}

/** `with a as (delete from b returning c)`; `(insert(…))` is a function. */
function changesInside(tokens: readonly Token[]): boolean {
  const texts = tokens.filter(isMeant).map(({ kind, text }) => kind === "word" ? text.toUpperCase() : text);
  return texts.some((text, at) => text === "(" && WRITING.test(texts[at + 1] ?? "") && texts[at + 2] !== "(");
}

/** Words before the name of a part of WITH, which may be called `merge` or `replace`. */
const NAMING = /^(?:WITH|RECURSIVE|,)$/i;

/** Where the main part behind WITH begins: at a word, or at the bracket behind that of a part. */
function mainOf(tokens: readonly Token[]): number {
  let before = "";
  return tokens.findIndex((token) => {
    const last = before;
    if (isMeant(token)) before = token.text;
    if (token.depth > 0) return false;
    if (token.text === "(") return last === ")";
    return !NAMING.test(last) && token.kind === "word" && MAIN.test(token.text);
  });
}

const QUOTED: ReadonlySet<Token["kind"]> = new Set(["string", "name"]);

/** The tokens outside of brackets in upper case, between blanks; strings and quoted names are left out. */
function outerText(tokens: readonly Token[]): string {
  const outer = tokens.filter((token) => token.depth === 0 && isMeant(token) && !QUOTED.has(token.kind));
  return ` ${outer.map(({ text }) => text.toUpperCase()).join(" ")} `;
}

/** Names of the parameters in a text; undefined if it cannot be run. */
export function parametersIn(sql: string, lexis: SqlLexis): readonly string[] | undefined {
  try {
    return readQueryText(sql, lexis).parameters;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Removes semicolons at both ends and comments at the end: a comment would hide appended SQL. */
function trim(tokens: readonly Token[]): readonly Token[] {
  const isStatement = (token: Token) => isMeant(token) && token.text !== ";";
  const last = tokens.findLastIndex((token) => isStatement(token) || isExecutedEnd(token));
  const before = tokens.slice(0, Math.max(0, tokens.findIndex(isStatement)));
  const semicolon = before.findLastIndex((token) => token.text === ";" && isMeant(token));
  return tokens.slice(semicolon + 1, last + 1);
}

function startOf([first]: readonly Token[], all: readonly Token[]): number {
  const before = all.slice(0, first === undefined ? all.length : all.indexOf(first));
  return before.reduce((length, { text }) => length + text.length, 0);
}

/**
 * The place in the author's text of a place in the compiled statement, which has
 * placeholders for its parameters.
 */
export function authorsPlace({ pieces, start }: QueryText, compiled: string, place: number): number {
  let [written, seen] = [start, 0];
  for (const piece of pieces) {
    if ("parameter" in piece) {
      written += piece.parameter.length + 1;
      continue;
    }
    const at = compiled.indexOf(piece.sql, seen);
    if (place < at) return written;
    if (place <= at + piece.sql.length) return written + place - at;
    written += piece.sql.length;
    seen = at + piece.sql.length;
  }
  return written;
}

/** The end of a comment whose content is executed; it belongs to that content. */
function isExecutedEnd({ kind, text }: Token): boolean {
  return kind === "comment" && text === "*/";
}

/** A selected parameter: what is before it, and its name as a column behind it. */
const SELECTED = /(?:\bSELECT|,)\s*$/i;
const NAMED = /^\s+AS\s+(?:([\p{L}_][\p{L}\p{M}\p{N}_$]*)|"([^"]+)"|`([^`]+)`)\s*(?:,|\bFROM\b|$)/iu;

/** The parameters that are columns of the result, by the names of these: `:since AS since`. */
export function selectedParameters({ pieces }: QueryText): ReadonlyMap<string, string> {
  const sqlAt = (at: number) =>
    pieces.slice(at, at + 1).map((piece) => "sql" in piece ? piece.sql : "").join();
  return new Map(pieces.flatMap((piece, at) => {
    if (!("parameter" in piece) || at === 0 || !SELECTED.test(sqlAt(at - 1))) return [];
    const name = NAMED.exec(sqlAt(at + 1))?.slice(1).find((each) => each !== undefined);
    return name === undefined ? [] : [[name, piece.parameter] as const];
  }));
}

function isMeant({ kind }: Token): boolean {
  return kind !== "space" && kind !== "comment";
}

/** The name of a parameter; undefined for other tokens. */
function parameterOf({ kind, text }: Token): string | undefined {
  return kind === "parameter" ? text.slice(1) : undefined;
}

/** Neighbouring tokens other than parameters become one piece. */
function piecesOf(tokens: readonly Token[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let sql = "";
  for (const token of tokens) {
    const parameter = parameterOf(token);
    if (parameter === undefined) {
      sql += token.text;
      continue;
    }
    if (sql !== "") pieces.push({ sql });
    pieces.push({ parameter });
    sql = "";
  }
  return sql === "" ? pieces : [...pieces, { sql }];
}
