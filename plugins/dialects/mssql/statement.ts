/**
 * A cached statement: its text in pieces between the parameters, and its decoder. The server caches plans by text.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";
import { type Bound, guess, sentName } from "./bound.ts";
import { compileDecoder, type RowDecoder } from "./decode.ts";
import { type Effect, effectOf, tokensOf } from "./effects.ts";

/** The text and its parameters in order. */
export interface Command {
  readonly sql: string;
  readonly parameters: readonly Bound[];
  /** A saved query: only its first result is read, and its session is reset afterwards. */
  readonly isWritten?: boolean;
}

/** The facts about a statement before it runs, the same for all connections. */
export class MssqlStatement {
  readonly decode: RowDecoder;
  /** True for a saved query. */
  readonly isWritten: boolean;
  /** Arguments of a procedure call are converted implicitly, and must not be expressions. */
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

  /** Resets the session if the statement fails before it has done so itself. */
  get remedy(): string | undefined {
    const [, table] = /^set identity_insert (.+?) on; /.exec(this.#text) ?? [];
    return table === undefined ? undefined : `set identity_insert ${table} off`;
  }

  /** A page of zero rows, which the server refuses to fetch. */
  isEmpty(values: readonly unknown[]): boolean {
    return this.#limitAt !== undefined && Number(values[this.#limitAt]) === 0;
  }

  /** The text with the parameters' names, and the casts that these values need. */
  command(values: readonly unknown[]): Command {
    const parameters = values.map(guess);
    this.#pieces ??= splitAtParameters(this.#text);
    const casts = this.#isCall ? [] : parameters;
    const sql = this.#pieces.map((piece) => written(piece, casts)).join("");
    return { sql, parameters, isWritten: this.isWritten };
  }
}

/** Plain text, or the number of a parameter. */
type Piece = string | number;

/** Splits a text at its parameters. Names, strings and comments stay whole; a parameter is `@1`. */
export function splitAtParameters(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const token of tokensOf(text)) {
    const [, number] = /^@(\d+)$/.exec(token.text) ?? [];
    if (number === undefined) continue;
    pieces.push(text.slice(from, token.index), Number(number));
    from = token.index + token.text.length;
  }
  return [...pieces, text.slice(from)];
}

function written(piece: Piece, parameters: readonly Bound[]): string {
  if (typeof piece === "string") return piece;
  const cast = parameters[piece - 1]?.cast;
  const name = `@${sentName(piece)}`;
  return cast === undefined ? name : `cast(${name} as ${cast})`;
}
