import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "@/core/errors.ts";
import type { InsertPlan } from "@/core/tables/plan_write.ts";
import { insertShared } from "@/core/tables/shared_insert.ts";
import type { BeginOptions, Database, Failure, Outcome } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { inOneMoment } from "@/tests/support/one_moment.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

/** A database whose statements end when the test says so. */
class Held {
  /** The number of records of each statement that several share, in the order of their begin. */
  readonly begun: number[] = [];
  readonly alone: string[] = [];
  readonly database: Database;
  readonly #ends: PromiseWithResolvers<Outcome>[] = [];
  readonly #answer: ((texts: readonly unknown[]) => Failure | undefined) | undefined;

  /** `answer`: the failure of a statement with these texts, at once. Absent: {@link end} ends them. */
  constructor(real: Database, answer?: (texts: readonly unknown[]) => Failure | undefined) {
    this.#answer = answer;
    this.database = Object.create(real, {
      takesLooks: { value: undefined },
      write: { value: ({ parameters }: { parameters: readonly unknown[] }) => this.#write(parameters) },
      classify: { value: (error: unknown) => error instanceof DatabaseFailure ? error.failure : undefined },
    });
  }

  #write(texts: readonly unknown[]): Promise<Outcome> {
    this.begun.push(texts.length);
    const end = Promise.withResolvers<Outcome>();
    this.#ends.push(end);
    const outcome = { rows: texts.map((text) => [text as string]), changes: texts.length };
    if (!this.#answer) return end.promise.then(() => outcome);
    const failure = this.#answer(texts);
    return failure ? Promise.reject(new DatabaseFailure(failure, failure)) : Promise.resolve(outcome);
  }

  end(at: number): void {
    this.#ends[at]?.resolve({ rows: [], changes: 0 });
  }
}

interface Posting {
  readonly held: Held;
  post(text: string): Promise<string>;
  /** Posts all in one moment. */
  postAll(texts: readonly string[]): readonly Promise<string>[];
}

async function posting(
  work: (posting: Posting) => Promise<void>,
  answer?: (texts: readonly unknown[]) => Failure | undefined,
): Promise<void> {
  await using shop = await InProcess.open();
  const plan = shop.plan("POST /db/Shop/Tag.json");
  assert.equal(plan.kind, "insert");
  const real = plan as InsertPlan;
  const held = new Held(real.database, answer);
  const own = { ...real, database: held.database };
  const position = real.table.columnNames.exact("Text") ?? -1;
  const post = (text: string) =>
    insertShared({
      plan: own,
      record: new Map([[position, text]]),
      requestId: undefined,
      insertAlone: () => {
        held.alone.push(text);
        return Promise.resolve(`${text} alone`);
      },
      created: (path) => path ?? "",
    });
  await work({
    held,
    post,
    postAll: (texts) => inOneMoment(() => texts.map(post)),
  });
}

const PATH = "/db/Shop/Tag/Text/";

Deno.test("records that come while a statement runs share the next ones, in powers of two", async () => {
  await posting(async ({ held, post, postAll }) => {
    const posted = postAll(Array.from({ length: 13 }, (_, at) => `r${at}`));
    assert.deepEqual(await Promise.all(posted.slice(0, 2)), ["r0 alone", "r1 alone"]);
    await posted[12];
    assert.deepEqual([held.begun, held.alone], [[8, 2], ["r0", "r1", "r12"]], "nobody waits for long");
    held.end(0);
    held.end(1);
    const paths = posted.slice(2, 12).map((_, at) => `${PATH}r${at + 2}`);
    assert.deepEqual(await Promise.all(posted.slice(2, 12)), paths);
    assert.equal(await post("last"), "last alone");
  });
});

Deno.test("a refused record is found by halves, and the others are inserted together", async () => {
  const isBad = (text: unknown) => text === "bad";
  await posting(async ({ held, postAll }) => {
    const texts = ["w", "x", "0", "1", "2", "bad", "4", "5", "6", "7"];
    const results = await Promise.all(postAll(texts));
    assert.deepEqual(results.slice(2), [
      `${PATH}0`,
      `${PATH}1`,
      "2 alone",
      "bad alone",
      ...["4", "5", "6", "7"].map((text) => PATH + text),
    ]);
    assert.deepEqual(held.begun, [8, 4, 2, 2, 4]);
  }, (texts) => texts.some(isBad) ? "integrity" : undefined);
});

Deno.test("records that met a deadlock or a lock are inserted alone, at once", async () => {
  await posting(async ({ held, postAll }) => {
    const results = await Promise.all(postAll(["w", "x", "0", "1", "2", "3"]));
    assert.deepEqual(results.slice(2), ["0 alone", "1 alone", "2 alone", "3 alone"]);
    assert.deepEqual(held.begun, [4]);
  }, () => "contention");
});

for (const failure of ["timeout", "unavailable"] as const) {
  Deno.test(`records whose statement ended with ${failure} may be stored, so none is inserted again`, async () => {
    await posting(async ({ held, postAll }) => {
      const [, , ...shared] = postAll(["w", "x", "0", "1", "2", "3"]);
      for (const each of await Promise.allSettled(shared)) {
        assert.ok(each.status === "rejected" && each.reason instanceof ServiceError);
        assert.equal(each.reason.code, failure);
      }
      assert.deepEqual([held.begun, held.alone], [[4], ["w", "x"]]);
    }, () => failure);
  });
}

Deno.test("a database whose statements do not commit by themselves inserts the records in a transaction", async () => {
  await using shop = await InProcess.open();
  const plan = shop.plan("POST /db/Shop/Tag.json") as InsertPlan;
  const { database: real } = plan;
  let begun = 0;
  const begin = (options: BeginOptions) => {
    begun++;
    return real.begin(options);
  };
  const database: Database = Object.create(real, {
    takesLooks: { value: undefined },
    write: { value: undefined },
    begin: { value: begin },
    classify: { value: (error: unknown) => real.classify(error) },
  });
  const position = plan.table.columnNames.exact("Text") ?? -1;
  const alone: string[] = [];
  const posted = inOneMoment(() =>
    ["w", "x", "a", "b", "c", "c"].map((text) =>
      insertShared({
        plan: { ...plan, database },
        record: new Map([[position, text]]),
        requestId: undefined,
        insertAlone: () => {
          alone.push(text);
          return Promise.resolve("alone");
        },
        created: (path) => path,
      })
    )
  );
  assert.deepEqual(await Promise.all(posted), ["alone", "alone", `${PATH}a`, `${PATH}b`, "alone", "alone"]);
  assert.deepEqual([begun, alone], [3, ["w", "x", "c", "c"]]);
  assert.deepEqual(shop.look("SELECT Text FROM Tag WHERE Text IN ('a', 'b', 'c') ORDER BY Text"), ["a", "b"]);
});

Deno.test("behind a slow statement nobody waits for long, and for a moment nobody shares", async () => {
  await posting(async ({ held, post, postAll }) => {
    const slow = postAll(["r0", "r1", "s0", "s1"]);
    await delay(20);
    assert.deepEqual([held.begun, held.alone], [[2], ["r0", "r1"]]);
    assert.equal(await post("t0"), "t0 alone");
    await delay(150);
    assert.deepEqual(await Promise.all(postAll(["p0", "p1", "p2"])), ["p0 alone", "p1 alone", "p2 alone"]);
    await delay(1000);
    held.end(0);
    await Promise.all(slow);
    await delay(0);
    const later = postAll(["k0", "k1", "l0", "l1"]);
    await delay(20);
    held.end(1);
    assert.deepEqual(held.begun, [2, 2]);
    assert.deepEqual(await Promise.all([...slow, ...later]), [
      "r0 alone",
      "r1 alone",
      `${PATH}s0`,
      `${PATH}s1`,
      "k0 alone",
      "k1 alone",
      `${PATH}l0`,
      `${PATH}l1`,
    ]);
  });
});
