/**
 * Whether a query that people wrote runs functions that people wrote. Pure.
 *
 * The query is taken for one that does until it is clear that it does not: every function in it is one of the server's, and
 * everything that it reads is known to run nothing either.
 *
 * @module
 */

import { placeOf } from "./catalog_place.ts";
import { FUNCTIONS, KEYWORDS } from "./server_functions.ts";
import { nameOf, type Token, tokensOf } from "./statement_tokens.ts";
import { isColumnList, withNameAt } from "./with_names.ts";

/** What is known of the database. */
export interface KnownCode {
  /** The schema of names without one. */
  readonly schema: string;
  /** See {@link clearPlaces}. */
  readonly clear: ReadonlySet<string>;
}

/** Within one pair of parentheses, or around all of them. */
interface Level {
  /** The function whose arguments these are. */
  readonly call: string | undefined;
  /** What names stand for further tables: commas in a FROM are followed by another one. */
  isInFrom: boolean;
  /** Names that WITH has given to queries; they are known from there on. */
  readonly names: Set<string>;
  /** The name that the query in these parentheses gets, where it is one of WITH. */
  readonly naming: string | undefined;
}

/** Comments may be executed, and variables stay; a NUL or a lone quote is for the server to judge. */
const UNCLEAR = /[@#\0]|--|\/\*/;
/** Numbers; what else begins with a digit may be one with a word behind it: `1e0from t`. */
const NUMBER = /^\d+(?:e\d+)?$/;
/** Words after which a FROM is over. */
const ENDS_FROM: ReadonlySet<string> = new Set([
  "where",
  "group",
  "having",
  "order",
  "limit",
  "union",
  "select",
]);
/**
 * Words of what reads tables in other ways, calls something or puts a result elsewhere; and of hints and versions, in which
 * words stand that seem to end a FROM.
 */
const REFUSED: ReadonlySet<string> = new Set([
  ...["table", "values", "value", "lateral", "into", "procedure", "call"],
  ...["use", "force", "ignore", "system_time", "system"],
]);
/** Functions with a FROM among their arguments. */
const WITH_FROM: ReadonlySet<string> = new Set(["extract", "trim", "substring", "substr", "mid"]);

/** True where it cannot: false tells nothing. */
export function runsNoCode(sql: string, known: KnownCode): boolean {
  return !UNCLEAR.test(sql) && new Walk(tokensOf(sql), known).isClear();
}

class Walk {
  readonly #tokens: readonly Token[];
  readonly #known: KnownCode;
  readonly #levels: Level[] = [levelOf({})];

  constructor(tokens: readonly Token[], known: KnownCode) {
    this.#tokens = tokens;
    this.#known = known;
  }

  isClear(): boolean {
    return this.#tokens.every((_, at) => this.#accepts(at)) && this.#levels.length === 1;
  }

  #accepts(at: number): boolean {
    const token = this.#tokens[at];
    if (!token) return false;
    if (token.kind === "word") return this.#acceptsWord(token.word, at);
    switch (token.text) {
      case "(":
        return this.#opens(at);
      case ")":
        return this.#closes();
      case ",":
        return !this.#level.isInFrom || this.#readsClear(at + 1);
      case "\\":
        // `\N` is NULL, and needs no space behind it.
        return false;
      default:
        return true;
    }
  }

  #acceptsWord(word: string, at: number): boolean {
    if (/^\d/.test(word)) return NUMBER.test(word);
    if (isMember(this.#tokens, at)) return true;
    // Behind any other point it may be a name or a word of the language: `b .where`, `1.e0from t`.
    if (this.#tokens[at - 1]?.text === ".") return false;
    if (REFUSED.has(word)) return false;
    if (ENDS_FROM.has(word)) this.#level.isInFrom = false;
    if (word === "from" && !WITH_FROM.has(this.#level.call ?? "")) {
      this.#level.isInFrom = true;
      return this.#readsClear(at + 1);
    }
    return (word !== "join" && word !== "straight_join") || this.#readsClear(at + 1);
  }

  /** A table, or a query in parentheses. */
  #readsClear(at: number): boolean {
    const [first, point, second] = this.#tokens.slice(at, at + 3);
    if (first?.text === "(") return point?.kind === "word" && /^(select|with)$/.test(point.word);
    if (!first || first.kind === "other") return false;
    if (point?.text === ".") {
      return second !== undefined && this.#isClearPlace(nameOf(first), nameOf(second));
    }
    const isNamed = this.#levels.some(({ names }) => names.has(nameOf(first)));
    return isNamed || this.#isClearPlace(this.#known.schema, nameOf(first));
  }

  #isClearPlace(schema: string, table: string): boolean {
    return this.#known.clear.has(placeOf({ schema, table }));
  }

  #opens(at: number): boolean {
    const named = withNameAt(this.#tokens, at);
    const before = this.#tokens[at - 1];
    const isFree = before === undefined || before.kind === "other" || named !== undefined ||
      isColumnList(this.#tokens, at);
    if (!isFree && !this.#mayStandBefore(at)) return false;
    if (named?.isRecursive) this.#level.names.add(named.name);
    this.#levels.push(levelOf({ call: isFree ? undefined : before?.word, naming: named?.name }));
    return true;
  }

  #mayStandBefore(at: number): boolean {
    const [parenthesis, before] = [this.#tokens[at], this.#tokens[at - 1]];
    if (before?.kind !== "word" || this.#tokens[at - 2]?.text === ".") return false;
    return KEYWORDS.has(before.word) || (parenthesis?.adjoins === true && FUNCTIONS.has(before.word));
  }

  #closes(): boolean {
    const closed = this.#levels.pop();
    if (!closed || this.#levels.length === 0) return false;
    if (closed.naming !== undefined) this.#level.names.add(closed.naming);
    return true;
  }

  get #level(): Level {
    const level = this.#levels.at(-1);
    if (!level) throw new Error("A statement is always within a level");
    return level;
  }
}

/** The name of a column behind a table's: no word of the language. `1.from` is none. */
function isMember(tokens: readonly Token[], at: number): boolean {
  const [owner, point, name] = [tokens[at - 2], tokens[at - 1], tokens[at]];
  if (point?.text !== "." || !point.adjoins || !name?.adjoins) return false;
  return owner?.kind === "quoted" || (owner?.kind === "word" && !/^\d/.test(owner.text));
}

function levelOf({ call, naming }: Partial<Level>): Level {
  return { call, naming, isInFrom: false, names: new Set() };
}
