/**
 * Reads on one session: several statements read the same data if the database has snapshots, and nothing is written.
 *
 * @module
 */

import type { Row, Run } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { statementOf } from "@/plugins/kit/connected_database.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { Isolation, Session } from "./session.ts";
import { MssqlStatement } from "./statement.ts";

/** The rows of each run, `mostRows` in total. `ending` limits the end of the transaction, if there is one. */
export async function readAll(
  session: Session,
  runs: readonly Run[],
  { mostRows, reading, limits, ending }: {
    readonly mostRows: number | undefined;
    readonly reading: Isolation;
    readonly limits: Limits;
    readonly ending: Limits;
  },
): Promise<Row[][]> {
  const isSure = runs.map((run) => requireReading(statementOf(run, MssqlStatement))).every((each) => each);
  if (isSure && (runs.length === 1 || reading !== "SNAPSHOT")) {
    await session.isolate(reading, limits);
    return await readEach(session, runs, { mostRows, limits });
  }
  await session.begin(reading, limits);
  try {
    return await readEach(session, runs, { mostRows, limits });
  } finally {
    await undo(session, ending);
  }
}

/** Throws if a procedure has changed rows: that is rolled back, so the caller must not assume success. */
export function requireUnchanged({ effect }: MssqlStatement, changes: number): void {
  if (effect !== "reads" && changes > 0) throw readOnly();
}

function readOnly(): DatabaseFailure {
  return new DatabaseFailure("read-only", "A statement that reads cannot write");
}

/** Whether a statement certainly writes nothing. Throws for one that certainly writes. */
export function requireReading(statement: MssqlStatement): boolean {
  if (statement.effect !== "writes") return statement.effect === "reads";
  throw readOnly();
}

/** Ends a transaction without keeping changes. If it cannot be rolled back, the connection is closed. */
export async function undo(session: Session, limits: Limits): Promise<void> {
  try {
    if (session.alive) await session.rollback(limits);
  } catch {
    session.close();
  }
}

async function readEach(
  session: Session,
  runs: readonly Run[],
  { mostRows = Infinity, limits }: { readonly mostRows: number | undefined; readonly limits: Limits },
): Promise<Row[][]> {
  const results: Row[][] = [];
  let count = 0;
  for (const run of runs) {
    const rows = count > mostRows ? [] : await readOne(session, run, limits);
    count += rows.length;
    results.push(rows);
  }
  return results;
}

async function readOne(session: Session, run: Run, limits: Limits): Promise<Row[]> {
  const statement = statementOf(run, MssqlStatement);
  const rows: Row[] = [];
  if (statement.isEmpty(run.parameters)) return rows;
  const { decode } = statement;
  const command = statement.command(run.parameters);
  requireUnchanged(
    statement,
    await session.start(command, limits, (cells) => rows.push(decode(cells))).finished,
  );
  return rows;
}
