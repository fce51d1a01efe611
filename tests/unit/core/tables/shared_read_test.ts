import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Row } from "@/core/model.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { KeyedRows } from "@/core/tables/compile_read.ts";
import { readShared } from "@/core/tables/shared_read.ts";
import type { Database, Failure, Run } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

type Answer = (keys: readonly unknown[]) => Failure | readonly Row[] | undefined;

interface Reading {
  /** The keys of each statement that several requests share. */
  readonly begun: (readonly unknown[])[];
  readonly alone: unknown[];
  /** Reads all in one moment: the clock stands still. */
  readAll(keys: readonly unknown[]): readonly Promise<unknown>[];
}

/** `answer`: the result of a shared statement; undefined: a row for each key but 404. */
async function reading(
  work: (reading: Reading) => Promise<void>,
  answer: Answer = () => undefined,
): Promise<void> {
  await using shop = await InProcess.open();
  const plan = shop.plan("GET /db/Shop/Tag/Text/x.json") as ReadPlan;
  const begun: (readonly unknown[])[] = [];
  const alone: unknown[] = [];
  const database: Database = Object.create(plan.database, {
    classify: { value: (error: unknown) => error instanceof DatabaseFailure ? error.failure : undefined },
    read: {
      value: async ([run]: readonly Run[]) => {
        const { parameters = [] } = run ?? {};
        begun.push(parameters);
        await delay(1);
        const found = answer(parameters);
        if (typeof found === "string") throw new DatabaseFailure(found, found);
        return [found ?? [...new Set(parameters)].filter((key) => key !== 404).map((key) => ["row", key])];
      },
    },
  });
  const { prepared } = plan.compiled.rows;
  const keyed: KeyedRows = {
    cell: 1,
    statement: (count) => ({ prepared, slots: Array.from({ length: count }, (_, slot) => slot) }),
  };
  const read = async (key: unknown) => {
    const own = { ...plan, database, compiled: { ...plan.compiled, keyed }, values: [key] };
    const [rows = []] = await readShared(own, undefined, () => {
      alone.push(key);
      return Promise.resolve([[["alone", key as string]]]);
    });
    return rows[0] ?? "none";
  };
  await work({
    begun,
    alone,
    readAll(keys) {
      const moment = performance.now();
      performance.now = () => moment;
      try {
        return keys.map(read);
      } finally {
        Reflect.deleteProperty(performance, "now");
      }
    },
  });
}

Deno.test("records that are asked for while a statement runs share the next one", async () => {
  await reading(async ({ begun, alone, readAll }) => {
    const found = await Promise.all(readAll([9, 1, 2, 404, 3, 2, 4n, "5"]));
    assert.deepEqual(found, [
      ["alone", 9],
      ["alone", 1],
      ["row", 2],
      "none",
      ["row", 3],
      ["row", 2],
      ["row", 4n],
      ["row", "5"],
    ]);
    assert.deepEqual([begun, alone], [[[2, 404, 3, 2, 4n, "5", "5", "5"]], [9, 1]]);
  });
});

Deno.test("at most 32 keys share a statement", async () => {
  await reading(async ({ begun, readAll }) => {
    await Promise.all(readAll(Array.from({ length: 42 }, (_, at) => at + 1)));
    assert.deepEqual(begun.map((keys) => keys.length), [32, 8]);
  });
});

Deno.test("a key that a cell may show differently is read alone", async () => {
  await reading(async ({ begun, alone, readAll }) => {
    const odd = [0, -1, 1.5, "01", "1e3", " 1", 9007199254740993n, "x", null];
    await Promise.all(readAll([1, 2, ...odd, 3, 4]));
    assert.deepEqual(begun, [[3, 4]]);
    assert.deepEqual(new Set(alone), new Set([1, 2, ...odd]));
  });
});

for (const failure of ["invalid", "contention", "changed"] as const) {
  Deno.test(`after the failure ${failure} of a shared statement each record is read alone`, async () => {
    await reading(async ({ begun, alone, readAll }) => {
      const found = await Promise.all(readAll([1, 2, 3, 4]));
      assert.deepEqual(found, [["alone", 1], ["alone", 2], ["alone", 3], ["alone", 4]]);
      assert.deepEqual([begun, alone], [[[3, 4]], [1, 2, 3, 4]]);
    }, () => failure);
  });
}

for (const failure of ["timeout", "unavailable"] as const) {
  Deno.test(`the failure ${failure} of a shared statement is that of each of its requests`, async () => {
    await reading(async ({ alone, readAll }) => {
      const [, , ...shared] = await Promise.allSettled(readAll([1, 2, 3, 4]));
      assert.deepEqual(
        shared.map((each) => each.status === "rejected" && each.reason.failure),
        [failure, failure],
      );
      assert.deepEqual(alone, [1, 2]);
    }, () => failure);
  });
}

Deno.test("rows that nobody has asked for are given to nobody", async () => {
  await reading(async ({ readAll }) => {
    const [, , ...shared] = await Promise.all(readAll([1, 2, 3, 4]));
    assert.deepEqual(shared, [["alone", 3], ["alone", 4]]);
  }, () => [["row", 3], ["row", "04"]]);
});
