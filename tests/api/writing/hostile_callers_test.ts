/**
 * Failures that hostile or unlucky callers must not cause.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { startService, type TestService } from "@/tests/support/service.ts";

const KEY = "worker-0123456789-0123456789-0123456789";
const CONFIG = {
  "config/databases.cfg": `
Firm:
  db_type: sqlite
  db_name: \${ROWHOUSE_STATE}/firm.db
  excluded_columns: {Person: [Salary]}
`,
  "config/users.cfg": `
public: {databases: {Firm: {}}}
worker:
  apikey: ${KEY}
  databases: {Firm: {access: {"*": [read], Person: [read, create], Audit: [], Port: []}}}
`,
  "config/service.ini": "[service]\nallow_apikey_in_query_string = True\n",
};
const SCHEMA = `
CREATE TABLE Team (TeamId INTEGER PRIMARY KEY, Name TEXT NOT NULL);
CREATE TABLE Person (PersonId INTEGER PRIMARY KEY, Name TEXT, TeamId INTEGER REFERENCES Team (TeamId), Born DATE,
  Salary INTEGER NOT NULL DEFAULT 1 CHECK (Salary > 0), Score INTEGER DEFAULT 7, PassportNo TEXT UNIQUE);
CREATE TABLE Badge (BadgeId INTEGER PRIMARY KEY, PersonId INTEGER REFERENCES Person (PersonId));
CREATE TABLE Audit (Who TEXT UNIQUE);
CREATE TABLE Port (Name TEXT UNIQUE);
CREATE TRIGGER Note AFTER INSERT ON Person WHEN new.Name = 'twice' BEGIN INSERT INTO Audit VALUES ('twice'); END;
CREATE TRIGGER Poor AFTER INSERT ON Person WHEN new.Name = 'poor' BEGIN UPDATE Person SET Salary = 0 WHERE Name = 'poor'; END;
CREATE TRIGGER Harbour AFTER INSERT ON Person WHEN new.Name = 'moored' BEGIN INSERT INTO Port VALUES ('moored'); END;
INSERT INTO Team VALUES (1, 'One'), (2, 'Two');
INSERT INTO Person (PersonId, Name, TeamId) VALUES (1, 'First', 1);
INSERT INTO Badge (PersonId) WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20001) SELECT 1 FROM c;
`;

async function startFirm(): Promise<TestService> {
  return await startService({
    files: CONFIG,
    sqlite: { Firm: SCHEMA },
  });
}

function opened(home: string) {
  const handle = new Sqlite(join(home, "state", "firm.db"));
  return { handle, [Symbol.dispose]: () => void handle.close() };
}

function count(home: string, table: string): unknown {
  using database = opened(home);
  const [row] = database.handle.prepare(`SELECT count(*) AS count FROM ${table}`).all([]) as {
    count: number;
  }[];
  return row?.count;
}

const asWorker = { apikey: KEY, "Content-Type": "application/json" };

function post(service: TestService, path: string, body: unknown): Promise<Response> {
  return service.fetch(path, { method: "POST", headers: asWorker, body: JSON.stringify(body) });
}

async function description(response: Response): Promise<string> {
  return (await response.json()).description;
}

Deno.test("a body that is cut off is refused or not answered at all, and no failure of the service", async () => {
  await using service = await startFirm();
  const connection = await Deno.connect({ port: service.port });
  const head =
    `POST /db/Firm/Person.json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 130\r\n\r\n`;
  await connection.write(new TextEncoder().encode(`${head}{"Name": "cut`));
  await connection.closeWrite();
  const answer = await new Response(connection.readable).text();
  if (answer !== "") assert.match(answer, /^HTTP\/1\.1 (400|503) /);
  assert.equal(count(service.home, "Person"), 1);
  assert.doesNotMatch(await service.log(), /ERROR/);
});

Deno.test("the database's words name nothing that the caller may not see", async () => {
  await using service = await startFirm();
  for (const name of ["twice", "moored"]) {
    const first = await post(service, "/db/Firm/Person.json", { Name: name });
    assert.equal(first.status, 201);
    await first.body?.cancel();
  }
  for (const name of ["twice", "poor", "moored"]) {
    const response = await post(service, "/db/Firm/Person.json", { Name: name });
    assert.equal(response.status, 409);
    assert.equal(
      await description(response),
      "The database refuses this: a rule of the database does not allow it",
    );
  }
  const known = await post(service, "/db/Firm/Person.json", { PersonId: 1 });
  assert.equal(
    await description(known),
    "The database refuses this: UNIQUE constraint failed: Person.PersonId",
  );
  const passports = [1, 2].map(() => post(service, "/db/Firm/Person.json", { PassportNo: "X1" }));
  const told = (await Promise.all((await Promise.all(passports)).map((each) => each.text()))).join();
  assert.match(told, /UNIQUE constraint failed: Person\.PassportNo/);
});

Deno.test("what was read can be created again by who may not create in its relations", async () => {
  await using service = await startFirm();
  const read = await service.fetch("/db/Firm/Person/PersonId/1.json", { headers: asWorker });
  const { PersonId: _, ...record } = await read.json();
  const response = await post(service, "/db/Firm/Person.json", record);
  assert.equal(response.status, 201);
  await response.body?.cancel();
  assert.equal(count(service.home, "Person"), 2);
});

Deno.test("a path that contradicts itself or the body creates nothing", async () => {
  await using service = await startFirm();
  const cases = [
    ["/db/Firm/Team/TeamId/1/Person/TeamId/2.json", { Name: "x" }],
    ["/db/Firm/Team/TeamId/1/Person.json", { Name: "x", TeamId: 2 }],
    ["/db/Firm/Person/Name/x/Name/y.json", {}],
  ] as const;
  for (const [path, body] of cases) {
    const response = await post(service, path, body);
    assert.equal(response.status, 400, path);
    assert.match(
      await description(response),
      /^The path and the body give "(TeamId|Name)" more than one value/,
    );
  }
  assert.equal(count(service.home, "Person"), 1);
});

Deno.test("records with different columns are created together and told in the order of the body", async () => {
  await using service = await startFirm();
  const body = Array.from({ length: 30 }, (_, index) => {
    const record = { PersonId: 100 + index };
    return index % 3 === 0
      ? record
      : index % 3 === 1
      ? { ...record, Name: "n" }
      : { ...record, Score: index };
  });
  const response = await post(service, "/db/Firm/Person.json", body);
  assert.equal(response.status, 201);
  const paths = body.map(({ PersonId }) => `/db/Firm/Person/PersonId/${PersonId}`);
  assert.deepEqual((await response.text()).split("\n"), paths);
});

Deno.test("a body with very many mistakes is told the first hundred of them", async () => {
  await using service = await startFirm();
  const response = await post(
    service,
    "/db/Firm/Person.json",
    Array.from({ length: 100_000 }, () => ({ Namx: 1 })),
  );
  assert.equal(response.status, 400);
  assert.equal((await response.json()).errors.length, 100);
});

Deno.test("a whole number may be spelled as JSON Schema allows", async () => {
  await using service = await startFirm();
  for (const text of ["5.0", "5e0", "50e-1"]) {
    const response = await service.fetch("/db/Firm/Person.json", {
      method: "POST",
      headers: asWorker,
      body: `{"Score": ${text}}`,
    });
    assert.equal(response.status, 201, text);
    await response.body?.cancel();
  }
  assert.equal(count(service.home, "Person WHERE Score = 5 AND typeof(Score) = 'integer'"), 3);
});

Deno.test("a tag that could not be used is not sent", async () => {
  await using service = await startFirm();
  const whole = await service.fetch("/db/Firm/Person/PersonId/1.json");
  const columns = await service.fetch("/db/Firm/Person/PersonId/1/Name,Score.json");
  assert.notEqual(whole.headers.get("etag"), null);
  assert.equal(columns.headers.get("etag"), null);
  await Promise.all([whole.body?.cancel(), columns.body?.cancel()]);
});

Deno.test("related records beyond a bound are refused, not gathered", async () => {
  await using service = await startFirm();
  const response = await service.fetch("/db/Firm/Person/PersonId/1.json?depth=1");
  assert.equal(response.status, 400);
  assert.match(await description(response), /^Cannot put more than 20000 related records into one answer/);
});

Deno.test("an endless Accept header is answered at once, and the service goes on", async () => {
  await using service = await startFirm();
  const response = await service.fetch("/db", { headers: { Accept: "a,".repeat(20_000) } });
  assert.equal([406, 431].includes(response.status), true);
  await response.body?.cancel();
});

Deno.test("links of a page never repeat an API key", async () => {
  await using service = await startFirm();
  const response = await service.fetch(`/db/Firm/Badge.html?limit=2&apikey=${KEY}&%6fffset=2`);
  assert.equal(response.status, 200);
  const page = await response.text();
  assert.doesNotMatch(page, /worker-0123456789/);
  assert.match(page, /href="\/db\/Firm\/Badge\.html\?limit=2&amp;offset=4"/);
});
