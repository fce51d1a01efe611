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
import { sentName } from "./parameter_names.ts";
import { tokensOf } from "./tokens.ts";

/** What is sent: the text with its parameters in order. */
export interface Command {
  readonly sql: string;
  readonly parameters: readonly Bound[];
  /** A saved query: only its first result is wanted, and its session is reset afterwards. */
  readonly isWritten?: boolean;
}

/** What is known of a statement before it runs; the same for all connections. */
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

  /** The text with the parameters' names, and the casts that these values need. */
  command(values: readonly unknown[]): Command {
    const parameters = values.map(guess);
    this.#pieces ??= splitAtParameters(this.#text);
    const casts = this.#isCall ? [] : parameters;
    const sql = this.#pieces.map((piece) => written(piece, casts)).join("");
    return { sql, parameters, isWritten: this.isWritten };
  }
}

/** Text as it stands, or the number of a parameter. */
type Piece = string | number;

/** Splits a text where it has a parameter. Names, strings and comments stand as they are; a parameter is `@1`. */
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
