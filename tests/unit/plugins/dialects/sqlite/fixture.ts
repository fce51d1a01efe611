/**
 * Databases for the SQLite tests: real files in a separate directory.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Database, Dialect, PoolSettings } from "@/plugins/contract.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import sqlite from "@/plugins/dialects/sqlite/mod.ts";
import { hostOf, plainDefinition, POOL } from "@/tests/support/databases/plain_definition.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

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

/** A directory, with `test.db` where there are statements; disposing disconnects and removes it. */
export function makePlace(...statements: readonly string[]): Place {
  const directory = Deno.makeTempDirSync({ prefix: "rowhouse-sqlite-" });
  const file = join(directory, "test.db");
  const messages: string[] = [];
  const opened: Database[] = [];
  const create: Place["create"] = (...texts) => createDatabase(file, texts.join(";\n"));
  if (statements.length > 0) create(...statements);
  const dialect = (echo = false): Dialect =>
    sqlite.setup({ directories: undefined }, hostOf(messages, { directory, echo }));
  return {
    directory,
    file,
    messages,
    dialect,
    create,
    change: (sql) => changeFile(file, sql),
    async connect(pool = {}, dbName = "test.db") {
      const login = { dbuser: "", dbpass: "" };
      const database = await dialect().connect(
        plainDefinition({ dbName, pool: { ...POOL, ...pool } }),
        login,
        { signal: NEVER },
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

/**
 * Connects to a file in a process that may not write, runs the statements `work` with `database` there, and
 * returns the printed and logged lines. `allowed` are further permissions.
 */
export async function runWithoutWriting(
  file: string,
  work: string,
  allowed: readonly string[] = [],
): Promise<readonly string[]> {
  const script = `
    import sqlite from ${JSON.stringify(import.meta.resolve("@/plugins/dialects/sqlite/mod.ts"))};
    const note = (message) => console.log(message);
    const host = { directory: "/", echo: false, log: { info: note, warn: note, error: note } };
    const pool = { max: 1, idleTimeout: 1, acquireTimeout: 1, statementTimeout: 1 };
    const definition = { dbName: ${JSON.stringify(file)}, pool };
    await using database = await sqlite.setup({}, host).connect(definition, { dbuser: "", dbpass: "" });
    ${work}`;
  const permissions = ["read", "env", "sys", "ffi", ...allowed].map((name) => `--allow-${name}`);
  const module = `data:text/javascript,${encodeURIComponent(script)}`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--config=deno.json", "--no-prompt", ...permissions, module],
    cwd: new URL(import.meta.resolve("@/")),
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout).trim().split("\n");
}

/** Runs statements as another program would. */
export function changeFile(file: string, sql: string): void {
  const handle = new Handle(file, { fileMustExist: true });
  handle.exec(sql);
  handle.close();
}

/**
 * Changes the first `word` in a file to one of the same length: the schema then names what only another
 * program has.
 */
export function rename(file: string, word: string, other: string): void {
  const bytes = Buffer.from(Deno.readFileSync(file));
  bytes.write(other, bytes.indexOf(word));
  Deno.writeFileSync(file, bytes);
}
