/**
 * A memcached of a test's own, on a free loopback port.
 *
 * @module
 */

import { findProgram, freePort } from "@/tests/support/servers/programs.ts";

/** Tells whether memcached is installed. Without it the tests that need it are ignored. */
export const HAS_MEMCACHED = findProgram("memcached") !== undefined;

/** A running memcached. */
export interface TestCache extends AsyncDisposable {
  /** `127.0.0.1:54321`. */
  readonly address: string;
  /** Ends it; {@link TestCache.start} brings it back, empty, at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /**
   * Restarts it as for an upgrade, with everything that it keeps, where it was started with a memory file.
   */
  restart(): Promise<void>;
  /** Everything that it keeps, as text. */
  dump(): Promise<string>;
}

/**
 * Starts it and waits until it accepts connections. With a `memoryFile`, which is on
 * a RAM disk, it can be restarted.
 */
export async function startMemcached(host = "127.0.0.1", memoryFile?: string): Promise<TestCache> {
  const at = { hostname: host, port: freePort(host) };
  let child = spawn(at, memoryFile);
  let isRunning = true;
  const cache: TestCache = {
    address: `${host.includes(":") ? `[${host}]` : host}:${at.port}`,
    async stop() {
      if (!isRunning) return;
      isRunning = false;
      child.kill("SIGKILL");
      await child.status;
    },
    async start() {
      child = spawn(at, memoryFile);
      isRunning = true;
      await untilReady(at, child);
    },
    async restart() {
      child.kill("SIGUSR1");
      await child.status;
      // It forgets everything if it starts in the second in which it was stopped.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await cache.start();
    },
    dump: () => dump(at),
    [Symbol.asyncDispose]: () => cache.stop(),
  };
  await untilReady(at, child);
  return cache;
}

function spawn({ hostname, port }: Deno.ConnectOptions, memoryFile?: string): Deno.ChildProcess {
  // It refuses to run as root unless told to.
  const user = Deno.uid() === 0 ? ["-u", "root"] : [];
  const place = ["-l", hostname ?? "127.0.0.1", "-p", String(port), "-U", "0"];
  // With one list of its items instead of several all of them can be listed, but not kept for a restart.
  const memory = memoryFile === undefined ? ["-o", "no_modern", "-m", "16"] : ["-m", "64", "-e", memoryFile];
  const args = [...place, ...memory, ...user];
  return new Deno.Command("memcached", { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
}

async function untilReady(at: Deno.ConnectOptions, child: Deno.ChildProcess): Promise<void> {
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  while (!hasEnded) {
    try {
      using _connection = await Deno.connect(at);
      return;
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    }
  }
  throw new Error(`memcached did not start on port ${at.port}`);
}

/** Keys with their values, read with the text protocol. */
async function dump(at: Deno.ConnectOptions): Promise<string> {
  const slabs = (await ask(at, "stats items\r\n")).matchAll(/^STAT items:(\d+):number /gm);
  const keys: string[] = [];
  for (const [, slab] of slabs) {
    const listed = await ask(at, `stats cachedump ${slab} 0\r\n`);
    keys.push(...[...listed.matchAll(/^ITEM (\S+)/gm)].map(([, key = ""]) => key));
  }
  return keys.length === 0 ? "" : await ask(at, `get ${keys.toSorted().join(" ")}\r\n`);
}

async function ask(at: Deno.ConnectOptions, command: string): Promise<string> {
  using connection = await Deno.connect(at);
  await connection.write(new TextEncoder().encode(command));
  const piece = new Uint8Array(65536);
  let text = "";
  while (!text.endsWith("END\r\n")) {
    const count = await connection.read(piece);
    if (count === null) break;
    text += new TextDecoder().decode(piece.subarray(0, count));
  }
  return text;
}
