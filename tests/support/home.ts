/**
 * Home directories of the service, as its first run makes them.
 *
 * @module
 */

import { dirname, join } from "node:path";

/** How the service differs from one after an untouched first run. */
export interface StartOptions {
  /** Files to write below the home directory after the first run's sample: `config/users.cfg`. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * Databases of SQLite, `state/id.db` in lower case: the SQL of each by its id. Without other configuration
   * files they are the only ones, and open to `public`.
   */
  readonly sqlite?: Readonly<Record<string, string>>;
  /** Whether the first run is over. */
  readonly isAdministered?: boolean;
  /** Called with the home directory before the service starts, after the files were written. */
  readonly prepare?: (home: string) => void | Promise<void>;
  /** Further arguments of `serve`. */
  readonly args?: readonly string[];
  /** Variables beside those of the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The demo database of the first home of a test file: the others copy it. */
let demoBytes: Uint8Array<ArrayBuffer> | undefined;

/**
 * Makes a home directory as the first run does: sample configuration and demo database, then the given files.
 */
export async function makeHome(options: StartOptions = {}): Promise<string> {
  const home = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  const [{ readDemo, writeSample }, { createDatabase }] = await Promise.all([
    import("@/config/sample.ts"),
    import("@/plugins/dialects/sqlite/create.ts"),
  ]);
  await writeSample(join(home, "config"));
  await Deno.mkdir(join(home, "state"), { recursive: true });
  const demo = join(home, "state", "demo.db");
  if (demoBytes) await Deno.writeFile(demo, demoBytes);
  else createDatabase(demo, readDemo());
  demoBytes ??= await Deno.readFile(demo);
  const { files, sqlite = {}, isAdministered = false, prepare } = options;
  for (const [path, text] of Object.entries({ ...openTo(Object.keys(sqlite)), ...files })) {
    await Deno.mkdir(dirname(join(home, path)), { recursive: true });
    await Deno.writeTextFile(join(home, path), text);
    // Old enough for the service to hash plain secrets in it when it starts.
    await Deno.utime(join(home, path), 0, 0);
  }
  for (const [id, sql] of Object.entries(sqlite)) createDatabase(join(home, "state", fileOf(id)), sql);
  if (isAdministered) await Deno.remove(join(home, "config", "regular-initial"));
  await prepare?.(home);
  return home;
}

/** Does work with a home directory, which is removed afterwards. */
export async function inHome<T>(options: StartOptions, work: (home: string) => Promise<T>): Promise<T> {
  const home = await makeHome(options);
  try {
    return await work(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

function fileOf(id: string): string {
  return `${id.toLowerCase()}.db`;
}

/** The configuration of databases that everybody may use. */
function openTo(ids: readonly string[]): StartOptions["files"] {
  if (ids.length === 0) return {};
  const databases = ids.map((id) => `${id}: {db_type: sqlite, db_name: ../state/${fileOf(id)}}\n`).join("");
  return {
    "config/databases.cfg": databases,
    "config/users.cfg": `public: {databases: {${ids.map((id) => `${id}: {}`).join(", ")}}}\n`,
  };
}
