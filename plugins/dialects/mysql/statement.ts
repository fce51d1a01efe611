/**
 * A cached statement: its text and its decoder. Each connection prepares it on its first run there.
 *
 * @module
 */

import type { Row, StatementText } from "@/plugins/contract.ts";
import { Decoder } from "./decode.ts";
import type { Answer } from "./answer.ts";

/** The facts about a statement before it runs, the same for all connections. */
export class MysqlStatement {
  readonly sql: string;
  readonly decoder: Decoder;
  /** True for a saved query, which may change its session: the session is reset before others get it. */
  readonly isWritten: boolean;

  constructor({ sql, columns, verb }: StatementText) {
    this.sql = sql;
    this.decoder = new Decoder(columns);
    this.isWritten = verb !== undefined;
  }

  /** The rows of an answer; empty without rows. */
  rowsOf(answer: Answer): Row[] {
    return "rows" in answer ? this.decoder.decode(answer.rows, answer.fields) : [];
  }
}
