import assert from "node:assert/strict";
import { sendRaw } from "@/tests/raw_request.ts";
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
