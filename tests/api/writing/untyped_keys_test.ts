import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService({
  sqlite: {
    Own: `CREATE TABLE Thing (Id PRIMARY KEY, Name TEXT);
      INSERT INTO Thing VALUES (1, 'number'), ('1', 'text'), (2, 'only');
      CREATE TABLE Flake (Id BIGINT PRIMARY KEY, Name TEXT);
      INSERT INTO Flake VALUES (51220022311295990, 'one'), (51220022311295992, 'two');
      CREATE TABLE Firm (Id ANY PRIMARY KEY, Name TEXT) STRICT; INSERT INTO Firm SELECT * FROM Thing`,
  },
});

async function send(
  target: string,
  init?: RequestInit,
  table = "Thing",
): Promise<readonly [number, string]> {
  const response = await service().fetch(`/db/Own/${table}${target}`, init);
  return [response.status, await response.text()];
}

const BODY = { method: "PUT", headers: { "content-type": "application/json" }, body: '{"Name": "x"}' };

Deno.test("a key that a number and a text share is no single record, in any format", async () => {
  for (const end of [".json", ".xml", ".csv", ".html", ".txt", "/Name.json", ".json?depth=1"]) {
    const [status, text] = await send(`/Id/1${end}`);
    assert.deepEqual([status, /2 have this key/.test(text)], [400, true], `${end}: ${text}`);
  }
  const [status, text] = await send("/Id/1.json?wantarray&href=false");
  assert.deepEqual([status, JSON.parse(text)], [200, [{ Id: 1, Name: "number" }, { Id: "1", Name: "text" }]]);
  assert.equal((await send("/Id/2/Name.json"))[1], '"only"');
});

Deno.test("a key that a number and a text share neither changes nor deletes both", async () => {
  for (const table of ["Thing", "Firm"]) {
    for (const init of [BODY, { method: "DELETE" }]) {
      const [status, text] = await send("/Id/1.json", init, table);
      assert.deepEqual([status, /2 have this key/.test(text)], [400, true], text);
    }
    const [, names] = await send("/Name.csv?headers=false&sort=Name", {}, table);
    assert.equal(names, "number\r\nonly\r\ntext\r\n");
  }
  assert.equal((await send("/Name/text.json", { method: "DELETE" }))[0], 204);
  assert.equal((await send("/Id/1.json", BODY))[0], 204);
});

Deno.test("a new record is shown if no other has its key; else the answer has its path", async () => {
  const headers = { "content-type": "application/json", "Prefer": "return=representation" };
  const create = (body: unknown) => send(".json", { method: "POST", headers, body: JSON.stringify(body) });
  for (const Id of [7, "8", "text", 2.5, 51220022311295990]) {
    const [status, text] = await create({ Id, Name: "new" });
    assert.deepEqual([status, JSON.parse(text).Id], [201, Id], text);
  }
  const [status, text] = await create([{ Id: "b" }, { Id: 10 }, { Id: "a" }]);
  assert.deepEqual([status, JSON.parse(text).map(({ Id }: { Id: unknown }) => Id)], [201, ["b", 10, "a"]]);
  assert.deepEqual(await create({ Id: "7", Name: "like the number" }), [201, "/db/Own/Thing/Id/7"]);
});

Deno.test("a large key is told from another one that is the same double", async () => {
  assert.equal((await send("/Id/51220022311295990/Name.json", {}, "Flake"))[1], '"one"');
  assert.equal((await send("/Id/51220022311295990.json", BODY, "Flake"))[0], 204);
  assert.equal((await send("/Name.csv?headers=false", {}, "Flake"))[1], "x\r\ntwo\r\n");
});
