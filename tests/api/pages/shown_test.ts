/** @module What pages show beside the data: bounds, hints, searches, mistakes in files. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { homeOf, PASSWORD, sessionOf } from "@/tests/api/login/home.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { textOf } from "@/tests/support/text_of.ts";
import { until } from "@/tests/support/until.ts";

const USERS = `public: {databases: {Big: {}}}
admin: {password: ${PASSWORD}-admin, databases: {Big: {}}}
bert: {databases: {Big: {}}}
`;

const home = homeOf({ users: USERS });
const service = sharedService({
  ...home,
  sqlite: {
    Big: "CREATE TABLE Many (Id INTEGER PRIMARY KEY, Odd INTEGER, Kind TEXT DEFAULT 'x'); " +
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) " +
      "INSERT INTO Many (Id, Odd) SELECT i, i % 2 FROM n; " +
      "CREATE TABLE Long (Id INTEGER PRIMARY KEY, Name TEXT, Note TEXT); " +
      "INSERT INTO Long VALUES (1, 'a', printf('%.*c', 300, 'x')), (2, 'b', printf('%.*c', 301, 'y')), " +
      "(3, printf('%.*c', 101, 'z'), 'c')",
  },
});

const page = (path: string, Cookie = "") =>
  textOf(service().fetch(path, { headers: { Accept: "text/html", Cookie } }));

const admin = () => sessionOf(service(), "admin", `${PASSWORD}-admin`);

Deno.test("a list counts its rows up to 100,000, and offers pages of other sizes", async () => {
  const shows = (path: string, total: string) =>
    until(async () => (await page(path)).includes(`<p>1&#8211;29 of ${total}</p>`));
  await shows("/db/Big/Many/Id/1..100000.html?limit=29", "100,000");
  await shows("/db/Big/Many.html?limit=29", "more than 100,000");
  const [, sizes = ""] =
    /<nav aria-label="Rows on a page">(.*?)<\/nav>/.exec(await page("/db/Big/Many.html?limit=29")) ??
      [];
  const links = [...sizes.matchAll(/href="([^"]*)">(\d+)</g)].map(([, href, size]) => [href, size]);
  assert.deepEqual(
    links,
    ["25", "50", "100", "500"].map((size) => [`/db/Big/Many.html?limit=${size}`, size]),
  );
});

Deno.test("a text of more than 300 characters is cut in a list, with its length and a link to the whole", async () => {
  const text = await page("/db/Big/Long.html?limit=9");
  assert.match(text, />x{300}</);
  assert.match(text, />y{300}…/);
  assert.ok(
    text.includes(
      '…</span> <span class="more"><a href="/db/Big/Long/Id/2/Note.html">301 characters</a></span>',
    ),
  );
});

Deno.test("the text that leads to a record has 100 characters in a list, as the label of a related one", async () => {
  const text = await page("/db/Big/Long.html?limit=9");
  assert.match(text, /<td class="first"><a [^>]*>z{100}…<\/a>/);
});

Deno.test("several filters are removed at once", async () => {
  const one = await page("/db/Big/Many/Odd/1.html?limit=9");
  assert.doesNotMatch(one, /Remove all filters/);
  const two = await page("/db/Big/Many/Odd/1/Id/5...html?limit=9");
  assert.match(two, /<a href="\/db\/Big\/Many\.html\?limit=9">Remove all filters<\/a>/);
});

Deno.test("a field says what the database fills in", async () => {
  const text = await page("/db/Big/Many.html?ui.new");
  assert.match(
    text,
    /<label for="b0-2">Kind<\/label>\n<p [^>]*>Filled by the database if it is left empty\.</,
  );
});

Deno.test("the rights of a user can be searched, and the switch of the account says what it ends", async () => {
  const text = await page("/userdef/bert.html?ui.edit", await admin());
  const [, id = ""] =
    /<table class="matrix" id="([^"]*)">\n<caption [^>]*>Rights on tables of Big</.exec(text) ?? [];
  assert.match(text, new RegExp(`<p data-narrow="${id}" hidden="hidden"><label [^>]*>Narrow the list<`));
  assert.match(
    text,
    />Off: sessions, password and API key no longer work; the account and its rights stay\.</,
  );
});

Deno.test("mistakes in the configuration files are on the home page and the activity of admin, and of nobody else", async () => {
  const session = await admin();
  const file = join(service().home, "config", "databases.cfg");
  await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}Other: {colour: red}\n`);
  for (const path of ["/", "/reqstatus.html"]) {
    await until(async () => /<p role="alert">[^<]*Other[^<]*colour/.test(await page(path, session)));
  }
  assert.doesNotMatch(await page("/"), /colour/);
});

Deno.test("a list offers the import of lines only where their format is enabled", async () => {
  for (const formats of ["json,html,csv", "json,html"]) {
    await using house = await startService({
      files: { "config/service.ini": `[service]\nformats = ${formats}\n` },
      sqlite: { House: "CREATE TABLE door (id INTEGER PRIMARY KEY)" },
    });
    const page = await (await house.fetch("/db/House/door.html?limit=5")).text();
    assert.equal(page.includes("ui.import"), formats.includes("csv"), formats);
  }
});
