import assert from "node:assert/strict";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import { ClientMemory } from "@/core/base/client_memory.ts";
import type { Row } from "@/core/model.ts";
import { guardFormat } from "@/core/request/guard_format.ts";
import { rowPieces, slicesOf, writeBody } from "@/core/respond/write_body.ts";
import type { Body, Chunk, Format } from "@/plugins/contract.ts";
import json from "@/formats/json/mod.ts";
import { HOST, shape } from "@/tests/conformance/shapes.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

const CHUNKS = ["document", "problem", "form", "view", "schema", "documentSchema"] as const;

/** A format with one member replaced, behind its guard. */
function guarded(
  member: keyof Format,
  work: () => unknown,
): Record<string, (...given: unknown[]) => unknown> {
  const format = { ...json.setup(sectionOf(json), HOST), [member]: work };
  return guardFormat("odd", format as Format, 0.05) as never;
}

for (const member of CHUNKS) {
  Deno.test(`a format may promise what ${member} writes, and is named if that fails or never comes`, async () => {
    assert.equal(await guarded(member, () => Promise.resolve("later"))[member]?.(), "later");
    const named = new RegExp(`^Error: The format "odd" failed in ${member}\\(\\)$`);
    const broken = () => {
      throw new Error("broken");
    };
    assert.throws(() => guarded(member, broken)[member]?.(), named);
    const failing = guarded(member, () => Promise.reject(new Error("broken")));
    await assert.rejects(async () => await failing[member]?.(), named);
    const never = guarded(member, () => new Promise<never>(() => {}));
    await assert.rejects(
      async () => await never[member]?.(),
      (error: unknown) => error instanceof LatePlugin && error.reason.includes(`format "odd" in ${member}()`),
    );
  });
}

Deno.test("a format whose writer gives none is named, and its own state stays its own", () => {
  assert.throws(() => guarded("writer", () => undefined)["writer"]?.(shape([])), /"odd" failed in writer/);
  class Counting {
    #count = 0;
    readonly contentTypes = ["text/count"];
    writer = () => () => ({ begin: () => "", row: () => "", end: () => "" });
    document(): Chunk {
      return String(++this.#count);
    }
    problem(): Chunk {
      return String(++this.#count);
    }
    read() {
      return { complaint: `body ${++this.#count}` };
    }
  }
  const format = guardFormat("count", new Counting(), 1) as unknown as Counting;
  assert.deepEqual([format.document(), format.problem(), format.contentTypes], ["1", "2", ["text/count"]]);
  // The core takes it out of the format.
  const { read } = format;
  assert.deepEqual(read(), { complaint: "body 3" });
});

/** A body whose rows settle later, the first ones last; it fails if a part is asked for too early. */
function slow(begin: Chunk | Promise<Chunk>): Body {
  let isBusy = false;
  const later = (text: string, milliseconds: number) => {
    assert.equal(isBusy, false, `${text} is asked for before the part before it has settled`);
    isBusy = true;
    return new Promise<Chunk>((resolve) =>
      setTimeout(() => {
        isBusy = false;
        resolve(text);
      }, milliseconds)
    );
  };
  return {
    begin: () => begin,
    row: ([cell]: Row) => cell === 3 ? "3," : later(`${cell},`, 5 - Number(cell)),
    end: () => later(".", 1),
  };
}

const ROWS: readonly Row[] = [[1], [2], [3], [4]];
const CLIENT = {
  signal: new AbortController().signal,
  room: () => new ClientMemory(2 ** 20).open("192.0.2.1"),
  settle: <T>(piece: Promise<T>) => piece,
};
const plain = (chunk: Chunk) => chunk as string;

for (const begin of ["[", Promise.resolve("[")]) {
  const title = typeof begin === "string" ? "a text" : "a promise";
  Deno.test(`rows that are promises settle one after another, behind ${title} as begin`, async () => {
    const whole = await writeBody(slow(begin), ROWS, plain, CLIENT, 4);
    assert.equal(new TextDecoder().decode(whole as Uint8Array), "[1,2,3,4,.");
    const body = slow(begin);
    const pieces = function* () {
      yield body.begin();
      yield* rowPieces(body, ROWS, true);
      yield body.end();
    };
    let streamed = "";
    for await (const slice of slicesOf(pieces(), plain, CLIENT)) streamed += new TextDecoder().decode(slice);
    assert.equal(streamed, "[1,2,3,4,.");
  });
}
