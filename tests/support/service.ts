/**
 * The whole service for tests: it listens on a free loopback port, in the process of the tests, with a home directory that
 * is thrown away.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The path of the project's root. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

// Work of a service in this process, such as a look at its files, begins and ends whenever it likes. Tests of files that
// start none are asked whether they have left something behind.
Deno.test.sanitizer({ ops: false, resources: false });

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

/** A service that runs; disposing ends it and removes its home directory. */
export interface TestService extends AsyncDisposable {
  /** `http://127.0.0.1:54321`, without slash. */
  readonly url: string;
  readonly port: number;
  /** The path of its home directory. */
  readonly home: string;
  /** Sends a request; redirects are not followed. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The service's log so far. */
  log(): Promise<string>;
}

/** The demo database of the first home of a test file: the others copy it. */
let demoBytes: Uint8Array<ArrayBuffer> | undefined;

/** Makes a home directory as the first run does: sample configuration and demo database, then the given files. */
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

/** Starts the service and waits until it listens. A file that starts none does not load it. */
export async function startService(options: StartOptions = {}): Promise<TestService> {
  const { startHere } = await import("@/tests/support/service_here.ts");
  return await startHere(options);
}

/** Starts one service for all tests of a file. Returns a function for use inside tests. */
export function sharedService(options: StartOptions = {}): () => TestService {
  return shared(() => startService(options));
}

/**
 * Something that is started before all tests of a file and ends after them, unless there is a reason to ignore them. Gives
 * a function to be called inside tests.
 */
export function shared<T extends AsyncDisposable>(start: () => Promise<T>, ignored?: string): () => T {
  let service: T | undefined;
  Deno.test.beforeAll(async () => {
    if (ignored === undefined) service = await start();
  });
  Deno.test.afterAll(async () => await service?.[Symbol.asyncDispose]());
  return () => {
    if (service) return service;
    throw new Error("The service is there only while tests run");
  };
}
