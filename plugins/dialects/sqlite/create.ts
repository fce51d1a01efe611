/**
 * Makes a new database file.
 *
 * @module
 */

import { Handle, type Statement } from "./driver.ts";

/** One statement; whole numbers and booleans among its parameters are stored as integers. */
export interface StatementWithParameters {
  readonly sql: string;
  readonly parameters?: readonly unknown[];
}

/**
 * Runs the statements in one transaction on a file beside `path`, which gets its name when everything is there.
 * A statement that repeats is prepared once. Throws where `path` exists already.
 */
export function createDatabase(path: string, statements: Iterable<StatementWithParameters>): void {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    fill(draft, statements);
    publish(draft, path);
  } finally {
    removeIfThere(draft);
  }
}

function fill(file: string, statements: Iterable<StatementWithParameters>): void {
  const handle = new Handle(file);
  try {
    handle.pragma("journal_mode = MEMORY");
    handle.exec("BEGIN");
    runAll(handle, statements);
    handle.exec("COMMIT");
    handle.exec("ANALYZE");
    handle.pragma("journal_mode = WAL");
  } finally {
    handle.close();
  }
}

function runAll(handle: Handle, statements: Iterable<StatementWithParameters>): void {
  const prepared = new Map<string, Statement>();
  for (const { sql, parameters = [] } of statements) {
    const statement = prepared.get(sql) ?? handle.prepare(sql);
    prepared.set(sql, statement);
    statement.run(parameters.map(bindable));
  }
}

/** The driver binds every number as a real, which a column without a type would keep. */
function bindable(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** A link never takes the place of a file that is there; a rename would, so it is for file systems without links. */
function publish(draft: string, path: string): void {
  try {
    Deno.linkSync(draft, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists || exists(path)) {
      throw new Error(`Cannot create database "${path}": the file exists`, { cause: error });
    }
    Deno.renameSync(draft, path);
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function removeIfThere(file: string): void {
  try {
    Deno.removeSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
