/**
 * Opens a file: checks its place, switches it to a write-ahead log, and starts what its statements need.
 *
 * @module
 */

import type { Database, DatabaseDefinition, DialectHost } from "@/plugins/contract.ts";
import { milliseconds } from "@/plugins/kit/bounded.ts";
import { codeOf, DatabaseFailure, messageIn } from "@/plugins/kit/database_failure.ts";
import { SqliteDatabase } from "./database.ts";
import { Handle, openHandle, type OpenOptions } from "./driver.ts";
import {
  identifyFile,
  mayWrite,
  noteLog,
  removeForeignLog,
  requireInside,
  requireStill,
  resolveFile,
} from "./file.ts";
import { startProcess, startThread } from "./lane.ts";
import { Streamer } from "./streams.ts";
import { turnsOf } from "./turns.ts";
import { WorkerPool } from "./worker_pool.ts";
import { Writer } from "./writer.ts";

/**
 * Opens the file that the definition names, in one of the directories if there are some; never creates one.
 */
export async function connect(
  definition: DatabaseDefinition,
  host: DialectHost,
  directories?: readonly string[],
): Promise<Database> {
  const { pool: settings } = definition;
  const file = resolveFile(definition.dbName, host.directory);
  if (directories) await requireInside(file, directories);
  removeForeignLog(file, await identifyFile(file));
  using opening = new DisposableStack();
  const isWritable = await mayWrite(file);
  const kept = host.checksOnly ? undefined : useWriteAheadLog(file, isWritable, opening);
  // The file of a container's image is copied when it is opened for writing.
  const identity = await identifyFile(file);
  const { handle, readonly } = openForReading(file, host);
  // A file that cannot be opened is tried again and again, and its reason is told once.
  if (kept !== undefined) host.log.info(kept);
  const openOptions: OpenOptions = {
    busyTimeout: Math.max(0, milliseconds(settings.acquireTimeout)),
    readonly,
  };
  const falls = { count: 0 };
  const transport = await chooseTransport(host, falls);
  const start: typeof startProcess = (receiver) => {
    requireStill(file, identity);
    return transport(receiver);
  };
  const pool = new WorkerPool({
    settings,
    start,
    greeting: { kind: "start", file, options: openOptions },
    busy: "All workers for long statements are busy",
  });
  const takeTurn = turnsOf(host.workers);
  const writer = new Writer({ file, identity, mayWrite: isWritable, settings, start, takeTurn });
  const open = () => {
    requireStill(file, identity);
    return openHandle(file, { readonly, busyTimeout: 0 });
  };
  const streamer = new Streamer({ open, settings, pool });
  const log = noteLog(file, identity);
  const parts = { file, log, identity, mayWrite: isWritable, handle, pool, streamer, writer, falls };
  return new SqliteDatabase(parts, host);
}

/**
 * With a write-ahead log, readers and writers do not wait for each other. The file keeps the setting. Returns
 * why a file has kept another journal mode. The handle stays until `opening` is disposed of: closing the last
 * one of a file removes the log, and locks out the other workers, which connect at the same time.
 */
function useWriteAheadLog(file: string, isWritable: boolean, opening: DisposableStack): string | undefined {
  if (!isWritable) return `"${file}" may not be written: its journal mode stays as it is`;
  try {
    const handle = new Handle(file, { fileMustExist: true, timeout: 0 });
    opening.defer(() => handle.close());
    handle.pragma("journal_mode = WAL");
    return undefined;
  } catch (error) {
    if (!/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN|BUSY|LOCKED)/.test(codeOf(error))) {
      throw cannotOpen(file, error);
    }
    return `The journal mode of "${file}" stays as it is: ${messageIn(error)}`;
  }
}

/** Does not wait for locks: only workers do. */
function openForReading(
  file: string,
  host: DialectHost,
  // A read-only handle leaves the files of a write-ahead log behind, which a check must not.
  readonly = !host.checksOnly,
): { readonly handle: Handle; readonly readonly: boolean } {
  try {
    return { handle: openHandle(file, { readonly, busyTimeout: 0 }), readonly };
  } catch (error) {
    if (!readonly || !/^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error))) throw cannotOpen(file, error);
    const opened = openForReading(file, host, false);
    host.log.warn(`"${file}" is opened for writing, too: ${messageIn(error)}`);
    return opened;
  }
}

/**
 * A compiled binary cannot run another script, and the operator may have
 * denied the permission to run programs.
 */
async function chooseTransport(host: DialectHost, falls: { count: number }): Promise<typeof startProcess> {
  const permission = await Deno.permissions.query({ name: "run", command: Deno.execPath() });
  if (!Deno.build.standalone && permission.state === "granted") {
    const onFall = (reason: string) => {
      falls.count++;
      host.log.warn(`Statements of SQLite were cut off: ${reason}`);
    };
    return (receiver) => startProcess(receiver, onFall);
  }
  host.log.warn(
    "Processes may not be started (--allow-run): a long SQLite statement can be given up, not stopped",
  );
  return startThread;
}

function cannotOpen(file: string, error: unknown): Error {
  return new DatabaseFailure("unavailable", `Cannot open database "${file}": ${reasonOf(error)}`, {
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "SQLITE_NOTADB") return "it is not an SQLite database";
  const message = messageIn(error);
  return /^SQLITE_(READONLY|CANTOPEN)/.test(code)
    ? `${message}: its log or journal needs a file and a directory that may be written`
    : message;
}
