/**
 * What a statement that people wrote gives: the server prepares it and does not run it.
 *
 * @module
 */

import type { StatementDescription, WrittenStatement } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { Field } from "./driver.ts";
import { classify, numberOf } from "./failures.ts";
import { resultColumnOf } from "./result_columns.ts";
import type { Session } from "./session.ts";

/** Of procedures only running tells what they give, and on MariaDB of `RETURNING`, SHOW and EXPLAIN. */
export async function describeStatement(
  session: Session,
  { sql, verb }: WrittenStatement,
): Promise<StatementDescription> {
  const fields = await prepare(session, sql);
  return verb === "CALL" || fields.length === 0 ? {} : { columns: fields.map(resultColumnOf) };
}

/** Sessions only read, and what would write is refused there even before it is run. */
async function prepare(session: Session, sql: string): Promise<readonly Field[]> {
  await session.command("START TRANSACTION READ WRITE");
  try {
    return await session.describe(sql).catch(refuse);
  } finally {
    // What is lost needs no end.
    if (session.alive) await session.command("ROLLBACK");
  }
}

/** What is no matter of the statement itself. */
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
