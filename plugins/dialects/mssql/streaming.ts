/**
 * Rows in chunks as the server sends them. While enough of them wait to be read, the connection is not read, so the server
 * waits.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { bounded, type Limits } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { RowQueue } from "@/plugins/kit/row_queue.ts";
import { requireUnchanged, undo } from "./reading.ts";
import type { Running } from "./running.ts";
import type { Isolation, Session } from "./session.ts";
import type { MssqlStatement } from "./statement.ts";

/** One stream with the requirements on its session. */
export interface StreamPlan {
  readonly statement: MssqlStatement;
  readonly parameters: readonly unknown[];
  readonly fetchSize: number;
  /** Limits of the statement and of each chunk. */
  readonly limits: Limits;
  /** The isolation level of readers. */
  readonly reading: Isolation;
  /** The statement certainly writes nothing; otherwise it is undone at its end. */
  readonly isSure: boolean;
  /** Limits of the work at the end, whatever ended the stream. */
  readonly ending: Limits;
  /** Gives the session back. */
  release(): void;
}

/** The session is given back when the statement ends, which may be long before a resting reader asks again. */
export async function* readChunks(session: Session, plan: StreamPlan): AsyncGenerator<readonly Row[]> {
  const { rows, running } = await begin(session, plan);
  const cancel = (reason: unknown) => running.cancel(reason);
  const expired = () => new DatabaseFailure("timeout", "The statement took too long to give its next rows");
  try {
    while (!rows.isDone) {
      const chunk = await bounded(rows.next(), { seconds: plan.limits.seconds, expired, giveUp: cancel });
      if (chunk.length > 0) yield chunk;
    }
  } finally {
    cancel(new DatabaseFailure("unavailable", "The stream has been left"));
    await running.finished.catch(() => {});
  }
}

interface Begun {
  readonly rows: RowQueue<Row>;
  readonly running: Running;
}

async function begin(session: Session, plan: StreamPlan): Promise<Begun> {
  const { statement, parameters, fetchSize, limits, reading, isSure } = plan;
  const finish = async () => {
    if (!isSure) await undo(session, plan.ending);
    plan.release();
  };
  try {
    if (isSure) await session.isolate(reading, limits);
    else await session.begin(reading, limits);
    const driver = { pause: () => running.pause(), resume: () => running.resume() };
    const rows = new RowQueue<Row>(fetchSize, driver);
    // Each chunk has its own limit.
    const running: Running = session.start(
      statement.command(parameters),
      { ...limits, seconds: 0 },
      (cells) => {
        rows.push(statement.decode(cells));
      },
    );
    running.finished.then((changes) => requireUnchanged(statement, changes)).then(
      () => rows.end(),
      (error) => rows.fail(error),
    );
    running.finished.then(finish, finish);
    return { rows, running };
  } catch (error) {
    await finish();
    throw error;
  }
}
