/**
 * The statements of one read on a connection of an engine.
 *
 * @module
 */

import type { Row, Run, StatementText } from "@/plugins/contract.ts";
import { readEach, statementOf } from "./connected_database.ts";
import type { EngineSession } from "./engine_session.ts";

/** A statement that the kit has prepared. */
export class EngineStatement {
  constructor(readonly text: StatementText) {}
}

/** The rows of each run. One statement sees one state of the data by itself. */
export function readRuns<Connection>(
  session: EngineSession<Connection>,
  runs: readonly Run[],
  mostRows: number | undefined,
): Promise<Row[][]> {
  session.hasJustWritten = false;
  const [first] = runs;
  if (first && runs.length === 1) return readOne(session, first).then((rows) => [rows]);
  return readTogether(session, runs, mostRows);
}

/** A transaction sees one state of the data, where the engine has transactions. */
async function readTogether<Connection>(
  session: EngineSession<Connection>,
  runs: readonly Run[],
  mostRows: number | undefined,
): Promise<Row[][]> {
  const { transactions } = session.engine;
  await session.run((at) => transactions?.begin(at, "read"));
  try {
    return await readEach(runs, mostRows, (run) => readOne(session, run));
  } finally {
    // The end of a connection ends its transaction.
    if (session.alive) await session.run((at) => transactions?.rollback(at)).catch(() => session.end());
  }
}

function readOne<Connection>(session: EngineSession<Connection>, run: Run): Promise<Row[]> {
  return session.run((at) => {
    const { text } = statementOf(run, EngineStatement);
    session.hasRunQuery ||= text.verb !== undefined;
    return session.engine.query(at, text, run.parameters);
  }).then(({ rows }) => rows as Row[]);
}
