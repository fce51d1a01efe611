/**
 * Tests of caches with servers that do not answer as they should.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { SharedCache } from "@/plugins/contract.ts";
import { BadServer } from "@/tests/support/bad_server.ts";

type Serve = (connection: Deno.Conn) => Promise<void>;

const LIFE = { seconds: 60 };

/** Answers the first request, whatever it is. */
export function answer(make: (request: Uint8Array) => Uint8Array<ArrayBuffer>): Serve {
  return async (connection) => {
    const request = new Uint8Array(1000);
    await connection.read(request);
    await connection.write(make(request));
  };
}

/** Answers the first request with a text. */
export function answerText(text: string): Serve {
  return answer(() => new TextEncoder().encode(text));
}

const SILENT_SERVERS: readonly [what: string, serve: Serve][] = [
  ["never answers", async (connection) => void await connection.read(new Uint8Array(1000))],
  ["closes the connection at once", (connection) => Promise.resolve(connection.close())],
  ["closes it instead of answering", async (connection) => {
    await connection.read(new Uint8Array(1000));
    connection.close();
  }],
];

/** Registers a test for each server, and for those that give no answer at all: every request fails. */
export function testBadServers(
  name: string,
  servers: readonly [what: string, serve: Serve][],
  { open, version }: { open(address: string): SharedCache; readonly version: string },
): void {
  for (const [what, serve] of [...SILENT_SERVERS, ...servers]) {
    Deno.test(`a ${name} that ${what} fails every request`, async () => {
      await using bad = new BadServer(serve);
      await using cache = open(bad.address);
      await assert.rejects(cache.get("k"));
      await assert.rejects(cache.add("k", "v", LIFE));
      await assert.rejects(cache.replace("k", "v", { ...LIFE, version }));
      await assert.rejects(cache.touch("k", LIFE));
      await assert.rejects(cache.remove("k"));
    });
  }
}
