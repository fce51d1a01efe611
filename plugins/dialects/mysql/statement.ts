/**
 * A statement that is kept: its text, and how its values are decoded. Each connection prepares it when it first runs it.
 *
 * @module
 */

import type { Row, StatementText } from "@/plugins/contract.ts";
import { Decoder } from "./decode.ts";
import type { Answer } from "./answer.ts";

/** First words of what servers open cursors for. */
const QUERIES: ReadonlySet<string> = new Set(["SELECT", "WITH", "VALUES", "TABLE"]);
/** Servers refuse a cursor for what `SELECT … INTO` puts elsewhere. */
const INTO = /\binto\b/i;

export class MysqlStatement {
  readonly sql: string;
  readonly decoder: Decoder;
  /** Its rows can wait on the server; those of SHOW, EXPLAIN or CALL cannot. */
  readonly hasCursor: boolean;
  /** It may leave something behind in its session: what people wrote calls functions that other people wrote. */
  readonly leavesTraces: boolean;

  constructor({ sql, columns, verb, runsCode = false }: StatementText) {
    this.sql = sql;
    this.hasCursor = verb === undefined || (QUERIES.has(verb) && !INTO.test(sql));
    this.leavesTraces = verb !== undefined || runsCode;
    this.decoder = new Decoder(columns);
  }

  /** The rows of an answer; none of what has none. */
  rowsOf(answer: Answer): Row[] {
    return "rows" in answer ? this.decoder.decode(answer.rows, answer.fields) : [];
  }
}
