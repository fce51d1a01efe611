import assert from "node:assert/strict";
import { ClientMemory } from "@/core/base/client_memory.ts";
import type { Row } from "@/core/model.ts";
import { type Bytes, SLICE, WHOLE, writeBody } from "@/core/respond/write_body.ts";
import type { Body, Chunk } from "@/plugins/contract.ts";

// A step leaves a timer of a millisecond behind, which gives the next turn.
Deno.test.sanitizer({ ops: false, resources: false });

const MEMORY = new ClientMemory(2 ** 30);
const settle = <T>(piece: Promise<T>) => piece;
const STAYING = { signal: new AbortController().signal, room: () => MEMORY.open("127.0.0.1"), settle };
const plain = (chunk: Chunk): string | Bytes => typeof chunk === "string" ? chunk : new Uint8Array(chunk);

/** A record of 1,000 characters for each number in a row, as pieces; counts the requested ones. */
function nested(onPiece: () => void = () => {}): Body {
  return {
    begin: () => "[",
    *row([count]: Row) {
      for (let index = 0; index < Number(count); index++) {
        onPiece();
        yield "x".repeat(1000);
      }
    },
    end: () => "]",
  };
}

function textOf(slices: readonly Bytes[]): string {
  return slices.map((slice) => new TextDecoder().decode(slice)).join("");
}

Deno.test("a small body is whole, in pieces or not", async () => {
  const joined = await writeBody(nested(), [[0], [2]], plain, STAYING, 1);
  assert.ok(joined instanceof Uint8Array);
  assert.equal(textOf([joined]), `[${"x".repeat(2000)}]`);
});

Deno.test("a small body of texts is there at once", () => {
  const flat: Body = { begin: () => "", row: ([cell]) => `${cell};`, end: () => "." };
  assert.equal(writeBody(flat, [[1], [2]], plain, STAYING, 1), "1;2;.");
});

Deno.test("a large body is cut into slices, however much of it is in one row", async () => {
  const written = await writeBody(nested(), [[5000]], plain, STAYING, 1);
  assert.ok(typeof written === "object" && "slices" in written);
  assert.equal(textOf(written.slices), `[${"x".repeat(5_000_000)}]`);
  const [first, ...others] = written.slices;
  assert.ok(first && first.length < WHOLE + 2000, "the part that might have been a whole body");
  for (const slice of others) assert.ok(slice.length < SLICE + 1000, `${slice.length}`);
});

Deno.test("others get their turn while a single row is written", async () => {
  let pieces = 0;
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(pieces), 0);
  await writeBody(nested(() => pieces++), [[10_000]], plain, STAYING, 1);
  clearInterval(timer);
  const between = [0, ...seen, pieces].map((count, index, all) => count - (all[index - 1] ?? 0));
  assert.ok(Math.max(...between) <= 2 * 1050, `${Math.max(...between)} pieces in one go`);
});

Deno.test("nothing more is written for a client that has gone", async () => {
  const client = new AbortController();
  let pieces = 0;
  const body = nested(() => {
    if (++pieces === 3000) client.abort(new Error("It has gone"));
  });
  const memory = new ClientMemory(2 ** 30);
  const going = { signal: client.signal, room: () => memory.open("127.0.0.1"), settle };
  await assert.rejects(
    async () => await writeBody(body, [[100_000]], plain, going, 1),
    /It has gone/,
  );
  assert.ok(pieces < 3000 + 1100, `${pieces} pieces`);
  assert.equal(memory.total, 0, "nothing of it is kept");
});

Deno.test("bytes and promises are joined in their order", async () => {
  const body: Body = {
    begin: () => new Uint8Array([1]),
    row: ([cell]) => Promise.resolve(cell === 0 ? new Uint8Array([2, 3]) : "4"),
    end: () => new Uint8Array(WHOLE).fill(5),
  };
  const written = await writeBody(body, [[0], [1]], plain, STAYING, 1);
  assert.ok(typeof written === "object" && "slices" in written);
  assert.deepEqual([...new Uint8Array(await new Blob([...written.slices]).arrayBuffer()).slice(0, 5)], [
    1,
    2,
    3,
    52,
    5,
  ]);
});
