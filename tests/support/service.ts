/**
 * The whole service for tests: it listens on a free loopback port, in the process of the tests, with a
 * home directory that is thrown away.
 *
 * @module
 */

import { inHome, makeHome, type StartOptions } from "@/tests/support/home.ts";

export { inHome, makeHome, type StartOptions };

// Work of a service in this process, such as a look at its files, begins and ends whenever it likes. Tests of
// files that start none are asked whether they have left something behind.
Deno.test.sanitizer({ ops: false, resources: false });

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
 * Something that is started before all tests of a file and ends after them, unless there is a reason to
 * ignore them. Gives a function to be called inside tests.
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
