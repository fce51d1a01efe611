/**
 * The command `backup`: copies the files that a node is made of while the service runs.
 *
 * @module
 */

import { basename, dirname, join, relative, resolve, sep as SEPARATOR } from "node:path";
import { type Configuration, type Directories, FORMAT, writeFileAtomically } from "@/config/mod.ts";
import { ServiceError } from "@/core/errors.ts";
import { isThere, namesIn } from "@/core/storage/shared_file.ts";
import project from "@/deno.json" with { type: "json" };
import { attempt, print, readConfiguration } from "./commands.ts";

/** The file that makes a directory a backup. It is written last. */
export const MANIFEST = "backup.json";

/** The content of {@link MANIFEST}. */
export interface Manifest {
  /** The number of the form of the files, as in `config_format`. */
  readonly format: number;
  /** Of the program that made it. */
  readonly version: string;
  /** The absolute directories that it was made from. */
  readonly directories: Pick<Directories, "config" | "state">;
  readonly files: readonly SavedFile[];
}

/** A file of a backup. */
export interface SavedFile {
  /** Its path in the backup; the first part is `config`, `state` or `elsewhere`. */
  readonly name: string;
  /** Its absolute place if it was elsewhere. */
  readonly target?: string;
  readonly bytes: number;
}

/** The parts of SQLite's dialect that copy databases. */
export interface DatabaseCopier {
  /** The absolute path of the file that `db_name` leads to. */
  resolveFile(name: string, directory: string): string;
  /** Copies a consistent state into a new file. */
  copyDatabase(file: string, copy: string): void;
}

/** Files of the state directory that cannot be made again. Sessions are not among them: they are short-lived secrets. */
const STATE_FILES = ["session.secret", "connections.yml"];
/** Names that locks, interrupted writes, former files and Kubernetes' links have. */
const LEFT_OUT = /\.lock$|~$|^\..*\.tmp$|\.before-restore|^\.\./;

/** Saves everything in the new directory `backup` and returns the exit code. */
export async function backUp(
  directories: Directories,
  backup: string,
  { resolveFile, copyDatabase }: DatabaseCopier,
): Promise<number> {
  const configuration = readConfiguration(directories);
  const { config, state } = configuration.directories;
  if ((await namesIn(backup)).length > 0) {
    throw new ServiceError("internal", `Cannot write a backup into "${backup}": the directory is not empty`);
  }
  await attempt(`make directory "${backup}"`, Deno.mkdir(backup, { recursive: true, mode: 0o700 }));
  const databases = databaseFiles(configuration, resolveFile);
  const paths = [...databases, ...await otherFiles(configuration, databases)];
  const files: SavedFile[] = [];
  for (const [at, path] of paths.entries()) {
    const place = placeOf(path, { config, state }, at);
    const copy = join(backup, place.name);
    const isDatabase = at < databases.length;
    await attempt(`save "${path}"`, save(path, copy, isDatabase ? copyDatabase : Deno.copyFile));
    files.push({ ...place, bytes: (await Deno.stat(copy)).size });
  }
  const manifest: Manifest = {
    format: FORMAT,
    version: project.version,
    directories: { config, state },
    files,
  };
  await writeFileAtomically(join(backup, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  await Deno.remove(join(backup, `${MANIFEST}.lock`));
  print([...files.map(({ name }) => name), ...notSaved(configuration)].map((line) => `${line}\n`).join(""));
  return 0;
}

function databaseFiles(
  { databases, directories }: Configuration,
  resolveFile: DatabaseCopier["resolveFile"],
): readonly string[] {
  const files = [...databases.values()].filter(({ dbType }) => dbType === "sqlite")
    .map(({ dbName }) => resolveFile(dbName, directories.config));
  return [...new Set(files)];
}

/** One line for each database that has to be saved with the tools of its engine. */
function notSaved({ databases }: Configuration): readonly string[] {
  return [...databases.values()].filter(({ dbType }) => dbType !== "sqlite")
    .map(({ id, dbType }) => `not saved: database ${id} (${dbType})`);
}

async function otherFiles(
  { directories, settings }: Configuration,
  databases: readonly string[],
): Promise<readonly string[]> {
  const { config, state, log } = directories;
  const skipped = new Set([state, log, settings["session.data_dir"], settings["session.lock_dir"]]);
  const ofDatabases = new Set(databases.flatMap((file) => [file, ...SIDE_FILES.map((end) => file + end)]));
  const { databases_path, users_path, querydefs_path, initial_state_path, license } = settings;
  const named = [
    ...[databases_path, users_path, querydefs_path, initial_state_path, license],
    ...STATE_FILES.map((name) => join(state, name)),
  ].map((path) => resolve(path));
  const there = await Promise.all(named.map(async (path) => await isThere(path) ? [path] : []));
  const found = await Array.fromAsync(filesBelow(config, skipped));
  return [...new Set([...found, ...there.flat()])].filter((path) => !ofDatabases.has(path));
}

/** Ends of the names of files that SQLite has beside a database. */
export const SIDE_FILES = ["-wal", "-shm", "-journal"];

async function* filesBelow(directory: string, skipped: ReadonlySet<string>): AsyncIterable<string> {
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if (LEFT_OUT.test(name) || skipped.has(path)) continue;
    // Follows links: mounted configuration often consists of them.
    const { isFile, isDirectory } = await Deno.stat(path);
    if (isFile) yield path;
    if (isDirectory) yield* filesBelow(path, skipped);
  }
}

function placeOf(
  path: string,
  directories: Manifest["directories"],
  at: number,
): Pick<SavedFile, "name" | "target"> {
  for (const [name, directory] of Object.entries(directories)) {
    if (path.startsWith(directory + SEPARATOR)) return { name: join(name, relative(directory, path)) };
  }
  return { name: join("elsewhere", String(at), basename(path)), target: path };
}

async function save(
  path: string,
  copy: string,
  write: (from: string, to: string) => void | Promise<void>,
): Promise<void> {
  await Deno.mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  await write(path, copy);
  const { mode } = await Deno.stat(path);
  if (mode !== null) await Deno.chmod(copy, mode & 0o777);
}
