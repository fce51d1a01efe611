import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "@/core/errors.ts";
import type { InsertPlan } from "@/core/tables/plan_write.ts";
import { insertShared } from "@/core/tables/shared_insert.ts";
import type { Database, Failure, Outcome } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
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
  await work({
    held,
    post: (text) =>
      insertShared({
        plan: own,
        record: new Map([[position, text]]),
        requestId: undefined,
        insertAlone: () => {
          held.alone.push(text);
          return Promise.resolve(`${text} alone`);
        },
        created: (path) => path ?? "",
      }),
  });
}

const PATH = "/db/Shop/Tag/Text/";

Deno.test("records that come while two statements run share the next ones, in powers of two", async () => {
  await posting(async ({ held, post }) => {
    const posted = Array.from({ length: 11 }, (_, at) => post(`r${at}`));
    assert.deepEqual(await Promise.all(posted.slice(0, 2)), ["r0 alone", "r1 alone"]);
    await delay(0);
    assert.deepEqual(held.begun, [8], "two statements: the other one has the record that is left");
    assert.equal(await posted[10], "r10 alone");
    held.end(0);
    assert.deepEqual(
      await Promise.all(posted.slice(2, 10)),
      posted.slice(2, 10).map((_, at) => `${PATH}r${at + 2}`),
    );
    assert.equal(await post("last"), "last alone");
  });
});

Deno.test("a refused record is found by halves, and the others are inserted together", async () => {
  const isBad = (text: unknown) => text === "bad";
  await posting(async ({ held, post }) => {
    const texts = ["x", "y", "0", "1", "2", "bad", "4", "5", "6", "7"];
    const results = await Promise.all(texts.map(post));
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
  await posting(async ({ held, post }) => {
    const results = await Promise.all(["x", "y", "0", "1", "2", "3"].map(post));
    assert.deepEqual(results.slice(2), ["0 alone", "1 alone", "2 alone", "3 alone"]);
    assert.deepEqual(held.begun, [4]);
  }, () => "contention");
});

for (const failure of ["timeout", "unavailable"] as const) {
  Deno.test(`records whose statement ended with ${failure} may be stored, so none is inserted again`, async () => {
    await posting(async ({ held, post }) => {
      const [, , ...shared] = ["x", "y", "0", "1", "2", "3"].map(post);
      for (const each of await Promise.allSettled(shared)) {
        assert.ok(each.status === "rejected" && each.reason instanceof ServiceError);
        assert.equal(each.reason.code, failure);
      }
      assert.deepEqual([held.begun, held.alone], [[4], ["x", "y"]]);
    }, () => failure);
  });
}

Deno.test("behind slow statements nobody waits for long, and for a moment nobody shares", async () => {
  await posting(async ({ held, post }) => {
    const slow = Array.from({ length: 4 }, (_, at) => post(`s${at}`));
    await delay(0);
    slow.push(...Array.from({ length: 3 }, (_, at) => post(`t${at}`)));
    await delay(0);
    assert.deepEqual([held.begun, held.alone], [[2, 2], ["s0", "s1", "t0"]]);
    const waiting = [post("w0"), post("w1")];
    await delay(30);
    assert.deepEqual(held.alone, ["s0", "s1", "t0"], "two statements are running");
    assert.deepEqual(await Promise.all(waiting), ["w0 alone", "w1 alone"]);
    await Promise.all([post("p0"), post("p1"), post("p2")]);
    assert.deepEqual(held.begun, [2, 2]);
    await delay(1100);
    const later = Array.from({ length: 4 }, (_, at) => post(`l${at}`));
    await delay(0);
    assert.deepEqual(held.begun, [2, 2, 2]);
    for (const at of held.begun.keys()) held.end(at);
    assert.deepEqual(
      (await Promise.all([...slow, ...later])).filter((result) => !result.endsWith("alone")),
      ["s2", "s3", "t1", "t2", "l2", "l3"].map((text) => PATH + text),
    );
  });
});
