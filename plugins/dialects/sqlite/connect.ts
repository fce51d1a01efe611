/**
 * Connects the database of a definition.
 *
 * @module
 */

import type { DatabaseDefinition, DialectHost } from "@/plugins/contract.ts";
import { codeOf, DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { type Connection, SqliteDatabase } from "./database.ts";
import { Handle, openHandle, type OpenOptions } from "./driver.ts";
import { messageOf } from "./failures.ts";
import { identifyFile, mayWrite, requireInside, resolveFile } from "./file.ts";
import { startProcess, startThread } from "./lane.ts";
import { Streamer } from "./streams.ts";
import { WorkerPool } from "./worker_pool.ts";
import { Writer } from "./writer.ts";

/** Opens the file that the definition names; never creates one. */
export async function connect(definition: DatabaseDefinition, host: DialectHost): Promise<SqliteDatabase> {
  const { pool: settings } = definition;
  const file = resolveFile(definition.dbName, host.directory);
  if (host.fileDirectories) await requireInside(file, host.fileDirectories);
  const identity = await identifyFile(file);
  if (!host.checksOnly) await useWriteAheadLog(file, host);
  const { handle, readonly } = openForReading(file, host);
  const openOptions: OpenOptions = { busyTimeout: Math.max(0, settings.acquireTimeout * 1000), readonly };
  const start = await chooseTransport(host);
  const pool = new WorkerPool({
    settings,
    start,
    greeting: { kind: "start", file, options: openOptions },
    busy: "All workers for long statements are busy",
  });
  const writer = new Writer({ file, identity, settings, start });
  const streamer = new Streamer({ file, openOptions, settings, pool });
  const connection: Connection = { file, identity, handle, pool, streamer, writer };
  return new SqliteDatabase(connection, host);
}

/** With a write-ahead log, readers and writers do not wait for each other. The file keeps the setting. */
async function useWriteAheadLog(file: string, host: DialectHost): Promise<void> {
  if (!await mayWrite(file)) {
    return host.log.info(`"${file}" may not be written: its journal mode stays as it is`);
  }
  try {
    const handle = new Handle(file, { fileMustExist: true, timeout: 0 });
    try {
      handle.pragma("journal_mode = WAL");
    } finally {
      handle.close();
    }
  } catch (error) {
    if (!/^SQLITE_(READONLY|PERM|AUTH|CANTOPEN|BUSY|LOCKED)/.test(codeOf(error))) throw explain(file, error);
    host.log.info(`The journal mode of "${file}" stays as it is: ${messageOf(error)}`);
  }
}

/** Does not wait for locks: only workers do. */
function openForReading(file: string, host: DialectHost): { handle: Handle; readonly: boolean } {
  // A read-only handle leaves the files of a write-ahead log behind, which a check must not.
  const readonly = !host.checksOnly;
  try {
    return { handle: openHandle(file, { readonly, busyTimeout: 0 }), readonly };
  } catch (error) {
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error))) throw explain(file, error);
    host.log.warn(`"${file}" cannot be opened read-only (${messageOf(error)}): trying without`);
  }
  try {
    return { handle: openHandle(file, { readonly: false, busyTimeout: 0 }), readonly: false };
  } catch (error) {
    throw explain(file, error);
  }
}

/** A compiled binary cannot run another script, and the operator may have denied the permission to run programs. */
async function chooseTransport(host: DialectHost): Promise<typeof startProcess> {
  const permission = await Deno.permissions.query({ name: "run", command: Deno.execPath() });
  if (!Deno.build.standalone && permission.state === "granted") return startProcess;
  host.log.warn(
    "Processes may not be started (--allow-run): a long SQLite statement can be given up, not stopped",
  );
  return startThread;
}

function explain(file: string, error: unknown): Error {
  const reason = codeOf(error) === "SQLITE_NOTADB" ? "it is not an SQLite database" : messageOf(error);
  return new DatabaseFailure("unavailable", `Cannot open database "${file}": ${reason}`, { cause: error });
}
