import assert from "node:assert/strict";
import Sqlite from "better-sqlite3";
import { homeOf } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const home = homeOf({ users: "public: {databases: {Few: {}, Many: {}, Away: {}}}\nadmin: {password: x}\n" });
const service = sharedService({
  ...home,
  files: {
    ...home.files,
    "config/databases.cfg":
      "Few: {db_type: sqlite, db_name: ../state/few.db}\nMany: {db_type: sqlite, db_name: ../state/many.db}\n" +
      "Away: {db_type: sqlite, db_name: ../state/few.db, autoconnect: false}\n",
    "config/querydefs.cfg":
      "far: {database: Away, sqlstr: 'SELECT :id AS Id', parameters: {id: text}, execute: [public]}\n",
  },
  async prepare(path) {
    await home.prepare?.(path);
    using few = new Disposing(`${path}/state/few.db`);
    few.run("CREATE TABLE Full (Id INTEGER PRIMARY KEY); CREATE TABLE Gone (Id INTEGER PRIMARY KEY)");
    few.run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001) " +
        "INSERT INTO Full SELECT i FROM n; INSERT INTO Gone VALUES (1); CREATE VIEW Seen AS SELECT * FROM Full",
    );
    for (let table = 0; table < 24; table++) {
      few.run(`CREATE TABLE spoke${table} (Id INTEGER PRIMARY KEY REFERENCES Full)`);
    }
    few.run("CREATE TABLE Ärzte (Id INTEGER PRIMARY KEY)");
    using many = new Disposing(`${path}/state/many.db`);
    for (let table = 0; table < 61; table++) {
      const up = table > 50 ? `, Up INTEGER REFERENCES T${table - 1}` : "";
      many.run(`CREATE TABLE T${table} (Id INTEGER PRIMARY KEY${up})`);
    }
  },
});

class Disposing {
  readonly #database: Sqlite;

  constructor(file: string) {
    this.#database = new Sqlite(file);
  }

  run(sql: string): void {
    this.#database.exec(sql);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

const page = async (database: string, query = "") => {
  const answer = await service().fetch(`/db/${database}.html${query}`);
  return { status: answer.status, text: await answer.text() };
};

Deno.test("tables are counted up to a bound, and views not at all", async () => {
  // A page that would be late is shown without numbers: the first one waits for a process of SQLite to start.
  await until(async () => (await page("Few")).text.includes(">Rows<"));
  const { text } = await page("Few");
  assert.match(text, />Full<\/a><\/td><td><\/td><td class="number">more than 10,000</);
  assert.match(text, />Gone<\/a><\/td><td><\/td><td class="number">1</);
  assert.match(text, />Seen<\/a><\/td><td>a view<\/td><td class="number"><\/td>/);
});

Deno.test("tables are in the order of a dictionary, and a dozen of many related tables are named", async () => {
  const { text } = await page("Few");
  const names = [...text.matchAll(/<td><a href="[^"]*">([^<]+)<\/a><\/td>/g)].map(([, name]) => name);
  assert.deepEqual(names.slice(0, 6), ["Ärzte", "Full", "Gone", "Seen", "spoke0", "spoke1"]);
  assert.deepEqual(names.slice(-2), ["spoke22", "spoke23"]);
  assert.match(text, /<td>(spoke\d+, ){11}spoke\d+ and 12 others<\/td>/);
});

Deno.test("a list names twenty of many relations, and says where the others are", async () => {
  const { text } = await page("Few/Full", "?limit=1");
  assert.equal(text.match(/<td class="many">/g)?.length, 20);
  assert.match(text, /<p class="hint">4 more relations are on the page of each record\.<\/p>/);
});

Deno.test("the tables of a large database are counted on demand", async () => {
  const { status, text } = await page("Many");
  assert.equal(status, 200);
  assert.match(text, />T60<\/a>/);
  assert.doesNotMatch(text, />Description</, "no table has one");
  assert.doesNotMatch(text, />Rows</);
  assert.match(text, /href="\/db\/Many.html\?ui.counts">Count the rows</);
  await until(async () => (await page("Many", "?ui.counts")).text.includes(">Rows<"));
  const counted = await page("Many", "?ui.counts");
  assert.equal(counted.text.match(/<td class="number">0<\/td><td class="number">[12]<\/td>/g)?.length, 61);
  assert.doesNotMatch(counted.text, /Count the rows/);
});

Deno.test("a table that cannot be counted costs the numbers, not the page", async () => {
  using few = new Disposing(`${service().home}/state/few.db`);
  // The service may notice the change before it gets the request.
  await until(async () => {
    few.run("CREATE TABLE IF NOT EXISTS Gone (Id INTEGER PRIMARY KEY)");
    await until(async () => (await page("Few")).text.includes(">Gone</a>"));
    few.run("DROP TABLE Gone");
    const { status, text } = await page("Few");
    assert.equal(status, 200);
    assert.match(text, />Full<\/a>/);
    return text.includes(">Gone</a>") && !text.includes(">Rows<");
  });
});

Deno.test("the diagram of a large database is that around the table of one's choice", async () => {
  const { text } = await page("Many");
  const [form = ""] =
    /<form method="get" [^>]*action="\/db\/Many\.html#diagram"[^>]*>.*?<\/form>/s.exec(text) ??
      [];
  assert.equal([...form.matchAll(/<option /g)].length, 61);
  assert.match(form, /<select [^>]*name="ui\.around">.*<option value="T51" selected/s);
  const { text: other } = await page("Many", "?ui.around=T55");
  const [svg = ""] = /<svg [^>]*class="diagram".*?<\/svg>/s.exec(other) ?? [];
  const tables = [...svg.matchAll(/<a href="\/db\/Many\/(T\d+)\.html"/g)].map(([, name]) => name);
  assert.deepEqual(tables, ["T55", "T54", "T56"]);
  assert.match(other, /<option value="T55" selected/);
  assert.doesNotMatch((await page("Few")).text, /ui\.around/);
});

Deno.test("what is said of a disconnected database leads to no other page that needs it", async () => {
  const ways = async (path: string) => {
    const answer = await service().fetch(path);
    assert.equal(answer.status, 503, path);
    const [, actions = ""] = /<ul class="actions">(.*)<\/ul>/.exec(await answer.text()) ?? [];
    return [...actions.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  };
  for (const path of ["/db/Away.html?ui.counts", "/db/Away/Full.html", "/db/Away/Full/Id/1.html"]) {
    assert.deepEqual(await ways(path), ["/db.html", "/"], path);
  }
  assert.deepEqual(await ways("/query/far/id/1.html"), ["/query.html", "/"]);
  const api = await (await service().fetch("/openapi.html")).text();
  assert.match(api, /<a href="\/openapi\/Few.html">Few<\/a><p>Try its operations/);
  assert.match(api, /<li><strong>Away<\/strong> <span class="status plain">disconnected</);
});
