import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { ClientMemory } from "@/core/base/client_memory.ts";
import { BodyOptions, executeWrite } from "@/core/tables/execute_write.ts";
import type { UpdatePlan } from "@/core/tables/plan_write.ts";
import type { Database } from "@/plugins/contract.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

/** A plan for an engine that never changes `ItemId`; otherwise the database is SQLite. */
function fixing(plan: UpdatePlan): UpdatePlan {
  const { database, table } = plan;
  const fixed: Database = {
    sql: { ...database.sql, fixesIdentity: true },
    catalog: () => database.catalog(),
    check: () => database.check(),
    describe: (statement) => database.describe(statement),
    prepare: (statement) => database.prepare(statement),
    read: (runs, options) => database.read(runs, options),
    stream: (run, options) => database.stream(run, options),
    begin: (options) => database.begin(options),
    classify: (error) => database.classify(error),
    explain: (error) => database.explain(error),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
  const columns = table.columns.map((column) =>
    column.name === "ItemId" ? { ...column, identity: true } : column
  );
  return { ...plan, database: fixed, table: { ...table, columns } };
}

/** Sends a record; returns the assignments, statement by statement. */
async function put(
  shop: InProcess,
  path: string,
  body: string,
  written: string[] = [],
): Promise<readonly string[]> {
  const plan = shop.plan(`PUT ${path}`);
  assert.ok(plan.kind === "update");
  const spied = fixing(plan);
  const { database } = spied;
  const begin: Database["begin"] = async (options) => {
    const transaction = await database.begin(options);
    return {
      run: (statement, parameters) => {
        const [, assigned] = /^update .* set (.*?) where /.exec(statement.sql) ?? [];
        if (assigned !== undefined) written.push(assigned);
        return transaction.run(statement, parameters);
      },
      commit: () => transaction.commit(),
      rollback: () => transaction.rollback(),
      [Symbol.asyncDispose]: () => transaction[Symbol.asyncDispose](),
    };
  };
  const source = {
    headers: new Headers(),
    body: new Response(body).body ?? new ReadableStream(),
    room: new ClientMemory(2 ** 30).open("192.0.2.1"),
    limits: { signal: NEVER, seconds: 60 },
  };
  const exchange = { service: shop.service, requestId: "", turn: "", signal: NEVER };
  const options = new BodyOptions(source, { parameters: {} }, exchange);
  await executeWrite({ ...spied, database: { ...database, begin } }, options);
  return written;
}

Deno.test("a record that is sent back as it was read is changed without the column that never changes", async () => {
  await using shop = await InProcess.open();
  assert.deepEqual(await put(shop, "/db/Shop/Item/ItemId/1.json", '{"ItemId": 1, "Name": "Other"}'), [
    '"Name" = ?',
  ]);
  assert.deepEqual(shop.look("SELECT Name FROM Item WHERE ItemId = 1"), ["Other"]);
});

Deno.test("a change that would change nothing is no statement, and a record that is not there is still missed", async () => {
  await using shop = await InProcess.open();
  assert.deepEqual(await put(shop, "/db/Shop/Item/ItemId/1.json", '{"ItemId": 1}'), []);
  const missing = await put(shop, "/db/Shop/Item/ItemId/999.json", '{"ItemId": 999}').catch((error) => error);
  assert.ok(missing instanceof ServiceError);
  assert.equal(missing.status, 404);
});

Deno.test("another value for a column that never changes is left to the database", async () => {
  await using shop = await InProcess.open();
  const written: string[] = [];
  const refused = await put(shop, "/db/Shop/Item/ItemId/1.json", '{"ItemId": 77, "Name": "Other"}', written)
    .catch((error: unknown) => error);
  assert.deepEqual(written, ['"ItemId" = ?, "Name" = ?']);
  assert.ok(refused instanceof ServiceError, "It is referred to, so SQLite refuses another key");
});
