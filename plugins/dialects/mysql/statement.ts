/**
 * A statement that is kept: its text, and how its values are decoded. Each connection prepares it when it first runs it.
 *
 * @module
 */

import type { Row, StatementText } from "@/plugins/contract.ts";
import { Decoder } from "./decode.ts";
import type { Answer } from "./session.ts";

export class MysqlStatement {
  readonly sql: string;
  readonly decoder: Decoder;

  constructor({ sql, columns }: StatementText) {
    this.sql = sql;
    this.decoder = new Decoder(columns);
  }

  /** The rows of an answer; none of what has none. */
  rowsOf(answer: Answer): Row[] {
    return "rows" in answer ? this.decoder.decode(answer.rows, answer.fields) : [];
  }
}
