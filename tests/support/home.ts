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
  for (const [path, text] of Object.entries(options.files ?? {})) {
    await Deno.mkdir(dirname(join(home, path)), { recursive: true });
    await Deno.writeTextFile(join(home, path), text);
    // Old enough for the service to hash plain secrets in it when it starts.
    await Deno.utime(join(home, path), 0, 0);
  }
  await options.prepare?.(home);
  return home;
}
