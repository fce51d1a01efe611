/**
 * Describes a saved query's statement: the server prepares it without running it.
 *
 * @module
 */

import type { StatementDescription, WrittenStatement } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { Field } from "./driver.ts";
import { classify, numberOf } from "./failures.ts";
import { resultColumnOf } from "./result_columns.ts";
import type { Session } from "./session.ts";

/**
 * The results of procedures, and on MariaDB those of `RETURNING`, SHOW and EXPLAIN, are known only after they have run.
 */
export async function describeStatement(
  session: Session,
  { sql, verb }: WrittenStatement,
): Promise<StatementDescription> {
  const fields = await prepare(session, sql);
  return verb === "CALL" || fields.length === 0 ? {} : { columns: fields.map(resultColumnOf) };
}

/** Sessions are read-only, and refuse even to prepare a statement that writes. */
async function prepare(session: Session, sql: string): Promise<readonly Field[]> {
  await session.command("START TRANSACTION READ WRITE");
  try {
    return await session.describe(sql).catch(refuse);
  } finally {
    // A lost connection has ended its transaction.
    if (session.alive) await session.command("ROLLBACK");
  }
}

/** Failures that do not concern the statement itself. */
const OTHERS: ReadonlySet<string | undefined> = new Set([
  "login",
  "permission",
  "timeout",
  "unavailable",
  "contention",
]);

function refuse(error: unknown): never {
  if (numberOf(error) === 0 || OTHERS.has(classify(error)) || !(error instanceof Error)) throw error;
  throw new DatabaseFailure("invalid", error.message, { cause: error });
}
