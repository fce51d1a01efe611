import assert from "node:assert/strict";
import { configurationPage, settingsPage } from "@/config/docs.ts";
import { SETTINGS } from "@/config/settings.ts";

Deno.test("docs/settings.md is the page that config/docs.ts makes", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/settings.md", import.meta.url));
  assert.equal(page, await settingsPage());
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

Deno.test("the page has one row for every setting", async () => {
  const [own = ""] = (await settingsPage()).split("\n## The format ");
  const rows = own.split("\n");
  for (const key of Object.keys(SETTINGS)) {
    assert.equal(rows.filter((row) => row.startsWith(`| \`${key}\` |`)).length, 1, key);
  }
});

const ROWS = [
  "| `json_sdb.indent` | an integer from 0 to 10 | `4` | Spaces per level of JSON; 0 writes it on one line. |",
  "| `html_limit` | an integer from 1 | `29` | Rows on a page: HTML requests without `limit` are redirected to this one. |",
  "| `orm_sdb.mysql_driver` | one of mysqldb, pymysql, mysqlconnector | `mysqldb` | Name of the MySQL driver. Without effect: there is one driver for MySQL. |",
];

for (const row of ROWS) {
  Deno.test(`the page has the row ${row}`, async () =>
    assert.ok((await settingsPage()).includes(`\n${row}\n`)));
}
