/** @module Sockets that use up the process's descriptors: the service goes on, and serves again when they have gone. */

import assert from "node:assert/strict";
import { sendRaw } from "@/tests/raw_request.ts";
import { startService, type TestService } from "@/tests/service.ts";
import { until } from "@/tests/until.ts";

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
async function idleSockets({ port }: TestService): Promise<AsyncDisposableStack> {
  const stack = new AsyncDisposableStack();
  const attempts = Array.from({ length: SOCKETS }, () => Deno.connect({ hostname: "127.0.0.1", port }));
  for (const attempt of await Promise.allSettled(attempts)) {
    if (attempt.status === "fulfilled") stack.defer(() => attempt.value.close());
  }
  return stack;
}

/** False where the connection is cut off: it waited for a listener that has been replaced. */
async function isServed({ port }: TestService): Promise<boolean> {
  try {
    return (await sendRaw(port, { target: "/db/Demo/Port/PortId/1/Name.json" })).text === '"Bergen"';
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.ConnectionRefused) {
      return false;
    }
    throw error;
  }
}

async function create({ port }: TestService, name: string): Promise<number> {
  const headers = { ...EDITOR, "Content-Type": "application/json" };
  const body = JSON.stringify({ Name: name });
  return (await sendRaw(port, { method: "POST", target: "/db/Demo/Amenity.json", headers, body })).status;
}

for (const adapter of ["deno", "node"] as const) {
  Deno.test({
    name: `a service whose descriptors were used up by idle sockets serves everybody afterwards (${adapter})`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using service = await startService({
        files: FILES,
        args: ["--adapter", adapter],
        openFiles: OPEN_FILES,
      });
      for (let round = 0; round < 3; round++) {
        await using _sockets = await idleSockets(service);
      }
      await until(() => isServed(service));
      assert.equal(await create(service, "Planetarium"), 201);
      assert.equal((await service.stop()).code, 0);
    },
  });
}
