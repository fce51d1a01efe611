/**
 * A statement that is kept: its text, and how its values are decoded. Each connection prepares it when it first runs it.
 *
 * @module
 */

import type { Row, StatementText } from "@/plugins/contract.ts";
import { Decoder } from "./decode.ts";
import { type KnownCode, runsNoCode } from "./statement_code.ts";
import type { Answer } from "./answer.ts";

/** First words of statements that only read. */
const QUERIES: ReadonlySet<string> = new Set(["SELECT", "WITH", "VALUES", "TABLE"]);

/** What is known of a statement before it runs; the same for all connections. */
export class MysqlStatement {
  readonly sql: string;
  readonly decoder: Decoder;
  readonly #text: StatementText;
  /** Whether it may leave something behind, as far as was known then. */
  #judged: { readonly clear: KnownCode["clear"]; readonly isClear: boolean } | undefined;

  constructor(text: StatementText) {
    const { sql, columns } = text;
    this.#text = text;
    this.sql = sql;
    this.decoder = new Decoder(columns);
  }

  /** Whether it may have left something behind in its session: functions that people wrote can. */
  leavesTraces(known: KnownCode): boolean {
    const { sql, verb, runsCode = false } = this.#text;
    if (verb === undefined || runsCode) return runsCode;
    if (this.#judged?.clear !== known.clear) {
      this.#judged = { clear: known.clear, isClear: QUERIES.has(verb) && runsNoCode(sql, known) };
    }
    return !this.#judged.isClear;
  }

  /** The rows of an answer; none of what has none. */
  rowsOf(answer: Answer): Row[] {
    return "rows" in answer ? this.decoder.decode(answer.rows, answer.fields) : [];
  }
}
