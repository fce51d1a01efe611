import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { Row } from "@/core/model.ts";
import type { KeyedRows } from "@/core/tables/kept_statement.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import { readShared } from "@/core/tables/shared_read.ts";
import type { Database, Failure, ReadOptions, Run } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { inOneMoment } from "@/tests/support/one_moment.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

/** The rows of a statement with these keys, or its failure. */
type Answer = (keys: readonly unknown[]) => Promise<readonly Row[]>;

interface Reading {
  /** The keys of each statement that several requests share. */
  readonly begun: (readonly unknown[])[];
  readonly alone: unknown[];
  /** Uses of the database that have not ended. */
  readonly leases: Set<unknown>;
  read(key: unknown): Promise<unknown>;
  /** Reads all in one moment. */
  readAll(keys: readonly unknown[]): readonly Promise<unknown>[];
}

/** Each key but 404 has a record of a cell, and the key behind it. */
function rowsOf(keys: readonly unknown[]): readonly Row[] {
  return [...new Set(keys)].filter((key) => key !== 404).map((key) => [`record ${key}`, key as number]);
}

function failing(failure: Failure): Answer {
  return () => Promise.reject(new DatabaseFailure(failure, failure));
}

async function reading(
  work: (reading: Reading) => Promise<void>,
  answer: Answer = (keys) => delay(1, rowsOf(keys)),
): Promise<void> {
  await using shop = await InProcess.open();
  const plan = shop.plan("GET /db/Shop/Tag/Text/x.json") as ReadPlan;
  const begun: (readonly unknown[])[] = [];
  const alone: unknown[] = [];
  const leases = new Set<unknown>();
  const database: Database = Object.create(plan.database, {
    read: {
      value: async ([run]: readonly Run[], { signal }: ReadOptions) => {
        const { parameters = [] } = run ?? {};
        assert.equal(signal, NEVER, "nobody's leaving cancels it");
        begun.push(parameters);
        return [await answer(parameters)];
      },
    },
  });
  const managed: ManagedDatabase = Object.create(plan.managed, {
    lease: {
      value: () => {
        const lease = { [Symbol.dispose]: () => void leases.delete(lease) };
        leases.add(lease);
        return lease;
      },
    },
  });
  const { prepared } = plan.compiled.rows;
  const keyed: KeyedRows = {
    cell: 1,
    width: 1,
    statement: (count) => ({ prepared, slots: Array.from({ length: count }, (_, slot) => slot) }),
  };
  const read = async (key: unknown) => {
    const own = { ...plan, database, managed, compiled: { ...plan.compiled, keyed }, values: [key] };
    const [rows = []] = await readShared(own, undefined, () => {
      alone.push(key);
      return Promise.resolve(key === 404 ? [[]] : [[["alone", key as string]]]);
    });
    return rows.length > 1 ? rows : rows[0] ?? "none";
  };
  await work({ begun, alone, leases, read, readAll: (keys) => inOneMoment(() => keys.map(read)) });
}

Deno.test("records that are asked for while two statements run share the next one, and one fills it up", async () => {
  await reading(async ({ begun, alone, leases, readAll }) => {
    const found = Promise.all(readAll([9, 1, 2, 3, 2, 4n, "5"]));
    assert.equal(leases.size, 7, "the database stays open");
    assert.deepEqual(await found, [
      ["alone", 9],
      ["alone", 1],
      ["record 2"],
      ["record 3"],
      ["record 2"],
      ["record 4"],
      ["record 5"],
    ], "without the cell that only tells the key");
    assert.deepEqual([begun, alone], [[[2, 3, 2, 4n, "5", "5", "5", "5"]], [9, 1]]);
    assert.equal(leases.size, 0);
  });
});

Deno.test("at most 32 keys share a statement", async () => {
  await reading(async ({ begun, readAll }) => {
    await Promise.all(readAll(Array.from({ length: 42 }, (_, at) => at + 1)));
    assert.deepEqual(begun.map((keys) => new Set(keys).size), [32, 8]);
  });
});

Deno.test("a key that a cell may show differently is read alone", async () => {
  await reading(async ({ begun, alone, readAll }) => {
    const odd = [0, -1, 1.5, "01", "1e3", " 1", 9007199254740993n, "x", null];
    await Promise.all(readAll([1, 2, ...odd, 3, 4]));
    assert.deepEqual(begun.map((keys) => [...new Set(keys)]), [[3, 4]]);
    assert.deepEqual(new Set(alone), new Set([1, 2, ...odd]));
  });
});

Deno.test("a record that no row shows is looked for alone: the database may know it by another spelling", async () => {
  await reading(async ({ alone, readAll }) => {
    const [, , ...shared] = await Promise.all(readAll([1, 2, 70, 404, 1970]));
    assert.deepEqual(shared, [["alone", 70], "none", ["record 1970"]]);
    assert.deepEqual(alone, [1, 2, 70, 404]);
  }, () => delay(1, rowsOf([1970])));
});

Deno.test("each of several records with one key is given", async () => {
  await reading(async ({ begun, readAll }) => {
    const found = await Promise.all(readAll([1, 2, 3, 4]));
    assert.deepEqual([found.slice(2), begun.length], [[[["first"], ["second"]], ["other"]], 1]);
  }, () => Promise.resolve([["first", 3], ["second", 3], ["other", 4]]));
});

for (const failure of ["invalid", "contention", "changed", "timeout", "unavailable"] as const) {
  Deno.test(`after the failure ${failure} of a shared statement each record is read alone`, async () => {
    await reading(async ({ begun, alone, readAll }) => {
      const found = await Promise.all(readAll([1, 2, 3, 4]));
      assert.deepEqual(found, [["alone", 1], ["alone", 2], ["alone", 3], ["alone", 4]]);
      assert.deepEqual([begun.length, alone], [1, [1, 2, 3, 4]]);
    }, failing(failure));
  });
}

Deno.test("records whose statement is slow are read alone at once, and for a moment nobody shares", async () => {
  const end = Promise.withResolvers<readonly Row[]>();
  await reading(async ({ begun, alone, readAll }) => {
    const found = await Promise.all(readAll([1, 2, 3, 4]));
    assert.deepEqual(found.slice(2), [["alone", 3], ["alone", 4]]);
    await Promise.all(readAll([5, 6, 7, 8]));
    assert.deepEqual([begun.length, alone], [1, [1, 2, 3, 4, 5, 6, 7, 8]]);
    end.resolve(rowsOf([3, 4]));
    await delay(1100);
    await Promise.all(readAll([1, 2, 3, 4]));
    assert.equal(begun.length, 2);
  }, () => end.promise);
});
