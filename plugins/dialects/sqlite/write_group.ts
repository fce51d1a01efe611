/**
 * A worker's side of writes that share a commit: each has a savepoint, so that
 * a failing one undoes itself only.
 *
 * @module
 */

import { codeOf, messageIn } from "@/plugins/kit/database_failure.ts";
import { compileDecoder, openCursor } from "./decode.ts";
import type { Handle, Statement } from "./driver.ts";
import { isBusy } from "./failures.ts";
import { type PackedResult, type PackedWrite, packRows, textOfRows, unpack } from "./protocol.ts";

/** The worker's handle, and its prepared statements. */
interface WriteHandle {
  readonly handle: Pick<Handle, "inTransaction">;
  get(sql: string): Statement;
  /**
   * Lets statements wait for other programs, for the time that is left. Until then none does: few
   * have to, and telling SQLite takes as long as a small statement.
   */
  waitForOthers(): void;
}

/** Begins a transaction; false if another program writes. */
export function beginNow(on: Pick<WriteHandle, "get">): boolean {
  try {
    execute("BEGIN IMMEDIATE", on);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/**
 * Runs writes in the open transaction and commits it. If that is impossible, each write runs in a transaction
 * of its own: a deferred constraint fails the commit, a trigger or a full disk ends the transaction of all.
 * There may be none, because their clients have left.
 */
export function runGroup(writes: readonly PackedWrite[], on: WriteHandle): readonly PackedResult[] {
  const results = writes.length === 1 ? undefined : runTogether(writes, on);
  return results ?? writes.map((write) => runAlone(write, on));
}

/** Undefined: the transaction has been rolled back. */
function runTogether(writes: readonly PackedWrite[], on: WriteHandle): PackedResult[] | undefined {
  const results: PackedResult[] = [];
  for (const write of writes) {
    execute("SAVEPOINT one_write", on);
    const result = attempt(() => run(write, on));
    if (!on.handle.inTransaction) return undefined;
    if (!isKept(result, write)) execute("ROLLBACK TO one_write", on);
    execute("RELEASE one_write", on);
    results.push(result);
  }
  if (!attempt(() => commit(on))) return results;
  rollBack(on);
  return undefined;
}

/** Commits or rolls back the open transaction; begins one if there is none. */
function runAlone(write: PackedWrite, on: WriteHandle): PackedResult {
  const result = attempt(() => {
    if (!on.handle.inTransaction) begin(on);
    const result = run(write, on);
    if (isKept(result, write)) commit(on);
    return result;
  });
  rollBack(on);
  return result;
}

function run({ sql, columns, parameters, looks }: PackedWrite, on: WriteHandle): PackedResult {
  for (const look of looks) {
    const rows = openCursor(on.get(look.sql), look.parameters.map(unpack), compileDecoder(look.columns)).next(
      Infinity,
    );
    if (textOfRows(rows) !== look.rows) return { isOutdated: true };
  }
  const statement = on.get(sql);
  const values = parameters.map(unpack);
  if (!statement.reader) return { rows: [], packed: false, changes: statement.run(values).changes };
  const rows = openCursor(statement, values, compileDecoder(columns)).next(Infinity);
  return { rows, packed: packRows(rows), changes: rows.length };
}

function begin(on: WriteHandle): void {
  on.waitForOthers();
  execute("BEGIN IMMEDIATE", on);
}

/** Without a write-ahead log a commit waits for programs that read; it may be tried again. */
function commit(on: WriteHandle): void {
  try {
    execute("COMMIT", on);
  } catch (error) {
    if (!isBusy(error)) throw error;
    on.waitForOthers();
    execute("COMMIT", on);
  }
}

function rollBack(on: WriteHandle): void {
  if (on.handle.inTransaction) execute("ROLLBACK", on);
}

function execute(sql: string, on: Pick<WriteHandle, "get">): void {
  on.get(sql).run();
}

function attempt<Result>(work: () => Result): Result | { readonly code: string; readonly message: string } {
  try {
    return work();
  } catch (error) {
    return { code: codeOf(error), message: messageIn(error) };
  }
}

function isKept(result: PackedResult, { least = 0, most = Infinity }: PackedWrite): boolean {
  return "changes" in result && result.changes >= least && result.changes <= most;
}
