/** @module The part of the dialect suite about streams. */

import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Row, Run } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { DialectSuite, OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { builder, prepareText, rowsOf, toRun } from "@/tests/conformance/dialect_queries.ts";
import { ending } from "@/tests/conformance/dialect_register.ts";
import { assertSame } from "@/tests/conformance/same.ts";

/** Rows in chunks: how they come, how they end, and readers that are slow. */
export function testStreams(register: Register, suite: DialectSuite): void {
  testChunks(register);
  testEndings(register, suite);
  testSlowReaders(register, suite.readOnly ? "the engine only reads" : undefined);
}

function testChunks(register: Register): void {
  register("a stream gives every row in order, in chunks of the fetch size", async (opened) => {
    const chunks: (readonly Row[])[] = [];
    for await (const chunk of opened.database.stream(many(opened), { signal: NEVER, fetchSize: 1000 })) {
      chunks.push(chunk);
    }
    assertSame(chunks.map(({ length }) => length), [1000, 1000, 500]);
    assertSame(chunks.flat(), Array.from({ length: 2500 }, (_, at) => [at + 1]));
  });
}

function testEndings(register: Register, suite: DialectSuite): void {
  const { endingOne, endless } = ending(register, suite);
  register("a stream that is left early does not disturb what follows", async (opened) => {
    for (let round = 0; round < 5; round++) {
      const [first] = await Array.fromAsync(takeOne(opened));
      assertSame(first, [[1], [2]]);
    }
    const query = builder(opened).selectFrom("owner").select(["id"]).orderBy("id");
    assertSame(await rowsOf(opened, query, ["integer"]), [[1], [2]]);
  });

  register("a stream whose statement fails does so on the first row", async (opened) => {
    const run = { prepared: prepareText(opened, "SELECT x FROM no_such_table", ["integer"]), parameters: [] };
    const stream = opened.database.stream(run, { signal: NEVER, fetchSize: 10 });
    await assert.rejects(async () => await stream[Symbol.asyncIterator]().next());
  });

  register("a stream that is aborted between chunks ends with the reason", async (opened) => {
    const controller = new AbortController();
    const stream = opened.database.stream(many(opened), { signal: controller.signal, fetchSize: 10 });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const reason = new Error("The client has gone");
    controller.abort(reason);
    await assert.rejects(async () => await iterator.next(), reason);
  });

  endingOne("a stream that is aborted while it waits ends with the reason", async (opened) => {
    const controller = new AbortController();
    const run = { prepared: prepareText(opened, endless, ["integer"]), parameters: [] };
    const stream = opened.database.stream(run, { signal: controller.signal, fetchSize: 10 });
    const reason = new Error("The client has gone");
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(async () => await stream[Symbol.asyncIterator]().next(), reason);
  });
}

function testSlowReaders(register: Register, readsOnly: string | undefined): void {
  register(
    "streams that rest leave connections to others, and give theirs back when they are left",
    async (opened) => {
      const streams = new Set<AsyncIterator<readonly Row[]>>();
      try {
        // Begins as many streams as the pool allows, or more than it has
        // connections if the dialect sets no limit.
        const begin = async () => streams.add(await rest(opened));
        let refused: unknown;
        while (!refused && streams.size < 6) await begin().catch((error) => refused = error);
        if (refused) assert.equal(opened.database.classify(refused), "unavailable");
        assert.ok(streams.size > 0);
        assertSame(await codes(opened), [["anna"], ["bert"]]);
        const [first] = streams;
        await first?.return?.();
        await begin();
      } finally {
        for (const stream of streams) await stream.return?.();
      }
    },
    { max: 4, acquireTimeout: 2 },
  );

  register(
    "lists that rest, as many as there may be, leave a stream to a saved query",
    async (opened) => {
      const streams = new Set<AsyncIterator<readonly Row[]>>();
      try {
        let refused: unknown;
        while (!refused && streams.size < 6) {
          await rest(opened).then((stream) => streams.add(stream), (error) => refused = error);
        }
        const { sql, parameters } = builder(opened).selectFrom("many").select("n").compile();
        const prepared = opened.database.prepare({ sql, verb: "SELECT", columns: [] });
        const query = opened.database.stream({ prepared, parameters }, new Asked());
        const results = query[Symbol.asyncIterator]();
        streams.add(results);
        assert.equal((await results.next()).value?.length, 10);
      } finally {
        for (const stream of streams) await stream.return?.();
      }
    },
    { max: 6, acquireTimeout: 2 },
  );

  register("a stream that rests for too long is given up, and others get its connection", async (opened) => {
    const stream = await rest(opened);
    assertSame(await codes(opened), [["anna"], ["bert"]]);
    // Its own time was up before this one.
    await new Promise((resolve) => setTimeout(resolve, 2100));
    const error = await stream.next().then(() => undefined, (reason: unknown) => reason);
    assert.equal(opened.database.classify(error), "timeout");
    assertSame(await codes(opened), [["anna"], ["bert"]]);
  }, { max: 1, statementTimeout: 2 });

  register(
    "a stream that rests holds up nobody who writes what it reads",
    async (opened) => {
      const stream = await rest(opened);
      await using transaction = await opened.database.begin({ signal: NEVER });
      const statements = [
        builder(opened).insertInto("many").values({ n: 2501 }),
        builder(opened).updateTable("many").set({ n: 9999 }).where("n", "=", 3),
        builder(opened).deleteFrom("many").where("n", "=", 4),
      ];
      for (const statement of statements) {
        const { sql, parameters } = statement.compile();
        assert.equal((await transaction.run({ sql, columns: [] }, parameters)).changes, 1);
      }
      await transaction.commit();
      assert.equal((await stream.next()).done, false);
      await stream.return?.();
    },
    { acquireTimeout: 2 },
    readsOnly,
  );
}

/** Options as the service gives them: an object whose members are not its own. */
class Asked {
  get signal(): AbortSignal {
    return NEVER;
  }

  get fetchSize(): number {
    return 10;
  }
}

/**
 * A stream of more than anything between the database and its reader keeps, whose
 * reader has taken the first rows.
 */
async function rest(opened: OpenedDialect): Promise<AsyncIterator<readonly Row[]>> {
  const run = pairs(opened);
  const stream = opened.database.stream(run, { signal: NEVER, fetchSize: 10 })[Symbol.asyncIterator]();
  assert.equal((await stream.next()).value?.length, 10);
  return stream;
}

/** Each number with forty numbers, and a long text: thirty megabytes. */
function pairs(opened: OpenedDialect): Run {
  const query = builder(opened).selectFrom("many as a").crossJoin("many as b")
    .where("b.n", "<=", sql.lit(40))
    .select(["a.n", sql.lit("x".repeat(300)).as("text")]);
  return toRun(opened, query, ["integer", "text"]);
}

async function codes(opened: OpenedDialect): Promise<readonly Row[]> {
  const query = builder(opened).selectFrom("owner").select("code").orderBy("id");
  return await rowsOf(opened, query, ["text"]);
}

function many(opened: OpenedDialect): Run {
  return toRun(opened, builder(opened).selectFrom("many").select(["n"]).orderBy("n"), ["integer"]);
}

async function* takeOne(opened: OpenedDialect): AsyncGenerator<readonly Row[]> {
  for await (const chunk of opened.database.stream(many(opened), { signal: NEVER, fetchSize: 2 })) {
    yield chunk;
    return;
  }
}
