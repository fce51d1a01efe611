/**
 * The command `backup`: copies the files that a node is made of while the service runs.
 *
 * @module
 */

import { basename, dirname, isAbsolute, join, relative, resolve, sep as SEPARATOR } from "node:path";
import {
  type Configuration,
  type Directories,
  FORMAT,
  loadConfiguration,
  writeFileAtomically,
} from "@/config/mod.ts";
import type { LoadedDialect } from "@/core/database/guard_dialect.ts";
import { messageIn, ServiceError } from "@/core/errors.ts";
import type { DatabaseDefinition } from "@/core/model.ts";
import { SILENT } from "@/core/storage/log.ts";
import { ifThere, isThere, namesIn, syncFile } from "@/core/storage/shared_file.ts";
import project from "@/deno.json" with { type: "json" };
import type { DatabaseFiles } from "@/plugins/contract.ts";
import { attempt, print } from "./console.ts";
import { requireConfiguration } from "./first_run_files.ts";
import { setUpLater } from "./set_up_plugins.ts";

/** The file that makes a directory a backup. It is written last. */
export const MANIFEST = "backup.json";

/** The content of {@link MANIFEST}. */
export interface Manifest {
  /** The number of the form of the files, as in `config_format`. */
  readonly format: number;
  /** The version of the program that made the backup. */
  readonly version: string;
  /** The absolute directories that the backup was made from. */
  readonly directories: Pick<Directories, "config" | "state">;
  readonly files: readonly SavedFile[];
}

/** A file of a backup. */
export interface SavedFile {
  /** Its path in the backup, always with slashes; the first part is `config`, `state` or `elsewhere`. */
  readonly name: string;
  /** Its absolute place if it was elsewhere. */
  readonly target?: string;
  readonly bytes: number;
  /** {@link DatabaseFiles.beside} of a database, so that a restore needs no dialect. */
  readonly beside?: readonly string[];
}

/** The dialects of the databases that are files, by the absolute paths of the files. */
type Databases = ReadonlyMap<string, { readonly name: string; readonly files: DatabaseFiles }>;

/**
 * Files of the state directory that cannot be made again. Sessions are not among them: they are short-lived
 * secrets. Orders to processes that run end with them.
 */
const STATE_FILES = ["session.secret"];
/** Names that locks, interrupted writes, former files and Kubernetes' links have. */
const LEFT_OUT = /\.lock$|~$|^\..*\.tmp$|\.before-restore|^\.\./;

/** Saves everything in the new directory `backup` and returns the exit code. */
export async function backUp(directories: Directories, backup: string): Promise<number> {
  await requireConfiguration(directories);
  const configuration = loadConfiguration(directories, Deno.env.toObject());
  if ((await namesIn(backup)).length > 0) {
    throw new ServiceError("internal", `Cannot write a backup into "${backup}": the directory is not empty`);
  }
  const { databases, notSaved } = await findDatabases(configuration);
  await attempt(`make directory "${backup}"`, Deno.mkdir(backup, { recursive: true, mode: 0o700 }));
  const files = await saveAll(configuration, databases, backup).catch(async (error: unknown) => {
    await empty(backup);
    throw error;
  });
  print([...files.map(({ name }) => name), ...notSaved].map((line) => `${line}\n`).join(""));
  return 0;
}

/** The next attempt needs an empty directory. The operator is told of the first failure only. */
async function empty(backup: string): Promise<void> {
  for (const name of await namesIn(backup)) {
    await Deno.remove(join(backup, name), { recursive: true }).catch(() => {});
  }
}

/** Saves every file, and at last the manifest. */
async function saveAll(
  configuration: Configuration,
  databases: Databases,
  backup: string,
): Promise<readonly SavedFile[]> {
  const { config, state } = configuration.directories;
  const paths = [...databases.keys(), ...await otherFiles(configuration, databases)];
  const files: SavedFile[] = [];
  for (const [at, path] of paths.entries()) {
    const place = placeOf(path, { config, state }, at);
    const copy = join(backup, place.name);
    const dialect = databases.get(path);
    const what = dialect ? `save "${path}" by the dialect "${dialect.name}"` : `save "${path}"`;
    const seconds = configuration.settings["server.plugin_timeout"];
    const write = dialect ? copyWith(dialect.files, seconds) : Deno.copyFile;
    await attempt(what, save(path, copy, write));
    const { size: bytes } = await Deno.stat(copy);
    files.push({ ...place, bytes, ...(dialect ? { beside: dialect.files.beside } : {}) });
  }
  const manifest: Manifest = {
    format: FORMAT,
    version: project.version,
    directories: { config, state },
    files,
  };
  await writeFileAtomically(join(backup, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  await Deno.remove(join(backup, `${MANIFEST}.lock`));
  return files;
}

/**
 * The databases that are files, and a line for each one that has to be saved with the tools of its engine.
 */
async function findDatabases(
  configuration: Configuration,
): Promise<{ readonly databases: Databases; readonly notSaved: readonly string[] }> {
  const parts = { plugins: [], configuration, prefix: "", log: SILENT, checksOnly: true };
  const dialects = new Map<string, LoadedDialect>();
  const databases = new Map<string, { readonly name: string; readonly files: DatabaseFiles }>();
  const notSaved: string[] = [];
  for (const definition of configuration.databases.values()) {
    const { id, dbType: name } = definition;
    const dialect = dialects.get(name) ?? await setUpLater(name, parts);
    dialects.set(name, dialect);
    const { files } = dialect;
    if (files) databases.set(pathOf(definition, files), { name, files });
    else notSaved.push(`not saved: database ${id} (${name})`);
  }
  return { databases, notSaved };
}

function pathOf({ id, dbType, dbName }: DatabaseDefinition, files: DatabaseFiles): string {
  const refuse = (reason: string) =>
    new ServiceError(
      "internal",
      `Cannot save database ${id}: the dialect "${dbType}" tells no file: ${reason}`,
    );
  try {
    const path: unknown = files.pathOf(dbName);
    if (typeof path === "string" && isAbsolute(path)) return path;
  } catch (error) {
    throw refuse(messageIn(error));
  }
  throw refuse("pathOf() must give an absolute path");
}

async function otherFiles(
  { directories, settings }: Configuration,
  databases: Databases,
): Promise<readonly string[]> {
  const { config, state, log } = directories;
  const skipped = new Set([state, log, settings["session.data_dir"], settings["session.lock_dir"]]);
  const ofDatabases = new Set(
    [...databases].flatMap(([file, { files }]) => ["", ...files.beside].map((end) => file + end)),
  );
  const { databases_path, users_path, querydefs_path, initial_state_path, license } = settings;
  const named = [
    ...[databases_path, users_path, querydefs_path, initial_state_path, license],
    ...STATE_FILES.map((name) => join(state, name)),
  ].map((path) => resolve(path));
  const there = await Promise.all(named.map(async (path) => await isThere(path) ? [path] : []));
  const found = await Array.fromAsync(filesBelow(config, skipped));
  return [...new Set([...found, ...there.flat()])].filter((path) => !ofDatabases.has(path));
}

async function* filesBelow(directory: string, skipped: ReadonlySet<string>): AsyncIterable<string> {
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if (LEFT_OUT.test(name) || skipped.has(path)) continue;
    // Follows links: mounted configuration often consists of them. Those of Emacs, to mark a file that is
    // being changed, lead nowhere.
    const found = await ifThere(Deno.stat(path));
    if (found?.isFile) yield path;
    if (found?.isDirectory) yield* filesBelow(path, skipped);
  }
}

function placeOf(
  path: string,
  directories: Manifest["directories"],
  at: number,
): Pick<SavedFile, "name" | "target"> {
  // One directory may be in the other.
  const innermost = Object.entries(directories).toSorted(([, a], [, b]) => b.length - a.length);
  for (const [name, directory] of innermost) {
    if (!path.startsWith(directory + SEPARATOR)) continue;
    return { name: [name, ...relative(directory, path).split(SEPARATOR)].join("/") };
  }
  return { name: `elsewhere/${at}/${basename(path)}`, target: path };
}

/** The copying of a dialect. It may take as long as it needs, but not without writing. */
function copyWith(files: DatabaseFiles, seconds: number): (from: string, to: string) => Promise<void> {
  return async (from, to) => {
    const still = Promise.withResolvers<never>();
    let size = -1;
    const timer = setInterval(async () => {
      // A file that is not there yet has not grown.
      const { size: now } = await Deno.stat(to).catch(() => ({ size: -1 }));
      if (now === size) still.reject(new Error(`copy() has written nothing for ${seconds} seconds`));
      size = now;
    }, seconds * 1000);
    try {
      await Promise.race([files.copy(from, to), still.promise]);
    } finally {
      clearInterval(timer);
    }
  };
}

async function save(
  path: string,
  copy: string,
  write: (from: string, to: string) => void | Promise<void>,
): Promise<void> {
  await Deno.mkdir(dirname(copy), { recursive: true, mode: 0o700 });
  await write(path, copy);
  await syncFile(copy);
  const { mode } = await Deno.stat(path);
  if (mode !== null) await Deno.chmod(copy, mode & 0o777);
}
