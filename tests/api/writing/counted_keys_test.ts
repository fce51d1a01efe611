import assert from "node:assert/strict";
import { statusOf } from "@/tests/support/status_of.ts";
import { type AnyShop, onEveryShop } from "./every_shop.ts";

const test = onEveryShop();

/**
 * Tells whether the engine finds a key beyond the largest one. SQLite looks for a free key,
 * PostgreSQL counts from its own sequence.
 */
const EXPECTED = { sqlite: 201, postgresql: 201, mysql: 409, mssql: 409 } as const;

test("a key that cannot be counted up any more is no failure of the service", async (shop, dialect) => {
  assert.equal(await create(shop, { Name: "last", ItemId: 1, PartId: 0 }, "9223372036854775807"), 201);
  assert.equal(await create(shop, { Name: "more", ItemId: 1 }), EXPECTED[dialect]);
  assert.doesNotMatch(await shop.service.log(), /failed unexpectedly/);
});

test("keys that are given and keys that are counted can be mixed in one body", async (shop) => {
  const body = '[{"Name": "a"}, {"Name": "b", "MakerId": 50}, {"Name": "c"}, {"Name": "d", "MakerId": 0}]';
  const answer = await post(shop, "Maker", body);
  assert.equal(answer.status, 201);
  const paths = (await answer.text()).split("\n");
  const names = [];
  for (const path of paths) names.push(await (await shop.service.fetch(`${path}/Name.json`)).json());
  assert.deepEqual(names, ["a", "b", "c", "d"]);
});

test("keys are counted up in the order of the body, whichever optional members the records have", async (shop) => {
  const body =
    '[{"Weight": 1}, {"Room": "A/1", "Place": 1}, {"Weight": 2}, {}, {"Place": null}, {"Weight": 3}]';
  const answer = await post(shop, "Box", body);
  assert.equal(answer.status, 201);
  const keys = (await answer.text()).split("\n").map((path) => Number(path.split("/").at(-1)));
  assert.equal(keys.length, 6);
  assert.deepEqual(keys, keys.toSorted((a, b) => a - b));
});

/** JavaScript numbers are not large enough: `key` replaces the 0. */
async function create(shop: AnyShop, record: Readonly<Record<string, unknown>>, key = "0"): Promise<number> {
  return await statusOf(post(shop, "Part", JSON.stringify(record).replace('"PartId":0', `"PartId":${key}`)));
}

function post(shop: AnyShop, table: string, body: string): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return shop.service.fetch(`/db/Shop/${table}.json`, { method: "POST", headers, body });
}
