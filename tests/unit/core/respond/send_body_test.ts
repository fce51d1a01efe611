import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { ClientMemory } from "@/core/base/client_memory.ts";
import { METERS } from "@/core/base/meters.ts";
import { builtSource, sendBody, type Source } from "@/core/respond/send_body.ts";
import { SLICE } from "@/core/respond/write_body.ts";

/** Milliseconds. */
const SOON = 20;

/** A log that remembers. */
function watchedLog() {
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message);
  return { lines, log: { info: note, warn: note, error: note } };
}

/** Returns the same piece for ever, and counts its endings. */
function endless(): Source & { ended: number } {
  return {
    ended: 0,
    next: () => new Uint8Array(10),
    end() {
      this.ended++;
    },
  };
}

Deno.test("a client that takes nothing is cut off, and the log says so once", async () => {
  const { lines, log } = watchedLog();
  const source = endless();
  const before = METERS.counts("rowhouse_cut_off_total").get("reader") ?? 0;
  const reader = sendBody(source, { log, patience: SOON }).getReader();
  assert.equal((await reader.read()).value?.length, 10);
  await assert.rejects(reader.closed, /^Error: The answer was cut off$/);
  assert.equal(source.ended, 1);
  assert.equal(METERS.counts("rowhouse_cut_off_total").get("reader"), before + 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /took nothing of its answer for 0\.02 seconds and was cut off$/);
});

Deno.test("a body that nobody begins to take is let go as well", async () => {
  const source = endless();
  const reader = sendBody(source, { log: watchedLog().log, patience: SOON }).getReader();
  await assert.rejects(reader.closed);
  assert.equal(source.ended, 1);
});

Deno.test("the time that the service needs for a piece is not the client's", async () => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const source = { next: () => promise, end: () => {} };
  const { lines, log } = watchedLog();
  const reader = sendBody(source, { log, patience: SOON }).getReader();
  const read = reader.read();
  void setTimeout(5 * SOON).then(() => resolve(new Uint8Array(3)));
  assert.equal((await read).value?.length, 3);
  await reader.cancel();
  assert.deepEqual(lines, []);
});

Deno.test("what was built gives its room back as it is taken, and all of it when the client leaves", async () => {
  const memory = new ClientMemory(2 ** 30);
  const build = () => {
    const room = memory.open("192.0.2.1");
    const slices = [2.5 * SLICE, 10].map((size) => {
      room.add(size);
      return new Uint8Array(size);
    });
    return { slices, room };
  };
  const options = { log: watchedLog().log };
  const read = async (reader: ReadableStreamDefaultReader<Uint8Array>) => (await reader.read()).value?.length;
  const whole = sendBody(builtSource(build()), options).getReader();
  // Node's adapter keeps the first two pieces.
  const most = 2.5 * SLICE + 10;
  assert.deepEqual([await read(whole), memory.total], [1024, most]);
  assert.deepEqual([await read(whole), memory.total], [1024, most - 1024]);
  assert.deepEqual([await read(whole), memory.total], [SLICE, most - 2048]);
  assert.deepEqual([await read(whole), memory.total], [SLICE, most - 2048 - SLICE]);
  assert.deepEqual([await read(whole), memory.total], [SLICE / 2 - 2048, SLICE / 2 - 2048 + 10]);
  assert.deepEqual([await read(whole), memory.total], [10, 10]);
  assert.deepEqual([await read(whole), memory.total], [undefined, 0]);
  const left = sendBody(builtSource(build()), options).getReader();
  await read(left);
  await left.cancel();
  assert.equal(memory.total, 0);
});

/** Gives one piece, fails after it or ends, and cannot be ended. */
function unendable(fails: boolean): Source {
  let isFirst = true;
  return {
    next() {
      if (isFirst) {
        isFirst = false;
        return new Uint8Array(1);
      }
      if (fails) throw new Error("first");
      return undefined;
    },
    end: () => Promise.reject(new Error("second")),
  };
}

Deno.test("a source that cannot be ended is in the log, and its client has a whole body", async () => {
  const { lines, log } = watchedLog();
  const body = sendBody(unendable(false), { log });
  assert.equal((await new Response(body).bytes()).length, 1);
  await Promise.resolve();
  assert.deepEqual(lines, ["A stream could not be ended"]);
});

Deno.test("a source that fails and cannot be ended shows its client neither error", async () => {
  const { lines, log } = watchedLog();
  const body = sendBody(unendable(true), { log });
  await assert.rejects(new Response(body).bytes(), /^Error: The answer was cut off$/);
  assert.deepEqual(lines, ["A stream was cut off", "A stream could not be ended"]);
});

Deno.test("the error of a body is one line on standard error, where Node's adapter shows it", async () => {
  const body = sendBody(unendable(true), { log: watchedLog().log });
  const error = await new Response(body).bytes().catch((reason: unknown) => reason);
  assert.equal(Deno.inspect(error), "[The answer was cut off]");
});

Deno.test("a source that fails because its client has left is not in the log", async () => {
  const { lines, log } = watchedLog();
  const client = new AbortController();
  const source: Source = {
    next() {
      client.abort();
      throw client.signal.reason;
    },
    end: () => {},
  };
  const body = sendBody(source, { log, signal: client.signal });
  await assert.rejects(new Response(body).bytes(), /^Error: The answer was cut off$/);
  assert.deepEqual(lines, []);
});

Deno.test("a client leaves a source that cannot be ended without an error", async () => {
  const { lines, log } = watchedLog();
  await sendBody(unendable(false), { log }).cancel();
  assert.deepEqual(lines, ["A stream could not be ended"]);
});

Deno.test("clients of Deno.serve that leave early do not count as those that take nothing", async () => {
  const { lines, log } = watchedLog();
  const clients = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
  const next = () => setTimeout(1, new Uint8Array(10));
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const end = () => clients[Number(new URL(url).searchParams.get("at"))]?.resolve();
    return new Response(sendBody({ next, end }, { log, patience: 25 * SOON }));
  });
  await Promise.all(clients.map(async ({ promise }, at) => {
    await (await fetch(`http://127.0.0.1:${server.addr.port}/?at=${at}`)).body?.cancel();
    await promise;
  }));
  await setTimeout(50 * SOON);
  assert.deepEqual(lines, []);
});
