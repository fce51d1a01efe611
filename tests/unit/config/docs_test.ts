import assert from "node:assert/strict";
import { configurationPage, settingsPage } from "@/config/docs.ts";
import { SETTINGS } from "@/config/settings.ts";

Deno.test("docs/settings.md is the page that config/docs.ts makes", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/settings.md", import.meta.url));
  assert.equal(page, settingsPage());
});

Deno.test("docs/configuration.md has the tables that config/docs.ts makes", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/configuration.md", import.meta.url));
  assert.equal(configurationPage(page), page);
});

for (const heading of ["Databases", "Users", "Queries"]) {
  Deno.test(`the table of ${heading} in docs/configuration.md is made anew`, () => {
    const made = configurationPage(
      `\n## ${heading}\n\nText.\n\n| Member | Meaning |\n|---|---|\n| \`x\` | y |\n\nEnd.\n`,
    );
    assert.match(made, /\n\nText\.\n\n\| Member {2,}\| Meaning {2,}\|\n/);
    assert.doesNotMatch(made, /`x`/);
    assert.match(made, /\n\nEnd\.\n$/);
  });
}

Deno.test("the page has one row for every setting", () => {
  const rows = settingsPage().split("\n");
  for (const key of Object.keys(SETTINGS)) {
    assert.equal(rows.filter((row) => row.startsWith(`| \`${key}\` |`)).length, 1, key);
  }
});

const ROWS = [
  "| `html_limit` | an integer from 1 | `29` | Rows on a page: the `limit` that HTML requests without one are sent to. |",
  "| `orm_sdb.mysql_driver` | one of mysqldb, pymysql, mysqlconnector | `mysqldb` | Name of the MySQL driver. Without effect: there is one driver for MySQL. |",
];

for (const row of ROWS) {
  Deno.test(`the page has the row ${row}`, () => assert.ok(settingsPage().includes(`\n${row}\n`)));
}
