import assert from "node:assert/strict";
import { showCount } from "@/formats/html/text.ts";
import { homeOf } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

interface Table {
  readonly columns: number;
  readonly text: string;
  readonly rows: number;
  readonly name?: (index: number) => string;
}

/** Tables whose pages would be too large: their columns, the text in each, their rows. */
const TABLES = {
  Rows: { columns: 30, text: "printf('%.*c', 30, 'x')", rows: 600 },
  Texts: { columns: 200, text: "printf('%.*c', 2000, 'x')", rows: 40 },
  Letters: { columns: 200, text: "replace(printf('%.*c', 2000, 'x'), 'x', char(28450))", rows: 20 },
  Names: { columns: 600, text: "NULL", rows: 2, name: (index: number) => `col ${index} <b>` },
  Marks: { columns: 59, text: "replace(printf('%.*c', 300, 'x'), 'x', '<')", rows: 40 },
} as const satisfies Readonly<Record<string, Table>>;

const home = homeOf({
  users: "public: {databases: {Large: {}}}\nadmin: {password: x}\n",
  ini: ["log.requests = all"],
});
const service = sharedService({
  ...home,
  files: {
    ...home.files,
    "config/querydefs.cfg":
      "many: {database: Large, sqlstr: 'SELECT Blank, 1 AS One FROM Many', execute: [public]}\n",
  },
  sqlite: {
    Large: Object.entries<Table>(TABLES).map(([name, { columns, text, rows, name: nameOf }]) => {
      const names = Array.from({ length: columns }, (_, index) => `"${nameOf?.(index) ?? `C${index}`}"`);
      return `CREATE TABLE ${name} (Id INTEGER PRIMARY KEY, ${names.map((each) => `${each} TEXT`).join()});
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
         INSERT INTO ${name} SELECT i, ${names.map(() => text).join()} FROM n;`;
    }).join("") +
      `CREATE VIEW Many AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
         SELECT '' AS Blank FROM n`,
  },
});

async function page(path: string): Promise<string> {
  const answer = await service().fetch(path);
  const bytes = await answer.bytes();
  assert.equal(answer.status, 200);
  assert.ok(bytes.length <= 307_200, `${path}: ${bytes.length} bytes`);
  return new TextDecoder().decode(bytes);
}

const pagerOf = (text: string) => /<div class="pager">(.*?)<\/div>/.exec(text)?.[1] ?? "";

for (const [name, { rows }] of Object.entries(TABLES)) {
  Deno.test(`${name}: a list has at most 300 KB, says where it ends, and leads to every other row`, async () => {
    const seen = new Set<number>();
    let path: string | undefined = `/db/Large/${name}.html?limit=500`;
    while (path !== undefined) {
      const text = await page(path);
      const found = [...text.matchAll(/<tr><td class="number">(\d+)<\/td>.*?ui\.at=(\d+)">/g)]
        .map(([, id, at]) => [Number(at), Number(id)]);
      for (const [at = 0, id = 0] of found) {
        assert.equal(id, at + 1);
        seen.add(id);
      }
      const [[start = 0] = []] = found;
      const pager = pagerOf(text);
      assert.ok(pager.startsWith(`<p>${start + 1}&#8211;${seen.size} of ${rows}`), pager);
      const [, next] = /<a rel="next"[^>]* href="([^"]*)"/.exec(pager) ?? [];
      assert.equal(/: the page has no room for more\./.test(pager), />Next rows</.test(pager), pager);
      path = next?.replaceAll("&amp;", "&");
      assert.equal(path !== undefined, seen.size < rows, pager);
    }
  });
}

Deno.test("a page reads no more rows than it may have room for, whatever its limit is", async () => {
  for (const limit of [20_000, 1_000_000]) {
    const answer = await service().fetch(`/db/Large/Many.html?limit=${limit}`);
    const pager = pagerOf(await answer.text());
    assert.match(pager, /^<p>1&#8211;\d,\d{3} of 30,000: the page has no room for more\./);
    const line = new RegExp(`request id=${answer.headers.get("x-request-id")} .* rows=(\\d+)`);
    await until(async () => line.test(await service().log()));
    const [, rows] = line.exec(await service().log()) ?? [];
    assert.ok(Number(rows) < 20_000, `${rows} rows`);
  }
});

Deno.test("the page of a query has at most 300 KB, says where it ends, and leads to the other rows", async () => {
  const first = pagerOf(await page("/query/many.html?limit=30000"));
  const [, end, next = ""] =
    /^<p>1&#8211;([\d,]+): the page has no room for more\. <a rel="next" href="([^"]*)">Next rows<\/a>/.exec(
      first,
    ) ?? [];
  const others = pagerOf(await page(next.replaceAll("&amp;", "&")));
  assert.ok(others.startsWith(`<p>${showCount(Number(end?.replace(",", "")) + 1)}&#8211;`), others);
});

Deno.test("a page without room has links to the pages before it, none to pages that would leave out rows", async () => {
  const first = pagerOf(await page("/db/Large/Rows.html?limit=500"));
  assert.doesNotMatch(first, /aria-label="Page/);
  assert.match(first, />25<.*>50<.*>100</, "smaller pages are offered");
  const second = pagerOf(await page("/db/Large/Rows.html?limit=500&offset=500"));
  assert.match(second, /<p>501&#8211;600 of 600<\/p>.*aria-label="Page 1"/);
});

Deno.test("texts are cut at 300 characters up to 60 columns, and shorter in rows of more", async () => {
  assert.match(await page("/db/Large/Marks.html?limit=1"), /(?:&lt;){300}<\/td>/);
  assert.match(
    await page("/db/Large/Texts.html?limit=1"),
    />x{89}…<\/span> <span class="more"><a [^>]*>2,000 characters</,
  );
});

Deno.test("a list with a long address has its menus behind links, each with the address once", async () => {
  const text = await page(`/db/Large/Rows/C1/${"y".repeat(3000)},${"x".repeat(30)}.html?limit=500`);
  assert.match(text, /<a class="plain" data-menu="" href="[^"]*ui\.menu=C7" aria-label="Menu of column C7">/);
  assert.doesNotMatch(text, / popover="auto"/);
  assert.match(text, /Next rows/);
});
