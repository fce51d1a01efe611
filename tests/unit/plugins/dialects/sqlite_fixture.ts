/**
 * Databases for the SQLite tests: real files in a separate directory.
 *
 * @module
 */

import { join } from "node:path";
import type { Database, DatabaseDefinition, Dialect, DialectHost, PoolSettings } from "@/plugins/contract.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import sqlite from "@/plugins/dialects/sqlite/mod.ts";

/** Small enough to be used up by a test; times are seconds. */
export const POOL: PoolSettings = { max: 2, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

/** A directory that is removed at the end, with the helpers of every test. */
export interface Place extends AsyncDisposable {
  readonly directory: string;
  readonly file: string;
  readonly messages: string[];
  /** Makes `test.db` from statements without parameters. */
  create(...statements: string[]): void;
  /** Runs SQL on the file as another program would. */
  change(sql: string): void;
  connect(pool?: Partial<PoolSettings>, dbName?: string): Promise<Database>;
  dialect(echo?: boolean): Dialect;
}

/** A directory without a database; disposing disconnects and removes it. */
export function makePlace(): Place {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-sqlite-" });
  const file = join(directory, "test.db");
  const messages: string[] = [];
  const opened: Database[] = [];
  const dialect = (echo = false): Dialect => sqlite.setup({}, hostOf(directory, messages, echo));
  return {
    directory,
    file,
    messages,
    dialect,
    create: (...statements) => createDatabase(file, statements.join(";\n")),
    change: (sql) => changeFile(file, sql),
    async connect(pool = {}, dbName = "test.db") {
      const login = { dbuser: "", dbpass: "" };
      const database = await dialect().connect(definitionOf(dbName, { ...POOL, ...pool }), login);
      opened.push(database);
      return database;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((database) => database[Symbol.asyncDispose]()));
      Deno.removeSync(directory, { recursive: true });
    },
  };
}

/** Runs statements as another program would. */
export function changeFile(file: string, sql: string): void {
  const handle = new Handle(file, { fileMustExist: true });
  handle.exec(sql);
  handle.close();
}

/** A definition without logins; `dbName` is relative to the host's directory. */
export function definitionOf(dbName: string, pool: PoolSettings): DatabaseDefinition {
  const none = new Map<string, never>();
  return {
    id: "Test",
    dbType: "sqlite",
    description: "",
    dbName,
    dbSchema: [],
    prepare: true,
    autoconnect: true,
    autoloadUser: { dbuser: "", dbpass: "" },
    alternateKey: none,
    foreignKeys: none,
    excludedColumns: none,
    excludedTables: [],
    replicas: [],
    pool,
    creator: "admin",
    read: [],
    write: [],
    execute: [],
  };
}

function hostOf(directory: string, messages: string[], echo: boolean): DialectHost {
  const note = (message: string) => void messages.push(message);
  return { directory, echo, ignoreDefaultFields: false, log: { info: note, warn: note, error: note } };
}
