/**
 * @module Sockets that use up the process's descriptors: the service goes on, and
 * serves again when they have gone.
 */

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { tell } from "@/tests/support/figures.ts";
import { descriptors, startProcess, type TestProcess } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";

/** Descriptors that the service may have. */
const OPEN_FILES = 256;
/** More sockets than that, opened as fast as possible. */
const SOCKETS = 600;

const EDITOR = { apikey: "editor-0123456789-0123456789-0123456789" };
const FILES = {
  "config/users.cfg":
    `public: {databases: {Demo: {}}}\neditor: {apikey: ${EDITOR.apikey}, databases: {Demo: {}}}\n`,
};

/** Sockets that are opened and say nothing. */
async function idleSockets({ port }: TestProcess): Promise<AsyncDisposableStack> {
  const stack = new AsyncDisposableStack();
  const attempts = Array.from({ length: SOCKETS }, () => Deno.connect({ hostname: "127.0.0.1", port }));
  for (const attempt of await Promise.allSettled(attempts)) {
    if (attempt.status === "fulfilled") stack.defer(() => attempt.value.close());
  }
  return stack;
}

/**
 * Whether a record was created. False where the connection is cut off: it waited
 * for a listener that was replaced.
 */
async function isServed(service: TestProcess): Promise<boolean> {
  const headers = { ...EDITOR, "Content-Type": "application/json" };
  const body = JSON.stringify({ Name: crypto.randomUUID().slice(0, 8) });
  const signal = AbortSignal.timeout(60_000);
  try {
    const response = await service.fetch("/db/Demo/Amenity.json", { method: "POST", headers, body, signal });
    await response.body?.cancel();
    return response.status === 201;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Each has three descriptors: more than `server.max_connections` and the usual ones of a service. */
const DATABASES = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [`D${at}`, "CREATE TABLE t (a);"]),
);

Deno.test({
  name: "descriptors of databases count as no connections: an idle client stays connected",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({
      sqlite: DATABASES,
      files: { "config/service.ini": "[service]\nserver.max_connections = 20\nready.when = all\n" },
    });
    await until(async () => (await (await service.fetch("/readyz")).text()).startsWith("ready"));
    // Connections that were there when the databases connected may be closed once.
    await setTimeout(1000);
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
    const ask = async () => {
      await connection.write(new TextEncoder().encode("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      const size = await connection.read(new Uint8Array(4096));
      return size !== null && size > 0;
    };
    assert.equal(await ask(), true);
    await setTimeout(1500);
    assert.equal(await ask(), true);
  },
});

for (const adapter of ["deno", "node"] as const) {
  Deno.test({
    name: `a service whose descriptors were used up by idle sockets serves everybody afterwards (${adapter})`,
    ignore: Deno.build.os !== "linux",
    async fn(t) {
      await using service = await startProcess({
        files: FILES,
        args: ["--adapter", adapter],
        openFiles: OPEN_FILES,
      });
      await until(() => isServed(service));
      const before = descriptors(service);
      for (let round = 0; round < 3; round++) {
        await using _sockets = await idleSockets(service);
      }
      const left = performance.now();
      await until(async () => await isServed(service) && descriptors(service) <= before + 5);
      const seconds = (performance.now() - left) / 1000;
      await tell(t, `everybody is served after ${seconds.toFixed(1)} s, with ${before} descriptors in use`);
      assert.equal((await service.stop()).code, 0);
    },
  });
}
