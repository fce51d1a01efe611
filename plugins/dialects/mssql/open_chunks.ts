/**
 * Begins a stream of rows on a session.
 *
 * @module
 */

import type { RowDecoder } from "./decode.ts";
import { undo } from "./reading.ts";
import type { Bounds } from "./running.ts";
import type { Isolation, Session } from "./session.ts";
import type { Command } from "./statement.ts";
import { Chunks } from "./streaming.ts";

export interface StreamPlan {
  readonly command: Command;
  readonly decode: RowDecoder;
  readonly fetchSize: number;
  readonly bounds: Bounds;
  readonly reading: Isolation;
  /** The statement certainly writes nothing; else it is undone when it has ended. */
  readonly isSure: boolean;
  readonly ending: Bounds;
  /** Gives the session back. */
  release(): void;
}

/** The session is given back when the statement has ended, whether or not anybody reads to the end. */
export async function openChunks(session: Session, plan: StreamPlan): Promise<Chunks> {
  const { command, decode, fetchSize, bounds, reading, isSure } = plan;
  const finish = async () => {
    if (!isSure) await undo(session, plan.ending);
    plan.release();
  };
  try {
    if (isSure) await session.isolate(reading, bounds);
    else await session.begin(reading, bounds);
    // Each chunk has a limit of its own.
    const start = (onRow: Parameters<Session["start"]>[2]) =>
      session.start(command, { ...bounds, limit: 0 }, onRow);
    const chunks = new Chunks({ fetchSize, limit: bounds.limit, decode, start });
    chunks.finished.then(finish, finish);
    return chunks;
  } catch (error) {
    await finish();
    throw error;
  }
}
