import assert from "node:assert/strict";
import { ClientMemory } from "@/core/base/client_memory.ts";
import { AHEAD, ReadAhead } from "@/core/respond/read_ahead.ts";
import type { Source } from "@/core/respond/send_body.ts";
import { until } from "@/tests/support/until.ts";

const PIECE = 65_536;

/** Gives pieces that begin with their number. */
class Pieces implements Source {
  given = 0;
  endings = 0;
  isDone = false;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.given === this.#count) {
      this.isDone = true;
      return Promise.resolve(undefined);
    }
    return Promise.resolve(new Uint8Array(PIECE).fill(this.given++, 0, 1));
  }

  end(): void {
    this.endings++;
  }
}

async function rest(source: Source): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (let piece = await source.next(); piece; piece = await source.next()) numbers.push(piece[0] ?? -1);
  return numbers;
}

Deno.test("an answer of up to a mebibyte is read to its end before its client takes anything", async () => {
  const memory = new ClientMemory(2 ** 30);
  const pieces = new Pieces(AHEAD / PIECE - 1);
  const source = new ReadAhead(pieces, memory.open("192.0.2.1"));
  await until(() => pieces.isDone);
  assert.equal(memory.total, AHEAD - PIECE);
  assert.deepEqual(await rest(source), Array.from({ length: 15 }, (_, number) => number));
  await source.end();
  assert.deepEqual([memory.total, pieces.endings], [0, 1]);
});

Deno.test("a longer answer is read no further ahead", async () => {
  const memory = new ClientMemory(2 ** 30);
  const pieces = new Pieces(100);
  const source = new ReadAhead(pieces, memory.open("192.0.2.1"));
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(pieces.given, AHEAD / PIECE);
  assert.deepEqual(await rest(source), Array.from({ length: 100 }, (_, number) => number));
});

Deno.test("without room for it the client sets the pace", async () => {
  const memory = new ClientMemory(4 * PIECE);
  memory.open("192.0.2.1").add(PIECE / 2);
  const pieces = new Pieces(20);
  const source = new ReadAhead(pieces, memory.open("192.0.2.1"));
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(pieces.given, 1);
  assert.equal((await rest(source)).length, 20);
});

Deno.test("a client that is fast sets the pace", async () => {
  const pieces = new Pieces(100);
  const source = new ReadAhead(pieces, new ClientMemory(2 ** 30).open("192.0.2.1"));
  for (let taken = 1; taken <= 10; taken++) {
    await source.next();
    assert.equal(pieces.given, taken);
  }
  await source.end();
});

Deno.test("a client that leaves ends the reading, and gives its room back", async () => {
  const memory = new ClientMemory(2 ** 30);
  const pieces = new Pieces(100);
  const source = new ReadAhead(pieces, memory.open("192.0.2.1"));
  await source.next();
  await until(() => pieces.given > 2);
  await source.end();
  const { given } = pieces;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(pieces.given <= given + 1);
  assert.deepEqual([memory.total, pieces.endings, await source.next()], [0, 1, undefined]);
});

Deno.test("a failure comes behind the pieces that were read before it", async () => {
  const failure = new Error("The connection is gone");
  let left = 2;
  const failing: Source = {
    next: () => left-- > 0 ? Promise.resolve(new Uint8Array(3)) : Promise.reject(failure),
    end: () => {},
  };
  const source = new ReadAhead(failing, new ClientMemory(2 ** 30).open("192.0.2.1"));
  assert.equal((await source.next())?.length, 3);
  assert.equal((await source.next())?.length, 3);
  await assert.rejects(async () => await source.next(), failure);
});
