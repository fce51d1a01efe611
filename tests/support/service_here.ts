/**
 * The service in the process of the tests: `serve` without its signals, its workers and its handler of stray
 * failures. A promise of the service that fails without a handler fails the test.
 *
 * @module
 */

import { join } from "node:path";
import { parseCommand, type ServeCommand } from "@/config/command_line.ts";
import { loadConfiguration } from "@/config/mod.ts";
import { startWorker } from "@/core/start/start_worker.ts";
import { makeHome, type StartOptions, type TestService } from "@/tests/support/service.ts";
import { fetchInTime } from "@/tests/support/until.ts";

/** Milliseconds that requests in flight have to finish. */
const GRACE = 10_000;
const HARD_LIMIT = 10_240;

/** Starts it and waits until it listens. */
export async function startHere(options: StartOptions): Promise<TestService> {
  await using stack = new AsyncDisposableStack();
  const home = await makeHome(options);
  stack.defer(() => Deno.remove(home, { recursive: true }));
  const own = Object.keys(options.env ?? {}).filter((name) => name === "TZ" || name.startsWith("DENO_"));
  if (own.length > 0) throw new Error(`Only a process can have its own ${own.join(", ")}`);
  const environment = { ...Deno.env.toObject(), ...options.env };
  const command = commandOf(["--home", home, ...options.args ?? []], environment);
  const written = loadConfiguration(command.directories, environment);
  const firstRunToken = crypto.randomUUID();
  const { port } = command;
  const place = { port, workers: 1, hardLimit: HARD_LIMIT, firstRunToken, began: Date.now(), isKeeper: true };
  const { server } = stack.use(await startWorker({ command, place, written, environment }));
  stack.defer(() => server.stop(GRACE));
  const url = `http://127.0.0.1:${server.port}`;
  const owned = stack.move();
  return {
    url,
    port: server.port,
    home,
    fetch: (path, init) => fetchInTime(url + path, init),
    log: () => Deno.readTextFile(join(home, "log", "rowhouse.log")),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function commandOf(args: readonly string[], environment: Readonly<Record<string, string>>): ServeCommand {
  const command = parseCommand(["serve", "--port", "0", ...args], environment);
  if (command.name === "serve" && command.workers === 1) return command;
  throw new Error(`Only a process can do this: ${args.join(" ")}`);
}
