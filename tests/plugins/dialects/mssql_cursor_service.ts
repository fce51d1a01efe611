/**
 * A server whose answers about cursors are those of the documentation.
 *
 * @module
 */

import type { Database, DatabaseDefinition, Row } from "@/plugins/contract.ts";
import { definitionOn, dialect, loginOf } from "./mssql_fixture.ts";
import { type Peer, type Script, SILENCE, startPeer } from "./mssql_peer.ts";
import { columns, done, error, hiddenLast, returnStatus, returnValue, row } from "./mssql_tokens.ts";

const CURSOR = 180_150_003;
/** What a cursor tells of a row: it is there, or it has gone. */
export const PRESENT = 1;
/** See {@link PRESENT}. */
export const MISSING = 2;

const METADATA = [columns("n", "ROWSTAT"), hiddenLast(2)];
/** A cursor has been opened. */
export const OPENED = [
  ...METADATA,
  done("in-proc", 1),
  returnStatus(0),
  returnValue(0, CURSOR),
  returnValue(4, -1),
  done("proc"),
];
/** A cursor has been closed. */
export const CLOSED = [returnStatus(0), done("proc")];
/** What a server says without a cursor. */
const RESULT = [columns("n"), row([7]), row([null]), done("in-proc", 1), returnStatus(0), done("proc")];

/** Rows that have been fetched. */
export function fetched(...rows: readonly Uint8Array[]): readonly Uint8Array[] {
  return [...METADATA, ...rows, done("in-proc", 1), returnStatus(0), done("proc")];
}

/** The last rows, after which the server closes the cursor by itself. */
export function fetchedLast(...rows: readonly Uint8Array[]): readonly Uint8Array[] {
  return [...METADATA, ...rows, done("in-proc", 1), returnStatus(16), done("proc")];
}

/** An error instead of what was asked for. */
export function refused(number: number, message: string): readonly Uint8Array[] {
  return [error(number, message), returnStatus(1), done("proc", 2)];
}

/** What is said to one request. */
export type Answer = readonly Uint8Array[] | typeof SILENCE;

/** Answers the procedures of cursors in their turn, and statements with a result of 7 and NULL. */
export function script(answers: Readonly<Record<string, readonly Answer[]>>): Script {
  const left = new Map(Object.entries(answers).map(([name, each]) => [name, [...each]]));
  let isAsked = false;
  return (request) => {
    const [name = ""] = request.split(" ");
    // The first statement is about the server itself.
    if (name === "sp_executesql") return isAsked ? RESULT : (isAsked = true, undefined);
    return left.get(name)?.shift();
  };
}

/** A database on a server that says what it shall. */
export interface Served extends AsyncDisposable {
  readonly peer: Peer;
  readonly database: Database;
  /** A stream by twos, always of the same statement. */
  stream(signal: AbortSignal): AsyncIterator<readonly Row[]>;
  /** The chunks of such a stream. */
  read(parameters?: readonly unknown[]): Promise<readonly (readonly Row[])[]>;
  /** What the server was asked for since the last time, when the connection is free again. */
  asked(): Promise<readonly string[]>;
}

/** One connection. */
const POOL = { max: 1, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

/** Serves what a script says. */
export async function serve(script: Script, changes: Partial<DatabaseDefinition> = {}): Promise<Served> {
  const peer = await startPeer(script);
  const database = await dialect().connect(
    definitionOn(peer.url, "shop", { pool: POOL, ...changes }),
    loginOf(peer.url),
  );
  const prepared = database.prepare({
    sql: "select n from t",
    columns: [{ type: "integer", declaredType: "int" }],
  });
  let from = peer.requests.length;
  return {
    peer,
    database,
    stream: (signal) =>
      database.stream({ prepared, parameters: [] }, { signal, fetchSize: 2 })[Symbol.asyncIterator](),
    read: (parameters = []) => {
      const { signal } = new AbortController();
      return Array.fromAsync(database.stream({ prepared, parameters }, { signal, fetchSize: 2 }));
    },
    async asked() {
      await database.check();
      const asked = peer.requests.slice(from, -1);
      from = peer.requests.length;
      return asked;
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}

/** What is asked for around a stream by twos. */
export const ROLLBACK = "batch if @@trancount > 0 rollback transaction";
/** See {@link ROLLBACK}. */
export const OPEN = "sp_cursoropen 0";
/** See {@link ROLLBACK}. */
export const FETCH = `sp_cursorfetch ${CURSOR} 2 0 2`;
/** See {@link ROLLBACK}. */
export const CLOSE = `sp_cursorclose ${CURSOR}`;
