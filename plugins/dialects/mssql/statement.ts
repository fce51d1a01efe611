/**
 * A statement that is kept: its text in pieces between the parameters, and how its rows are decoded. The server keeps
 * plans by text.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";
import { type Bound, guess } from "./bound.ts";
import { compileDecoder, type RowDecoder } from "./decode.ts";
import { type Effect, effectOf } from "./effects.ts";

/** What is sent: the text with its parameters in order. */
export interface Command {
  readonly sql: string;
  readonly parameters: readonly Bound[];
  /** Of several results only the first one is wanted. */
  readonly firstOnly?: boolean;
}

export class MssqlStatement {
  readonly decode: RowDecoder;
  /** People wrote it. */
  readonly isWritten: boolean;
  /** What a procedure is given is converted by itself, and may be no expression. */
  readonly #isCall: boolean;
  readonly #text: string;
  readonly #limitAt: number | undefined;
  #pieces: readonly Piece[] | undefined;
  #effect: Effect | undefined;

  constructor({ sql, columns, limitAt, verb }: StatementText) {
    this.isWritten = verb !== undefined;
    this.#isCall = verb === "EXEC" || verb === "EXECUTE";
    this.#text = sql;
    this.#limitAt = limitAt;
    this.decode = compileDecoder(columns);
  }

  get effect(): Effect {
    return this.#effect ??= effectOf(this.#text);
  }

  /** What puts the session back where the statement has failed before it did so itself. */
  get remedy(): string | undefined {
    const [, table] = /^set identity_insert (.+?) on; /.exec(this.#text) ?? [];
    return table === undefined ? undefined : `set identity_insert ${table} off`;
  }

  /** A page of no rows: the server refuses to fetch none. */
  isEmpty(values: readonly unknown[]): boolean {
    return this.#limitAt !== undefined && Number(values[this.#limitAt]) === 0;
  }

  /** The text with the casts that these values need. */
  command(values: readonly unknown[]): Command {
    const parameters = values.map(guess);
    const firstOnly = this.isWritten;
    const isPlain = this.#isCall || parameters.every(({ cast }) => cast === undefined);
    if (isPlain) return { sql: this.#text, parameters, firstOnly };
    this.#pieces ??= splitAtParameters(this.#text);
    const sql = this.#pieces.map((piece) => written(piece, parameters)).join("");
    return { sql, parameters, firstOnly };
  }
}

/** Text as it stands, or the number of a parameter. */
type Piece = string | number;

/** Names, strings and comments stand as they are; a parameter is `@1`. */
const TOKENS = /"(?:[^"]|"")*"|\[(?:[^\]]|\]\])*\]|'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\/|@@?[\w$#@]+/g;

/** Splits a text where it has a parameter. */
export function splitAtParameters(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const [, number] = /^@(\d+)$/.exec(token) ?? [];
    if (number === undefined) continue;
    pieces.push(text.slice(from, index), Number(number));
    from = index + token.length;
  }
  return [...pieces, text.slice(from)];
}

function written(piece: Piece, parameters: readonly Bound[]): string {
  if (typeof piece === "string") return piece;
  const cast = parameters[piece - 1]?.cast;
  return cast === undefined ? `@${piece}` : `cast(@${piece} as ${cast})`;
}
