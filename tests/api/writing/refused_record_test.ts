import assert from "node:assert/strict";
import { testOn, whyNot } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { shared, startService, type TestService } from "@/tests/support/service.ts";
import { onEveryShop } from "./every_shop.ts";

const test = onEveryShop();

/** More records than one statement has, with the same columns. */
const MANY = 1200;

function tags(texts: Readonly<Record<number, string>>): readonly object[] {
  return Array.from({ length: MANY }, (_, index) => ({ Text: texts[index] ?? `tag ${index}` }));
}

test("a record of a long list that the database refuses is told by its position", async (shop) => {
  for (
    const [records, refused] of [
      [tags({ 700: "tag 3" }), 700],
      [tags({ 4: "plain" }), 4],
      [tags({ [MANY - 1]: "reserved" }), MANY - 1],
    ] as const
  ) {
    const { status, text } = await post(shop.service, "Shop/Tag", records);
    assert.equal(status, 409);
    assert.match(text, new RegExp(`The database refuses this: error at node '/${refused}': \\w`));
  }
  assert.deepEqual(await shop.look("SELECT Text FROM Tag WHERE Text LIKE 'tag %'"), []);
});

test("only a refusal that other records of the list may have caused tells no position", async (shop) => {
  const people = [
    { PersonId: 10, Name: "Cid", BossId: 1 },
    { PersonId: 11, Name: "Dan", BossId: 99 },
    { PersonId: 10, Name: "Eve", BossId: 10 },
  ];
  const dangling = await post(shop.service, "Shop/Person", people.slice(0, 2));
  assert.equal(dangling.status, 409);
  assert.doesNotMatch(dangling.text, /node/);
  const twice = await post(shop.service, "Shop/Person", [...people.slice(0, 1), ...people.slice(2)]);
  assert.equal(twice.status, 409);
  assert.match(twice.text, /The database refuses this: error at node '\/1': \w/);
  assert.deepEqual(await shop.look("SELECT Name FROM Person WHERE PersonId > 9"), []);
});

const PARTIAL =
  "CREATE TABLE partial (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(9) UNIQUE) ENGINE = MyISAM;";
const party = shared(() => {
  return serveOn("mysql", { id: "Party", made: () => PARTIAL }, startService);
}, whyNot("mysql"));

testOn("mysql", "records of a table without transactions are not sent a second time", async () => {
  const names = ["ann", null, "ann"];
  const { status, text } = await post(party(), "Party/partial", names.map((name) => ({ name })));
  assert.equal(status, 409);
  assert.doesNotMatch(text, /node/);
  const kept = await party().fetch("/db/Party/partial/name.json");
  assert.deepEqual(await kept.json(), ["ann", null]);
});

async function post(service: TestService, path: string, records: readonly object[]) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify(records);
  const answer = await service.fetch(`/db/${path}.json`, { method: "POST", headers, body });
  return { status: answer.status, text: await answer.text() };
}
