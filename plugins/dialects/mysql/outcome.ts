/**
 * Converts the answer to a statement of a transaction.
 *
 * @module
 */

import type { Outcome } from "@/plugins/contract.ts";
import type { Answer } from "./answer.ts";
import type { MysqlStatement } from "./statement.ts";

const WRITING = /^\s*(insert|replace|update|delete)\b/i;

/**
 * Returned rows count as changed. A server without `RETURNING` reports the first key that it counted up: it reserves the
 * keys of one INSERT together, so the others follow in steps, whatever other clients insert.
 */
export function outcomeOf(statement: MysqlStatement, answer: Answer, identityStep: number): Outcome {
  if ("rows" in answer) {
    const rows = statement.rowsOf(answer);
    return { rows, changes: WRITING.test(statement.sql) ? rows.length : 0 };
  }
  const { affectedRows, insertId } = answer.header;
  const firstIdentity = BigInt(insertId);
  const identity = firstIdentity > 0n ? { firstIdentity, identityStep } : {};
  return { rows: [], changes: affectedRows, ...identity };
}
