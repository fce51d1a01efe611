import assert from "node:assert/strict";
import { type AnyShop, onEveryShop } from "./every_shop.ts";

const test = onEveryShop();

const RECORD = { "Content-Type": "application/json", "Prefer": "return=representation" };

/** Creates records, and returns the answer with its text. */
async function create(shop: AnyShop, target: string, body: unknown, headers: HeadersInit = RECORD) {
  const answer = await shop.service.fetch(`/db/Shop/${target}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, applied: answer.headers.get("preference-applied"), answer, text };
}

async function read(shop: AnyShop, path: string): Promise<string> {
  const answer = await shop.service.fetch(path);
  assert.equal(answer.status, 200, path);
  return await answer.text();
}

/**
 * Creates one record, and compares the answer with GET of its `Location`. Twice: the
 * second finds everything compiled.
 */
async function createsLikeGet(shop: AnyShop, target: string, ...bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) {
    const { status, applied, answer, text } = await create(shop, target, body);
    assert.deepEqual([status, applied], [201, "return=representation"], text);
    const location = new URL(answer.headers.get("location") ?? "").pathname;
    const format = /\.(\w+)/.exec(target)?.[1] ?? "json";
    assert.equal(text, await read(shop, location.replace(/json$/, format)));
  }
}

test("a record with a counted key is shown like GET shows it, in each format", async (shop) => {
  for (const format of ["json", "xml", "csv", "txt"]) {
    await createsLikeGet(shop, `Maker.${format}`, { Name: `a ${format}` }, { Name: `b ${format}` });
  }
});

test("a record whose key is text is shown, whatever the text", async (shop) => {
  await shop.run("DELETE FROM Tag");
  const texts = [
    "plain",
    "1",
    "01",
    "1.5",
    "true",
    "a/b",
    "a.b*",
    "<null>",
    "~x",
    "a,b",
    "ü __",
    "2020-01-01",
  ];
  await createsLikeGet(shop, "Tag.json", ...texts.map((Text) => ({ Text, Meaning: "m" })));
});

test("a record whose key has two columns is shown", async (shop) => {
  await createsLikeGet(shop, "Shelf.json", { Room: "New 1", Place: 1 }, { Room: "2", Place: 2 });
});

test("a record below another one is shown with the values of its path", async (shop) => {
  await createsLikeGet(shop, "Shelf/Room/A__1/Place/1/Box.json", { Weight: 2 }, { Weight: 3 });
});

test("the records of a list are shown in the order of the body", async (shop) => {
  for (const texts of [["z", "1", "a", "0x1"], ["y", "c", "2", "b"]]) {
    const body = texts.map((Text) => ({ Text }));
    const { status, applied, answer, text } = await create(shop, "Tag.json", body);
    assert.deepEqual([status, applied, answer.headers.get("location")], [201, "return=representation", null]);
    const shown = JSON.parse(text);
    assert.deepEqual(shown.map(({ Text }: { Text: string }) => Text), texts);
    for (const record of shown) {
      assert.deepEqual(
        [record],
        JSON.parse(await read(shop, `${new URL(record.__href, shop.service.url).pathname}?wantarray`)),
      );
    }
  }
});

test("a limit and chosen columns are for reading: nothing is created", async (shop) => {
  const before = await shop.dump();
  assert.equal((await create(shop, "Tag.json?limit=1", { Text: "first" })).status, 400);
  assert.equal((await create(shop, "Tag/Text.json", { Text: "chosen" })).status, 405);
  assert.deepEqual(await shop.dump(), before);
});

test("a record without key has its table's path, and is not shown", async (shop) => {
  const { status, applied, text } = await create(shop, "Journal.json", { Words: "w" });
  assert.deepEqual([status, applied, text], [201, null, "/db/Shop/Journal"]);
});

test("a format that has schemas only shows no record, and the record is created", async (shop) => {
  const { status, applied, text } = await create(shop, "Tag.xsd", { Text: "first" });
  assert.deepEqual([status, applied, text], [201, null, "/db/Shop/Tag/Text/first"]);
  const accepting = { ...RECORD, Accept: "text/xsd" };
  assert.equal((await create(shop, "Tag", { Text: "second" }, accepting)).status, 201);
});
