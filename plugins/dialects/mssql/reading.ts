/**
 * Reads on one session: several statements read the same data if the database has snapshots, and nothing is
 * written. The rows of a stream come in chunks as the server sends them; while enough of them wait, the
 * connection is not read, so the server waits.
 *
 * @module
 */

import type { Row, Run } from "@/plugins/contract.ts";
import { bounded, type Limits } from "@/plugins/kit/bounded.ts";
import { readEach, statementOf } from "@/plugins/kit/connected_database.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { RowQueue } from "@/plugins/kit/row_queue.ts";
import type { OnRow, Running } from "./running.ts";
import type { Isolation, Session } from "./session.ts";
import { MssqlStatement } from "./statement.ts";

/** The isolation of readers, and the limits of each statement. */
export interface Reading {
  readonly reading: Isolation;
  readonly limits: Limits;
  /** Limits of the work at the end, even if its request was cancelled. */
  readonly ending: Limits;
}

/** The rows of each run, `mostRows` in total. */
export async function readAll(
  session: Session,
  runs: readonly Run[],
  mostRows: number | undefined,
  { reading, limits, ending }: Reading,
): Promise<Row[][]> {
  const read = (run: Run) => readOne(session, run, limits);
  const isSure = runs.map((run) => certainlyReads(statementOf(run, MssqlStatement))).every((each) => each);
  if (isSure && (runs.length === 1 || reading !== "SNAPSHOT")) {
    await session.isolate(reading, limits);
    return await readEach(runs, mostRows, read);
  }
  await session.begin(reading, limits);
  try {
    return await readEach(runs, mostRows, read);
  } finally {
    await undo(session, ending);
  }
}

/** Throws if a procedure has changed rows: that is rolled back, so the caller must not assume success. */
function requireUnchanged({ effect }: MssqlStatement, changes: number): void {
  if (effect !== "reads" && changes > 0) throw readOnly();
}

function readOnly(): DatabaseFailure {
  return new DatabaseFailure("read-only", "A statement that reads cannot write");
}

/** Whether a statement certainly writes nothing. Throws for one that certainly writes. */
export function certainlyReads(statement: MssqlStatement): boolean {
  if (statement.effect !== "writes") return statement.effect === "reads";
  throw readOnly();
}

/** Ends a transaction without keeping changes. If it cannot be rolled back, the connection is closed. */
async function undo(session: Session, limits: Limits): Promise<void> {
  try {
    if (session.alive) await session.rollback(limits);
  } catch {
    void session.end();
  }
}

async function readOne(session: Session, run: Run, limits: Limits): Promise<Row[]> {
  const statement = statementOf(run, MssqlStatement);
  const rows: Row[] = [];
  if (statement.isEmpty(run.parameters)) return rows;
  const running = session.start(statement.command(run.parameters), limits, (cells) => {
    rows.push(statement.decode(cells));
  });
  requireUnchanged(statement, await running.finished);
  return rows;
}

/** One stream of a statement that does not certainly write. */
interface Stream {
  readonly statement: MssqlStatement;
  readonly parameters: readonly unknown[];
  readonly fetchSize: number;
}

/**
 * The session is given back when the statement ends, which may be long before a resting reader asks again.
 */
export async function* readChunks(
  session: Session,
  stream: Stream,
  options: Reading & { release(): void },
): AsyncGenerator<readonly Row[]> {
  const { rows, running } = await begin(session, stream, options);
  const { seconds } = options.limits;
  const cancel = (reason: unknown) => running.cancel(reason);
  const expired = () => new DatabaseFailure("timeout", "The statement took too long to give its next rows");
  try {
    while (!rows.isDone) {
      const chunk = await bounded(rows.next(), { seconds, expired, giveUp: cancel });
      if (chunk.length > 0) yield chunk;
    }
  } finally {
    cancel(new DatabaseFailure("unavailable", "The stream has been left"));
    await running.finished.catch(() => {});
  }
}

async function begin(
  session: Session,
  { statement, parameters, fetchSize }: Stream,
  { reading, limits, ending, release }: Reading & { release(): void },
): Promise<{ readonly rows: RowQueue<Row>; readonly running: Running }> {
  const isSure = statement.effect === "reads";
  const finish = async () => {
    if (!isSure) await undo(session, ending);
    release();
  };
  try {
    if (isSure) await session.isolate(reading, limits);
    else await session.begin(reading, limits);
    const rows = new RowQueue<Row>(fetchSize, {
      pause: () => running.pause(),
      resume: () => running.resume(),
    });
    const add: OnRow = (cells) => rows.push(statement.decode(cells));
    // Each chunk has its own limit.
    const running = session.start(statement.command(parameters), { ...limits, seconds: 0 }, add);
    running.finished.then((changes) => requireUnchanged(statement, changes))
      .then(() => rows.end(), (error) => rows.fail(error));
    running.finished.then(finish, finish);
    return { rows, running };
  } catch (error) {
    await finish();
    throw error;
  }
}
