/**
 * An engine of a few lines whose statements are words: `count 5 by 2` has five rows in portions of two,
 * `hang` never ends by itself, `fail WORD` fails as this failure. It notes what is asked of it.
 *
 * @module
 */

import type { Database, Engine, Failure, PoolSettings, Row, StatementText } from "@/plugins/contract.ts";
import { dialectKit } from "@/plugins/kit/dialect_kit.ts";
import { hostOf } from "@/tests/support/databases/plain_definition.ts";

/** One connection: a number, and the end of the statement that hangs. */
export interface TinyConnection {
  readonly id: number;
  isLost: boolean;
  end?: (error: Error) => void;
}

/** An error of the engine. */
class TinyError extends Error {
  constructor(readonly failure: Failure) {
    super(`the engine says ${failure}`);
  }
}

/** The kit's database of such an engine, and what was asked of it in turn. */
export interface TinyPlace extends AsyncDisposable {
  readonly database: Database;
  readonly asked: string[];
  readonly connections: readonly TinyConnection[];
  readonly log: readonly string[];
}

/** Connects. `changes` replaces functions of the engine. */
export async function connectTiny(
  changes: Partial<Engine<TinyConnection>> = {},
  settings: Partial<PoolSettings> = {},
): Promise<TinyPlace> {
  const asked: string[] = [];
  const connections: TinyConnection[] = [];
  const log: string[] = [];
  const engine = { ...engineOf(asked, connections), ...changes };
  const pool = { max: 2, idleTimeout: 60, acquireTimeout: 5, statementTimeout: 30, ...settings };
  const login = { dbuser: "", dbpass: "" };
  const { signal } = new AbortController();
  const database = await dialectKit(hostOf(log).log).connect(engine, { pool, login, signal });
  return {
    database,
    asked,
    connections,
    log,
    [Symbol.asyncDispose]: async () => await database[Symbol.asyncDispose](),
  };
}

function engineOf(asked: string[], connections: TinyConnection[]): Engine<TinyConnection> {
  const note = ({ id }: TinyConnection, word: string) => void asked.push(`${id} ${word}`);
  return {
    sql: {} as Engine<TinyConnection>["sql"],
    open() {
      const connection = { id: connections.length + 1, isLost: false };
      connections.push(connection);
      note(connection, "open");
      return connection;
    },
    close: (connection, reason) => note(connection, reason === undefined ? "close" : "stop"),
    async query(connection, { sql }) {
      note(connection, sql);
      if (connection.isLost) throw new TinyError("unavailable");
      return { rows: await rowsOf(connection, sql), changes: 0 };
    },
    async *cursor(connection, { sql }) {
      note(connection, `stream ${sql}`);
      const [, , , size = "1"] = sql.split(" ");
      const rows = await rowsOf(connection, sql);
      try {
        for (let from = 0; from < rows.length; from += Number(size)) {
          yield rows.slice(from, from + Number(size));
        }
      } finally {
        note(connection, "stream ends");
      }
    },
    transactions: {
      begin: (connection, access) => note(connection, `begin ${access}`),
      commit: (connection) => note(connection, "commit"),
      rollback: (connection) => note(connection, "rollback"),
    },
    catalog: () => ({ tables: [], omitted: [] }),
    describe: () => ({ isReadOnly: true }),
    classify: (error) => error instanceof TinyError ? error.failure : undefined,
    explain: (error) => String(error),
  };
}

async function rowsOf(connection: TinyConnection, sql: string): Promise<readonly Row[]> {
  const [word, argument] = sql.split(" ");
  if (word === "hang") await new Promise((_, reject) => connection.end = reject);
  if (word === "fail") throw new TinyError(argument as Failure);
  return Array.from({ length: Number(argument) || 0 }, (_, at) => [at + 1]);
}

/** A statement of words; `verb` makes it a saved query. */
export function words(sql: string, verb?: string): StatementText {
  return { sql, columns: [{ type: "integer", declaredType: "" }], ...(verb === undefined ? {} : { verb }) };
}
