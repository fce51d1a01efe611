import assert from "node:assert/strict";
import { type AnyShop, onEveryShop } from "./every_shop.ts";
import type { TestDialect } from "@/tests/support/databases/mod.ts";

const test = onEveryShop();

const TYPES: Readonly<Record<string, string>> = {
  json: "application/json",
  xml: "text/xml",
  csv: "text/csv",
};

/** Every record with its own key, as a path. */
const RECORDS = [
  "Item/ItemId/1",
  "Item/ItemId/2",
  "Item/ItemId/3",
  "Maker/MakerId/2",
  "Part/PartId/1",
  "Shelf/Room/A__1/Place/1",
  "Shelf/Room/A__1/Place/2",
  "Shelf/Room//Place/0",
  "Box/BoxId/1",
  "Box/BoxId/3",
  "Tag/Text/a__b",
  "Tag/Text/%3Cnul%6C%3E",
  "Node/NodeId/1",
  "Address/AddressId/1",
  "Catalogue/ItemId/1",
];

/**
 * In a column without a type there may be the number 5 beside the text "5",
 * which only JSON writes differently.
 */
async function tellTypes(shop: AnyShop, dialect: TestDialect, format: string): Promise<void> {
  if (dialect === "sqlite" && format !== "json") {
    await shop.run("UPDATE Item SET Anything = CAST(Anything AS TEXT)");
  }
}

for (const [format, type] of Object.entries(TYPES)) {
  // CSV has no NULL unless it is marked: an empty field of text is the empty string.
  const query = format === "csv" ? "?csvNullStr" : "";

  test(`what GET gives in ${format} can be sent back with PUT and changes nothing`, async (shop, dialect) => {
    await tellTypes(shop, dialect, format);
    const before = (await shop.dump()).filter((line) => !line.startsWith("Change: "));
    for (const record of RECORDS) {
      const path = `/db/Shop/${record}.${format}${query}`;
      const read = await shop.service.fetch(path);
      const body = await read.text();
      assert.equal(read.status, 200, path);
      const answer = await shop.service.fetch(path, {
        method: "PUT",
        headers: { "Content-Type": type },
        body,
      });
      assert.equal(answer.status, 204, `${path}: ${await answer.text()}`);
      assert.deepEqual((await shop.dump()).filter((line) => !line.startsWith("Change: ")), before, path);
    }
  });

  test(`GET in ${format}, edit, PUT changes what was edited and nothing else`, async (shop, dialect) => {
    await tellTypes(shop, dialect, format);
    const path = `/db/Shop/Item/ItemId/1.${format}${query}`;
    const before = await shop.look("SELECT * FROM Item WHERE ItemId = 1");
    const body = await (await shop.service.fetch(path)).text();
    const edited = body.replace("Rope", "Net");
    assert.notEqual(edited, body);
    const answer = await shop.service.fetch(path, {
      method: "PUT",
      headers: { "Content-Type": type },
      body: edited,
    });
    assert.equal(answer.status, 204);
    assert.deepEqual(await shop.look("SELECT * FROM Item WHERE ItemId = 1"), [
      (before[0] ?? "").replace("'Rope'", "'Net'"),
    ]);
  });

  test(`a table that was read in ${format} can be deleted and created again`, async (shop, dialect) => {
    for (const table of ["Shelf", "Tag", "Item", "Address", "Maker"]) {
      await shop.reset();
      await tellTypes(shop, dialect, format);
      if (table === "Shelf") await shop.run("DELETE FROM Box");
      if (table === "Maker") await shop.run("DELETE FROM Item");
      const path = `/db/Shop/${table}.${format}${query}`;
      const before = await shop.look(`SELECT * FROM ${table} ORDER BY 1, 2`);
      const body = await (await shop.service.fetch(readable(table, path))).text();
      const all = format === "csv" ? "&all" : "?all";
      assert.equal((await shop.service.fetch(path + all, { method: "DELETE" })).status, 204);
      assert.deepEqual(await shop.look(`SELECT count(*) FROM ${table}`), ["0"]);
      const answer = await shop.service.fetch(path, {
        method: "POST",
        headers: { "Content-Type": type },
        body,
      });
      const paths = (await answer.text()).split("\n");
      assert.equal(answer.status, 201, paths.join());
      assert.equal(paths.length, before.length);
      assert.deepEqual(await shop.look(`SELECT * FROM ${table} ORDER BY 1, 2`), before, table);
    }
  });
}

const ITEM =
  "ItemId,Name,Code,MakerId,Note,Quantity,Serial,Price,Digits,Ratio,Active,MadeOn,SoldAt,OpensAt,Picture," +
  "Details,Anything,Status";

/** A new record has no value for a computed column, so the columns are listed. */
function readable(table: string, path: string): string {
  return table === "Item" ? path.replace("/Item.", `/Item/${ITEM}.`) : path;
}

test("a record with its related records inside can be sent back, too", async (shop) => {
  const before = await shop.look("SELECT * FROM Item ORDER BY 1");
  for (const format of ["json", "xml"]) {
    const body = await (await shop.service.fetch(`/db/Shop/Item/ItemId/3.${format}?depth=2`)).text();
    const path = `/db/Shop/Item/ItemId/3.${format}`;
    const headers = { "Content-Type": TYPES[format] ?? "" };
    assert.equal((await shop.service.fetch(path, { method: "PUT", headers, body })).status, 204);
    assert.deepEqual(await shop.look("SELECT * FROM Item ORDER BY 1"), before);
    assert.deepEqual(await shop.look("SELECT count(*) FROM Part"), ["3"]);
  }
});

/** Text that is difficult in paths and formats. */
const AWKWARD = [
  ..."plain2 a/c / // . .. ... 1..3 .json x.json , a,b * a* ~a <null>2 <NULL> % %2F 100% __ ___ _dot a_dotb _"
    .split(" "),
  ..."? # & = + \" ' \\ ; : | {a} [a] ä 日本 😀 true 0 -1 1e3 null __proto__ ]]> <b> &amp; ﬀ".split(" "),
  "",
  " ",
  " a ",
  "two words",
  "a\nb",
  "a\tb",
  "\u007f",
  "\u0085\u2028",
];

for (const [format, type] of Object.entries(TYPES)) {
  test(`a record with any key that was posted in ${format} is found where Location says, changed and deleted there`, async (shop) => {
    const headers = { "Content-Type": type };
    for (const Text of AWKWARD) {
      const created = await shop.service.fetch(`/db/Shop/Tag.${format}`, {
        method: "POST",
        headers,
        body: bodyOf(format, Text),
      });
      const path = await created.text();
      assert.equal(created.status, 201, `${JSON.stringify(Text)}: ${path}`);
      assert.equal(created.headers.get("location"), `${shop.service.url}${path}.json`);
      const location = new URL(created.headers.get("location") ?? "").pathname;
      assert.deepEqual(await (await shop.service.fetch(location)).json(), {
        __href: `${path}.json`,
        Text,
        Meaning: "m",
      });
      const changed = await shop.service.fetch(location, {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: '{"Meaning": "changed"}',
      });
      assert.equal(changed.status, 204, location);
      assert.deepEqual(
        await shop.look("SELECT count(*) FROM Tag WHERE Meaning = 'changed'"),
        ["1"],
        location,
      );
      assert.equal(
        (await shop.service.fetch(`${path}.${format}`, { method: "DELETE" })).status,
        204,
        location,
      );
      assert.deepEqual(await shop.look("SELECT count(*) FROM Tag"), ["3"], location);
    }
  });
}

function bodyOf(format: string, text: string): string {
  switch (format) {
    case "xml": {
      const escaped = text.replace(/[<>&\n\t\u0085\u2028]/g, (character) => `&#${character.codePointAt(0)};`);
      return `<Rowhouse xmlns="urn:rowhouse"><Tag><Text>${escaped}</Text><Meaning>m</Meaning></Tag></Rowhouse>`;
    }
    case "csv":
      return `Text,Meaning\r\n"${text.replaceAll('"', '""')}",m\r\n`;
    default:
      return JSON.stringify({ Text: text, Meaning: "m" });
  }
}

test("a key that the database makes from an expression is reported", async (shop) => {
  const created = await shop.service.fetch("/db/Shop/Token.json", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"Words": "x"}',
  });
  assert.match(await created.text(), /^\/db\/Shop\/Token\/TokenId\/token%20\d+$/);
  const { TokenId } =
    await (await shop.service.fetch(new URL(created.headers.get("location") ?? "").pathname)).json();
  assert.deepEqual(await shop.look("SELECT TokenId FROM Token"), [`'${TokenId}'`]);
});

test("a tag that compression has weakened is still the record's", async (shop) => {
  const path = "/db/Shop/Item/ItemId/1.json";
  const read = await shop.service.fetch(path, { headers: { "Accept-Encoding": "gzip" } });
  await read.body?.cancel();
  const etag = read.headers.get("etag") ?? "";
  assert.match(etag, /^W\/"/);
  const headers = { "Content-Type": "application/json", "If-Match": etag };
  const change = () => shop.service.fetch(path, { method: "PUT", headers, body: '{"Note": "x"}' });
  assert.equal((await change()).status, 204);
  const again = await change();
  assert.equal(again.status, 412);
  await again.body?.cancel();
});
