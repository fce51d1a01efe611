/**
 * What a statement of a transaction did.
 *
 * @module
 */

import type { Outcome } from "@/plugins/contract.ts";
import type { Answer } from "./answer.ts";
import type { MysqlStatement } from "./statement.ts";

const WRITING = /^\s*(insert|replace|update|delete)\b/i;

/**
 * Rows that a statement gives back count as changed. A server without `RETURNING` tells the first key that it counted up:
 * for the rows of one INSERT it takes them all at once, so the others follow in steps, whatever other clients insert.
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
