import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

/** The sample's demo database, with a limit for requests without one. */
const service = sharedService({
  files: {
    "config/databases.cfg": "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db', limit: 3}\n",
    "config/querydefs.cfg": `ports:
  {database: Demo, sqlstr: SELECT Name FROM Port ORDER BY Name, http_methods: {GET: true}, execute: [public]}
`,
  },
});

for (
  const path of [
    "/db/Demo/Port.html",
    "/db/Demo/Port/Name,CountryCode.html?sort=-Name",
    "/db/Demo/Port/Name.html",
    "/db/Demo/Port.html?depth=1",
    "/query/ports.html",
  ]
) {
  Deno.test(`the export of ${path} has all rows, although the database has a limit`, async () => {
    const page = await (await service().fetch(path, { redirect: "follow" })).text();
    const links = [...page.matchAll(/<li><a href="([^"]+\.(?:json|csv|xml)[^"]*)">[^<]+<\/a><\/li>/g)]
      .map(([, href = ""]) => href.replaceAll("&amp;", "&"));
    const all = links.find((href) => /\.json(?!.*schema)/.test(href)) ?? "";
    const rows = await (await service().fetch(all, { redirect: "follow" })).json();
    assert.equal(rows.length, 26, all);
    for (const href of links) {
      assert.equal(await statusOf(service().fetch(href)), 200, href);
    }
  });
}
