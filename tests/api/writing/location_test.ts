import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedShop, type Shop } from "./shop.ts";

const open = {
  deno: sharedShop({ args: ["--adapter", "deno"] }),
  node: sharedShop({ args: ["--adapter", "node"] }),
};
const openBelow = sharedShop({ args: ["--base-url", "https://data.example/rows"] });

async function post(shop: Shop, target: string, host: string) {
  const headers = { Host: host, "Content-Type": "application/json" };
  const { status, headers: sent, text } = await sendRaw(shop.service.port, {
    method: "POST",
    target,
    headers,
    body: '{"Text": "a b"}',
  });
  return { status, location: sent.get("location"), text };
}

for (const adapter of ["deno", "node"] as const) {
  Deno.test(`Location has the host that the request was sent to (${adapter})`, async () => {
    assert.deepEqual(await post(open[adapter](), "/db/Shop/Tag.json", "other.example:81"), {
      status: 201,
      location: "http://other.example:81/db/Shop/Tag/Text/a%20b.json",
      text: "/db/Shop/Tag/Text/a%20b",
    });
  });

  Deno.test(`a large body in chunks comes whole (${adapter})`, async () => {
    const shop = open[adapter]();
    const records = Array.from(
      { length: 10_000 },
      (_, index) => ({ Text: `t${index}`, Meaning: "x".repeat(200) }),
    );
    const answer = await shop.service.fetch("/db/Shop/Tag.json", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: new Blob([JSON.stringify(records)]).stream(),
    });
    assert.equal(answer.status, 201);
    assert.equal((await answer.text()).split("\n").length, 10_000);
    assert.deepEqual(shop.look("SELECT count(*), sum(length(Meaning)) FROM Tag WHERE Text LIKE 't%'"), [
      "10000, 2000000",
    ]);
  });
}

Deno.test("Location and body have the address of --base-url, whatever the request was sent to", async () => {
  for (const target of ["/rows/db/Shop/Tag.json", "/db/Shop/Tag.xml"]) {
    assert.deepEqual(await post(openBelow(), target, "evil.example"), {
      status: 201,
      location: "https://data.example/rows/db/Shop/Tag/Text/a%20b.json",
      text: "/rows/db/Shop/Tag/Text/a%20b",
    });
  }
});

Deno.test("Location ends in .json in every format, and an answer is text/html", async () => {
  const shop = open.deno();
  const bodies = [
    ["xml", "text/xml", '<Rowhouse xmlns="urn:rowhouse"><Tag><Text>xml</Text></Tag></Rowhouse>'],
    ["csv", "text/csv", "Text\r\ncsv\r\n"],
    ["json", "application/json", '{"Text": "json"}'],
  ] as const;
  for (const [format, type, body] of bodies) {
    const answer = await shop.service.fetch(`/db/Shop/Tag.${format}`, {
      method: "POST",
      headers: { "Content-Type": type },
      body,
    });
    assert.equal(await answer.text(), `/db/Shop/Tag/Text/${format}`);
    assert.equal(answer.headers.get("location"), `${shop.service.url}/db/Shop/Tag/Text/${format}.json`);
    assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  }
});

Deno.test("the paths of new records are lines of text/html, whatever a client accepts", async () => {
  const defaultOfAxios = "application/json, text/plain, */*";
  for (const accept of ["application/json", defaultOfAxios, "text/html;q=0, */*", "text/csv", "text/html"]) {
    open.deno().reset();
    const answer = await open.deno().service.fetch("/db/Shop/Tag", {
      method: "POST",
      headers: { "Content-Type": "application/json", "Accept": accept },
      body: '[{"Text": "one"}, {"Text": "t w"}]',
    });
    assert.equal(answer.status, 201);
    assert.equal(await answer.text(), "/db/Shop/Tag/Text/one\n/db/Shop/Tag/Text/t%20w", accept);
    assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  }
});

Deno.test("a client that prefers the representation gets the new records as GET gives them", async () => {
  open.deno().reset();
  const { service } = open.deno();
  const create = async (path: string, body: unknown) => {
    const answer = await service.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Prefer": "respond-async, return=representation" },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get("preference-applied"), "return=representation");
    return { answer, text: await answer.text() };
  };
  const one = await create("/db/Shop/Tag.json", { Text: "one", Meaning: "1" });
  const read = await service.fetch("/db/Shop/Tag/Text/one.json");
  assert.equal(one.text, await read.text());
  assert.equal(one.answer.headers.get("etag"), read.headers.get("etag"));
  assert.match(one.answer.headers.get("location") ?? "", /\/db\/Shop\/Tag\/Text\/one\.json$/);
  const many = await create("/db/Shop/Tag.json", [{ Text: "b" }, { Text: "a" }]);
  assert.deepEqual(JSON.parse(many.text).map(({ Text }: { Text: string }) => Text), ["b", "a"]);
  assert.equal(many.answer.headers.has("location"), false);
  assert.equal(many.answer.headers.has("etag"), false);
  const xml = await create("/db/Shop/Tag.xml", { Text: "x" });
  assert.match(xml.answer.headers.get("content-type") ?? "", /^text\/xml/);
  assert.match(xml.text, /<Text>x<\/Text>/);
});

Deno.test("a representation that cannot be given leaves the paths: the records are there", async () => {
  open.deno().reset();
  const body = JSON.stringify(Array.from({ length: 1001 }, (_, index) => ({ Text: `t${index}` })));
  const answer = await open.deno().service.fetch("/db/Shop/Tag.json", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Prefer": "return=representation" },
    body,
  });
  assert.deepEqual([answer.status, answer.headers.has("preference-applied")], [201, false]);
  assert.equal((await answer.text()).split("\n").length, 1001);
});

Deno.test("who may only create records gets their paths, whatever is preferred", async () => {
  open.deno().reset();
  const answer = await open.deno().service.fetch("/db/Shop/Tag.json", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Prefer": "return=representation",
      "apikey": "clerk-0123456789-0123456789-0123456789",
    },
    body: '{"Text": "unseen", "Meaning": "secret"}',
  });
  assert.deepEqual([answer.status, await answer.text()], [201, "/db/Shop/Tag/Text/unseen"]);
  assert.equal(answer.headers.has("preference-applied"), false);
});
