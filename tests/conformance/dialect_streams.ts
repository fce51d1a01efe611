/** @module The part of the dialect suite about streams. */

import assert from "node:assert/strict";
import type { Row, Run } from "@/plugins/contract.ts";
import type { OpenedDialect, Register } from "./dialect.ts";
import { builder, NEVER, prepareText, rowsOf, toRun } from "./dialect_queries.ts";

export function testStreams(register: Register, endless: string): void {
  register("a stream gives every row in order, in chunks of the fetch size", async (opened) => {
    const chunks: (readonly Row[])[] = [];
    for await (const chunk of opened.database.stream(many(opened), { signal: NEVER, fetchSize: 1000 })) {
      chunks.push(chunk);
    }
    assert.deepEqual(chunks.map(({ length }) => length), [1000, 1000, 500]);
    assert.deepEqual(chunks.flat(), Array.from({ length: 2500 }, (_, at) => [at + 1]));
  });

  register("a stream that is left early does not disturb what follows", async (opened) => {
    for (let round = 0; round < 5; round++) {
      const [first] = await Array.fromAsync(takeOne(opened));
      assert.deepEqual(first, [[1], [2]]);
    }
    const query = builder(opened).selectFrom("owner").select(["id"]).orderBy("id");
    assert.deepEqual(await rowsOf(opened, query, ["integer"]), [[1], [2]]);
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

  register("a stream that is aborted while it waits ends with the reason", async (opened) => {
    const controller = new AbortController();
    const run = { prepared: prepareText(opened, endless, ["integer"]), parameters: [] };
    const stream = opened.database.stream(run, { signal: controller.signal, fetchSize: 10 });
    const reason = new Error("The client has gone");
    setTimeout(() => controller.abort(reason), 100);
    await assert.rejects(async () => await stream[Symbol.asyncIterator]().next(), reason);
  });
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
