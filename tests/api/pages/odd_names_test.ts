/** @module Odd names of columns: the links and forms of pages lead to the column that they name. */

import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { textOf } from "@/tests/support/text_of.ts";

const NAMES = ["a,b", "a", "b", "", "-a", "100%", "a%2Cb", "a/b", "a__b"];
const ROWS = [1, 2, 3];

/** Each column has another order than those before it. */
function cellOf(row: number, column: number): number {
  return (row * 2 + column) % (3 + column);
}

const service = sharedService({
  files: {
    "config/querydefs.cfg":
      'odd: {database: Odd, desc: "\u0642\u0627\u0626\u0645\u0629 SQL", sqlstr: "SELECT * FROM t", http_methods: {GET: true}, execute: [public]}\n',
  },
  sqlite: {
    Odd: `CREATE TABLE t (id INTEGER PRIMARY KEY, ${NAMES.map((name) => `"${name}" INTEGER`).join(", ")}); ` +
      'CREATE TABLE "in/out" (id INTEGER PRIMARY KEY, "x/y" TEXT UNIQUE); ' +
      'CREATE TABLE "-x,%2C" (id INTEGER PRIMARY KEY, "a,b" TEXT UNIQUE); ' +
      'CREATE TABLE move (id INTEGER PRIMARY KEY, way INTEGER REFERENCES "in/out", mark INTEGER REFERENCES "-x,%2C"); ' +
      `INSERT INTO "in/out" VALUES (1, 'b'), (2, 'a'); INSERT INTO "-x,%2C" VALUES (1, 'b'), (2, 'a'); ` +
      "INSERT INTO move VALUES (3, 1, 1), (4, 2, 2); " +
      'CREATE TABLE hidden (id INTEGER PRIMARY KEY, "n\u202eame" TEXT); ' +
      "INSERT INTO hidden VALUES (1, 'a\u202eb'), (2, 'a\u202eb'), (3, 'c'); " +
      ROWS.map((row) => `INSERT INTO t VALUES (${[row, ...NAMES.map((_, at) => cellOf(row, at))]})`).join(
        "; ",
      ),
  },
});

const get = (path: string) => textOf(service().fetch(path));

for (const list of ["/db/Odd/t", "/query/odd"]) {
  Deno.test(`the header of every column of ${list} sorts by this column`, async () => {
    const page = await get(`${list}.html?limit=29`);
    const links = [...page.matchAll(/<a class="sort" href="([^"]*)"/g)].map(([, link = ""]) => link).slice(1);
    assert.equal(links.length, NAMES.length);
    for (const [at, link] of links.entries()) {
      const up = link.replaceAll("&amp;", "&");
      const sorted = await get(up);
      assert.match(sorted, /aria-sort="ascending"/, up);
      const down = [...sorted.matchAll(/<a class="sort" href="([^"]*)"/g)][at + 1]?.[1] ?? "";
      for (const [path, sign] of [[up, 1], [down.replaceAll("&amp;", "&"), -1]] as const) {
        const rows: { id: number }[] = JSON.parse(await get(path.replace(".html", ".json")));
        const order = ROWS.toSorted((a, b) => sign * (cellOf(a, at) - cellOf(b, at) || a - b));
        if (list === "/db/Odd/t") assert.deepEqual(rows.map(({ id }) => id), order, path);
        else {
          const cells = rows.map((row) => Object.values(row)[at + 1]);
          assert.deepEqual(cells, order.map((row) => cellOf(row, at)), path);
        }
      }
    }
  });
}

Deno.test("a description has the direction of its first letter on every page", async () => {
  for (const path of ["/query.html", "/query/odd.html?limit=5"]) {
    assert.match(
      await get(path),
      /<p[^>]*><span dir="auto">\u0642\u0627\u0626\u0645\u0629 SQL<\/span><\/p>/,
      path,
    );
  }
});

Deno.test("a comma in sort separates columns, however the client encodes it", async () => {
  for (const sort of ["a,-b", "a%2C-b"]) {
    const page = await get(`/db/Odd/t.html?limit=29&sort=${sort}`);
    assert.deepEqual(page.match(/aria-sort="[a-z]*"/g), ['aria-sort="ascending"', 'aria-sort="descending"']);
  }
});

for (const column of ["way", "mark"]) {
  Deno.test(`the header of ${column} sorts by the record behind it, whose names are odd`, async () => {
    const page = await get("/db/Odd/move.html?limit=29");
    const [, header = ""] = new RegExp(`href="([^"]*)">${column}</a>`).exec(page) ?? [];
    const up = header.replaceAll("&amp;", "&");
    assert.match(decodeURIComponent(up), /sort=[^=]+\/[^=]+$/);
    const sorted = await get(up);
    const [, down = ""] = new RegExp(`aria-sort="ascending"[^]*?href="([^"]*)">${column}<`).exec(sorted) ??
      [];
    for (const [path, ids] of [[up, [4, 3]], [down.replaceAll("&amp;", "&"), [3, 4]]] as const) {
      const rows: { id: number }[] = JSON.parse(await get(path.replace(".html", ".json")));
      assert.deepEqual(rows.map(({ id }) => id), ids, path);
    }
  });
}

Deno.test("a sort by a column that a record behind a name with a slash lacks tells those that it has", async () => {
  const refused = await service().fetch("/db/Odd/move.json?sort=in/out/z");
  assert.match((await refused.json()).description, /table "in\/out" has the columns "id", "x\/y"$/);
});

Deno.test("the filter form tells the columns a/b and a__b apart", async () => {
  const page = await get("/db/Odd/t.html?limit=29");
  for (const name of ["a/b", "a__b"]) {
    const [, choice = ""] = new RegExp(`<option value="([^"]*)"[^>]*>${name}</option>`).exec(page) ?? [];
    const form = `/db/Odd/t.html?limit=29&ui.column=${encodeURIComponent(choice)}&ui.is=is&ui.value=1`;
    const answer = await service().fetch(form, { redirect: "manual" });
    await answer.body?.cancel();
    const path = answer.headers.get("location") ?? "";
    const rows: { id: number }[] = JSON.parse(await get(path.replace(".html", ".json")));
    const found = ROWS.filter((row) => cellOf(row, NAMES.indexOf(name)) === 1);
    assert.deepEqual(rows.map(({ id }) => id), found, path);
    assert.match(await get(path), new RegExp(`Remove the filter ${name} is 1`));
  }
});

Deno.test("the picker of columns tells the columns a/b and a__b apart", async () => {
  for (const name of ["a/b", "a__b"]) {
    const answer = await service().fetch(`/db/Odd/t.html?limit=29&ui.show=${encodeURIComponent(name)}`);
    await answer.body?.cancel();
    const path = answer.headers.get("location") ?? "";
    const cells = JSON.parse(await get(path.replace(".html", ".json")));
    assert.deepEqual(cells, ROWS.map((row) => cellOf(row, NAMES.indexOf(name))), path);
  }
});

/** The texts of a page that assistive technology reads, and those that can have no markup. */
const LABELS = /(?:aria-label|title|alt|label)="([^"]*)"|<option[^>]*>([^<]*)</g;

for (const state of ["", "&ui.facet=n%E2%80%AEame", "&ui.filter=n%E2%80%AEame"]) {
  Deno.test(`no label of a page hides or turns text${state && `: ${state}`}`, async () => {
    const page = await get(`/db/Odd/hidden/~n%E2%80%AEame/a%E2%80%8Bb/~id/9.html?limit=29${state}`);
    const labels = [...page.matchAll(LABELS)].map(([, attribute, option]) => attribute ?? option ?? "");
    assert.deepEqual(labels.filter((label) => /[\u200b\u202e]/.test(label)), []);
    assert.ok(labels.includes("Menu of column nU+202Eame"));
    assert.ok(
      labels.some((label) => /^Remove the filter nU\+202Eame .*aU\+200Bb/.test(label)),
      labels.join(),
    );
  });
}

Deno.test("the filters and the sentence of a chart hide and turn no text", async () => {
  const page = await get(
    "/db/Odd/hidden/~n%E2%80%AEame/d%E2%80%AEe.html?ui.chart=bar&ui.x=n%E2%80%AEame&ui.by=value",
  );
  const [, lead = "", caption = ""] = /<p class="lead">(.*?)<\/p>.*<figcaption>(.*?) <a /s.exec(page) ?? [];
  assert.match(lead, /is not d<span class="odd">U\+202E<\/span>e/);
  assert.match(caption, /highest is a<span class="odd">U\+202E<\/span>b with 2/);
});
