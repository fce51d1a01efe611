/**
 * Begins a stream of rows on a session: from a cursor, or where the statement can have none, or shall not, from the result as
 * the server makes it.
 *
 * @module
 */

import { Cursor, isCursorless } from "./cursor.ts";
import { MAX_CURSOR_PARAMETERS, withParameter } from "./cursor_calls.ts";
import { boundsOfFetch, CursorChunks } from "./cursor_chunks.ts";
import type { Facts } from "./facts.ts";
import { requireUnchanged, undo } from "./reading.ts";
import type { Bounds } from "./running.ts";
import type { Session } from "./session.ts";
import type { Command, MssqlStatement } from "./statement.ts";
import { Chunks, type RowChunks } from "./streaming.ts";

/** One stream, and what its session is like. */
export interface StreamPlan {
  readonly statement: MssqlStatement;
  readonly command: Command;
  readonly fetchSize: number;
  /** Of the statement and of each chunk. */
  readonly bounds: Bounds;
  readonly facts: Facts;
  /** The statement certainly writes nothing; else it is undone when it has ended. */
  readonly isSure: boolean;
  /** Statements may have cursors. */
  readonly cursors: boolean;
  /** Of what has to be done at the end, whatever ended the stream. */
  readonly ending: Bounds;
  /** Gives the session back. */
  release(): void;
}

/** The session is given back when the stream has ended, whether or not anybody reads to the end. */
export async function openChunks(session: Session, plan: StreamPlan): Promise<RowChunks> {
  const chunks = mayHaveCursor(plan) ? await openCursor(session, plan) : undefined;
  return chunks ?? await openResult(session, plan);
}

function mayHaveCursor({ cursors, isSure, statement, command }: StreamPlan): boolean {
  return cursors && isSure && !statement.isCursorless && command.parameters.length <= MAX_CURSOR_PARAMETERS;
}

/**
 * Each fetch is a statement of its own, so that only a transaction sees one state of the data. Undefined: the statement can
 * have no cursor, and the session is as it was.
 */
async function openCursor(session: Session, plan: StreamPlan): Promise<RowChunks | undefined> {
  const { statement, fetchSize, bounds } = plan;
  let cursor: Cursor | undefined;
  try {
    await session.begin(plan.facts.reading, bounds);
    const command = plan.facts.isBabelfish ? withParameter(plan.command) : plan.command;
    cursor = await Cursor.open(session, { statement, command }, bounds);
    const first = await cursor.fetch(fetchSize, boundsOfFetch(bounds));
    const opened = cursor;
    const finish = async () => {
      await leave(session, plan, opened);
      plan.release();
    };
    return new CursorChunks({ cursor, first, fetchSize, bounds, finish });
  } catch (error) {
    await leave(session, plan, cursor);
    if (!isCursorless(error)) {
      plan.release();
      throw error;
    }
    statement.isCursorless = true;
    return undefined;
  }
}

/** A cursor outlives its transaction. What cannot be closed is given up together with its connection. */
async function leave(session: Session, { ending }: StreamPlan, cursor: Cursor | undefined): Promise<void> {
  try {
    if (session.isOpen) await cursor?.close(ending);
  } catch {
    session.close();
  }
  await undo(session, ending);
}

async function openResult(session: Session, plan: StreamPlan): Promise<RowChunks> {
  const { statement, command, fetchSize, bounds, facts: { reading }, isSure } = plan;
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
    const chunks = new Chunks({
      fetchSize,
      limit: bounds.limit,
      decode: statement.decode,
      requireUnchanged: (changes) => requireUnchanged(statement, changes),
      start,
    });
    chunks.finished.then(finish, finish);
    return chunks;
  } catch (error) {
    await finish();
    throw error;
  }
}
