import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { textOf } from "@/tests/support/text_of.ts";

const service = sharedService();

const get = (path: string) => textOf(service().fetch(path));

/** The addresses of related records with their numbers. */
function countsIn(page: string): readonly (readonly [href: string, count: string])[] {
  return [...page.matchAll(/<td class="number many"><a href="([^"]*)">([\d,]+)<\/a>/g)].map(
    ([, href = "", count = ""]) => [href, count],
  );
}

Deno.test("counts of related records are asked for by a link, and are those of the lists that they lead to", async () => {
  const plain = await get("/db/Demo/Port.html?limit=5&sort=-Name");
  assert.deepEqual(countsIn(plain), []);
  const [, href = ""] = /href="([^"]*)">Count related</.exec(plain) ?? [];
  assert.equal(href, "/db/Demo/Port.html?limit=5&amp;sort=-Name&amp;ui.counts=#related");
  const counts = countsIn(await get(href.replace("#related", "").replaceAll("&amp;", "&")));
  assert.ok(counts.length >= 5, `${counts.length} counts`);
  for (const [list, count] of counts) {
    const rows = JSON.parse(await get(`${list.replace(/\.html$/, ".json")}?limit=100000&depth=0`));
    assert.equal(String(Object.values(rows).flat().length), count.replace(",", ""), list);
  }
});

Deno.test("the page of a record that is counted shows the same", async () => {
  const counted = await service().fetch("/db/Demo/Port/PortId/1.html?count");
  assert.equal(counted.headers.get("rowhouse-all-record-count"), "1");
  const tables = (page: string) => page.match(/<table.*<\/table>/s)?.[0];
  assert.equal(tables(await counted.text()), tables(await get("/db/Demo/Port/PortId/1.html")));
});

Deno.test("other pages and other orders of a list with counts have counts, other formats know nothing of them", async () => {
  const page = await get("/db/Demo/Port.html?limit=2&ui.counts");
  assert.match(page, /aria-label="Page 2" href="[^"]*ui\.counts=/);
  assert.match(page, /<a class="sort" href="[^"]*ui\.counts=/);
  assert.match(page, /href="\/db\/Demo\/Port\.html\?limit=2">Hide counts</);
  assert.doesNotMatch(page, /\.(?:json|csv)\?[^"]*ui\.counts/);
  assert.doesNotMatch(await get("/db/Demo/Port/Name.html?limit=2&ui.counts"), /Count related|Hide counts/);
});
