/**
 * Reads on one session: several statements see the same data where the database has snapshots, and nothing is written.
 *
 * @module
 */

import type { Row, Run } from "@/plugins/contract.ts";
import { MssqlFailure } from "./failures.ts";
import type { Bounds } from "./running.ts";
import type { Isolation, Session } from "./session.ts";
import { MssqlStatement } from "./statement.ts";

/** The rows of each run, `mostRows` of all together. `ending` bounds the end of the transaction, where there is one. */
export async function readAll(
  session: Session,
  runs: readonly Run[],
  { mostRows, reading, bounds, ending }: {
    readonly mostRows: number | undefined;
    readonly reading: Isolation;
    readonly bounds: Bounds;
    readonly ending: Bounds;
  },
): Promise<Row[][]> {
  const isSure = runs.map((run) => requireReading(statementOf(run))).every((each) => each);
  if (isSure && (runs.length === 1 || reading !== "SNAPSHOT")) {
    await session.isolate(reading, bounds);
    return await readEach(session, runs, { mostRows, bounds });
  }
  await session.begin(reading, bounds);
  try {
    return await readEach(session, runs, { mostRows, bounds });
  } finally {
    await undo(session, ending);
  }
}

/** Throws where a procedure has changed rows: that is rolled back, so the caller must not take it for done. */
export function requireUnchanged({ effect }: MssqlStatement, changes: number): void {
  if (effect !== "reads" && changes > 0) throw readOnly();
}

function readOnly(): MssqlFailure {
  return new MssqlFailure("read-only", "A statement that reads cannot write");
}

/** Whether a statement certainly writes nothing. Throws where it is one that does. */
export function requireReading(statement: MssqlStatement): boolean {
  if (statement.effect !== "writes") return statement.effect === "reads";
  throw readOnly();
}

/** Ends a transaction without keeping anything. What cannot be rolled back is given up together with its connection. */
export async function undo(session: Session, bounds: Bounds): Promise<void> {
  try {
    if (session.isOpen) await session.rollback(bounds);
  } catch {
    session.close();
  }
}

/** Throws a TypeError for a statement that another dialect has prepared. */
export function statementOf(run: Run): MssqlStatement {
  if (run.prepared instanceof MssqlStatement) return run.prepared;
  throw new TypeError("The statement was not prepared by this dialect");
}

async function readEach(
  session: Session,
  runs: readonly Run[],
  { mostRows = Infinity, bounds }: { readonly mostRows: number | undefined; readonly bounds: Bounds },
): Promise<Row[][]> {
  const results: Row[][] = [];
  let count = 0;
  for (const run of runs) {
    const rows = count > mostRows ? [] : await readOne(session, run, bounds);
    count += rows.length;
    results.push(rows);
  }
  return results;
}

async function readOne(session: Session, run: Run, bounds: Bounds): Promise<Row[]> {
  const statement = statementOf(run);
  const rows: Row[] = [];
  if (statement.isEmpty(run.parameters)) return rows;
  const { decode } = statement;
  const command = statement.command(run.parameters);
  requireUnchanged(
    statement,
    await session.start(command, bounds, (cells) => rows.push(decode(cells))).finished,
  );
  return rows;
}
