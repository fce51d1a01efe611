import assert from "node:assert/strict";
import type { Row } from "@/core/model.ts";
import { executeRead } from "@/core/tables/execute_read.ts";
import type { Database, Run, StreamOptions } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

/** Reads lists of `count` records, each with a text of `size` characters, by reads with these limits. */
async function readList(path: string, lists: readonly (readonly [count: number, size: number])[]) {
  await using shop = await InProcess.open();
  const [limits, fetched]: [number[], number[]] = [[], []];
  const ends: (number | "stream" | "refused")[] = [];
  for (const [count, size] of lists) {
    const plan = shop.plan(`GET /db/Shop/${path}`);
    assert.ok(plan.kind === "read");
    const [row]: Row[] = [["x".repeat(size)]];
    const database: Database = Object.create(plan.database, {
      read: {
        value: ([run]: readonly Run[]) => {
          const limit = Number(run?.parameters.at(0));
          limits.push(limit);
          return [Array.from({ length: Math.min(count, limit) }, () => [...row ?? []])];
        },
      },
      stream: {
        async *value(_run: Run, { fetchSize }: StreamOptions) {
          fetched.push(fetchSize);
          yield [row];
        },
      },
    });
    const options = { signal: NEVER, fetchSize: 50, turn: "test" };
    try {
      const { result } = await executeRead({ ...plan, database }, options);
      ends.push(result.kind === "stream" ? "stream" : result.rows.length);
    } catch (error) {
      assert.match(String(error), /The answer is too large to be built at once/);
      ends.push("refused");
    }
  }
  return { limits, ends, fetched };
}

Deno.test("a list whose rows are too large to be in memory at once is streamed, and no more of it is read", async () => {
  const large = await readList("Tag.json", [[10_000, 200_000], [10_000, 200_000], [3, 200_000]]);
  assert.deepEqual(large, {
    limits: [51, 408, 336, 336],
    ends: ["stream", "stream", 3],
    fetched: [50, 50],
  });
  const documents = await readList("Tag.json", [[500, 10_000_000]]);
  assert.deepEqual(documents, { limits: [51], ends: ["stream"], fetched: [7] });
  const few = await readList("Tag.json?limit=100", [[100, 1_000_000]]);
  assert.deepEqual(few, { limits: [51, 100], ends: ["stream"], fetched: [50] });
});

Deno.test("a list of small rows is read whole, the first time in two steps", async () => {
  const small = await readList("Tag.json", [[400, 10], [4000, 10], [6000, 10]]);
  assert.deepEqual(small, { limits: [51, 5001, 5001, 5001], ends: [400, 4000, "stream"], fetched: [500] });
  const first = await readList("Tag.json", [[4000, 10], [4000, 10]]);
  assert.deepEqual(first, { limits: [51, 5001, 5001], ends: [4000, 4000], fetched: [] });
});

Deno.test("an answer that needs all rows at once is refused once they are too large for it", async () => {
  const turned = await readList("Tag.json?transpose", [[400, 200_000], [10_000, 200_000], [10, 200_000]]);
  assert.deepEqual(turned, { limits: [51, 408, 336, 336], ends: [400, "refused", 10], fetched: [] });
});

Deno.test("one large row makes no other answers be refused", async () => {
  const { limits, ends } = await readList("Tag.json?transpose", [[1, 50_000_000], [4000, 10], [4000, 10]]);
  assert.deepEqual(ends, [1, 4000, 4000]);
  assert.deepEqual(limits, [51, 2, 16, 128, 1024, 8192, 3, 24, 192, 1536, 12288]);
});
