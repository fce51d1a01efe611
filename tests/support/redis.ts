/**
 * A Redis or Valkey of a test's own, on a free loopback port.
 *
 * @module
 */

import { RedisConnection } from "@/plugins/caches/redis/connection.ts";
import type { Place } from "@/plugins/caches/redis/place.ts";
import { Refusal } from "@/plugins/caches/redis/reply.ts";
import { findProgram, freePort } from "@/tests/support/servers/programs.ts";
import { until } from "@/tests/support/until.ts";
import type { TestCache } from "./memcached.ts";

const PROGRAM = ["valkey-server", "redis-server"].map((name) => findProgram(name)).find((path) => path);

/** Why no server can be started here; undefined where it can. */
export const NO_REDIS = PROGRAM === undefined
  ? "neither valkey-server nor redis-server is installed"
  : undefined;

/** The server, and how its tests speak to it. */
export interface RedisOptions {
  /** Further arguments of the server. */
  readonly args?: readonly string[];
  /** How the tests log in. */
  readonly login?: Pick<Place, "user" | "password">;
  /** The authority of its certificate; the server then takes encrypted connections only. */
  readonly ca?: string;
}

/** A running server. */
export interface TestRedis extends TestCache {
  readonly port: number;
  /** Sends one command. Throws the server's refusal. */
  command(...words: string[]): Promise<unknown>;
}

/** Starts it and waits until it answers. It keeps nothing when it stops, unless `args` say so. */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const port = freePort();
  let child = spawn(port, options);
  let isRunning = true;
  const place: Place = {
    host: options.ca === undefined ? "127.0.0.1" : "localhost",
    port,
    isEncrypted: options.ca !== undefined,
    database: 0,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...options.login,
  };
  const command = async (...words: string[]) => {
    const connection = new RedisConnection(place);
    try {
      const reply = await connection.ask(words);
      if (reply instanceof Refusal) throw new Error(reply.reason);
      return reply;
    } finally {
      connection.end(new Error("The test has its answer"));
    }
  };
  const isReady = () => command("PING").then(() => true, () => false);
  const stopWith = async (signal: Deno.Signal) => {
    if (!isRunning) return;
    isRunning = false;
    child.kill(signal);
    await child.status;
  };
  const server: TestRedis = {
    address: `redis://127.0.0.1:${port}`,
    port,
    command,
    stop: () => stopWith("SIGKILL"),
    async start() {
      child = spawn(port, options);
      isRunning = true;
      await until(isReady);
    },
    async restart() {
      await stopWith("SIGTERM");
      await server.start();
    },
    async dump() {
      return String(await command("EVAL", DUMP, "0"));
    },
    [Symbol.asyncDispose]: () => stopWith("SIGKILL"),
  };
  await until(isReady);
  return server;
}

/** All keys with their values, as one text. */
const DUMP = `local lines = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  lines[#lines + 1] = key .. ' ' .. redis.call('GET', key)
end
table.sort(lines)
return table.concat(lines, '\\n')`;

function spawn(port: number, { args = [], ca }: RedisOptions): Deno.ChildProcess {
  const listen = ca === undefined ? ["--port", String(port)] : ["--port", "0", "--tls-port", String(port)];
  return new Deno.Command(PROGRAM ?? "redis-server", {
    args: [...listen, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", ...args],
    cwd: "/tmp",
    stdout: "null",
    stderr: "null",
  }).spawn();
}
