/**
 * A statement that is kept: its text, and how its values are decoded. Each connection prepares it when it first runs it.
 *
 * @module
 */

import type { Row, StatementText } from "@/plugins/contract.ts";
import { Decoder } from "./decode.ts";
import type { Answer } from "./answer.ts";

/** What is known of a statement before it runs; the same for all connections. */
export class MysqlStatement {
  readonly sql: string;
  readonly decoder: Decoder;
  /** True for a saved query, which may change its session: others get the session after it is renewed. */
  readonly isWritten: boolean;

  constructor({ sql, columns, verb }: StatementText) {
    this.sql = sql;
    this.decoder = new Decoder(columns);
    this.isWritten = verb !== undefined;
  }

  /** The rows of an answer; none of what has none. */
  rowsOf(answer: Answer): Row[] {
    return "rows" in answer ? this.decoder.decode(answer.rows, answer.fields) : [];
  }
}
