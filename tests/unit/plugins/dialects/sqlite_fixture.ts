/**
 * Databases for the SQLite tests: real files in a separate directory.
 *
 * @module
 */

import { join } from "node:path";
import type { Database, Dialect, PoolSettings } from "@/plugins/contract.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import sqlite from "@/plugins/dialects/sqlite/mod.ts";
import { hostOf, plainDefinition, POOL } from "@/tests/support/databases/plain_definition.ts";

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
  const dialect = (echo = false): Dialect => sqlite.setup({}, hostOf(messages, { directory, echo }));
  return {
    directory,
    file,
    messages,
    dialect,
    create: (...statements) => createDatabase(file, statements.join(";\n")),
    change: (sql) => changeFile(file, sql),
    async connect(pool = {}, dbName = "test.db") {
      const login = { dbuser: "", dbpass: "" };
      const database = await dialect().connect(
        plainDefinition({ dbName, pool: { ...POOL, ...pool } }),
        login,
      );
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
