import assert from "node:assert/strict";
import Sqlite from "better-sqlite3";
import { homeOf } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";
import { watchStatements } from "@/tests/support/statement_log.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const home = homeOf({ users: "public: {databases: {Long: {}}}\nadmin: {password: x}\n" });
const service = sharedService({
  ...home,
  sqlite: {
    Long: Object.entries({ Large: 2000, Other: 2000, Grown: 2000, Huge: 20_000 }).map(([name, rows]) =>
      `CREATE TABLE ${name} (Id INTEGER PRIMARY KEY, Kind INTEGER);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
         INSERT INTO ${name} SELECT i, i % 2 FROM n;`
    ).join("") + "CREATE TABLE Small (Id INTEGER PRIMARY KEY); INSERT INTO Small VALUES (1), (2);" +
      "CREATE VIEW Endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;" +
      // The last of its rows cannot be read.
      "CREATE VIEW Broken AS SELECT abs(iif(i = 9000, -9223372036854775808, i % 3)) AS Size " +
      "FROM (SELECT i FROM Endless LIMIT 9000);",
  },
});

/** What another program does. */
function change(path: string, sql: string): void {
  const database = new Sqlite(`${path}/state/long.db`);
  database.exec(sql);
  database.close();
}

async function range(path: string): Promise<string | undefined> {
  const text = await (await service().fetch(`/db/Long/${path}`)).text();
  return /<div class="pager"><p>(.*?)<\/p>/.exec(text)?.[1];
}

Deno.test("a large number of rows is remembered for the other pages of its list", async () => {
  assert.equal(await range("Large.html?limit=29"), "1&#8211;29 of 2,000");
  change(service().home, "DELETE FROM Large WHERE Id > 1900");
  assert.equal(await range("Large.html?limit=29&offset=29&sort=-Id"), "30&#8211;58 of 2,000");
  assert.equal(
    await range("Large.html?limit=1000&offset=1500"),
    "1,501&#8211;1,900 of 1,900",
    "the last page knows",
  );
  assert.equal(await range("Large/Kind/0.html?limit=29"), "1&#8211;29 of 950");
  const counted = await service().fetch("/db/Long/Large.html?limit=29&count");
  assert.equal(counted.headers.get("rowhouse-all-record-count"), "1900");
  await counted.body?.cancel();
});

Deno.test("a change through the service is seen in the number at once", async () => {
  assert.equal(await range("Other.html?limit=29"), "1&#8211;29 of 2,000");
  assert.equal(await statusOf(service().fetch("/db/Long/Other/Id/2000", { method: "DELETE" })), 204);
  assert.equal(await range("Other.html?limit=29"), "1&#8211;29 of 1,999");
});

Deno.test("a number that is less than the rows on the page is not shown, but counted again", async () => {
  assert.equal(await range("Grown.html?limit=29"), "1&#8211;29 of 2,000");
  change(service().home, "INSERT INTO Grown SELECT Id + 5000, Kind FROM Grown WHERE Id <= 100");
  assert.equal(await range("Grown.html?limit=29&offset=1980"), "1,981&#8211;2,009 of 2,100");
});

Deno.test("a number that others have made too small before it was counted is not shown", async () => {
  // The rows are read in the service's thread; so many are counted in a worker, with a snapshot of its own.
  using _watch = watchStatements(([first = ""]) => {
    if (!/count\(/.test(first)) change(service().home, "DELETE FROM Huge WHERE Id > 40");
  });
  const link =
    '(<a href="/db/Long/Huge/Id/..20000.html?limit=29&amp;offset=29&amp;count=true">count all rows</a>)';
  assert.equal(await range("Huge/Id/..20000.html?limit=29&offset=29"), `30&#8211;58 ${link}`);
});

Deno.test("a small number of rows is counted each time", async () => {
  assert.equal(await range("Small.html?limit=29"), "1&#8211;2 of 2");
  change(service().home, "INSERT INTO Small VALUES (3)");
  assert.equal(await range("Small.html?limit=29"), "1&#8211;3 of 3");
});

Deno.test("a page does not wait for a number that takes long to count", async () => {
  const path = "Endless/i/..50.html?limit=29";
  const link = '(<a href="/db/Long/Endless/i/..50.html?limit=29&amp;count=true">count all rows</a>)';
  assert.equal(await range(path), `1&#8211;29 ${link}`);
  assert.match(await range(`${path}&offset=9`) ?? "", /^10&#8211;38 \(/);
});

Deno.test("a long list whose facet fails leaves no stream open", async () => {
  const { status, body } = await service().fetch("/db/Long/Broken.html?limit=9000&ui.facet=Size");
  await body?.cancel();
  assert.equal(status, 400);
  const metrics = await (await service().fetch("/metrics")).text();
  assert.match(metrics, /^rowhouse_streams\{database="Long"\} 0$/m);
});
