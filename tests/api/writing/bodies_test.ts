import assert from "node:assert/strict";
import { sharedShop, type Shop } from "./shop.ts";

const LIMIT = 20_000;
const open = sharedShop({ settings: [`max_body_size = ${LIMIT}`] });
const JSON_TYPE = { "Content-Type": "application/json" };

type Bytes = Uint8Array<ArrayBuffer>;

async function post(
  shop: Shop,
  body: string | Bytes | ReadableStream<Bytes>,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
  path = "/db/Shop/Tag.json",
) {
  const answer = await shop.service.fetch(path, { method: "POST", headers, body });
  return { status: answer.status, warning: answer.headers.get("warning"), text: await answer.text() };
}

/** A body without Content-Length, sent in chunks. */
function chunked(text: string): ReadableStream<Bytes> {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, sent += 1000));
    },
  });
}

function listOf(count: number): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, index) => ({ Text: `t${index}`, Meaning: "x".repeat(20) })),
  );
}

function bytes(...parts: readonly (string | readonly number[])[]): Bytes {
  const all = parts.flatMap((
    part,
  ) => [...(typeof part === "string" ? new TextEncoder().encode(part) : part)]);
  return new Uint8Array(all);
}

Deno.test("a body beyond the limit is 413, with its length told before or not, and nothing is written", async () => {
  const shop = open();
  const large = listOf(1000);
  assert.ok(large.length > LIMIT);
  for (const body of [large, chunked(large)]) {
    const before = shop.dump();
    const { status, warning } = await post(shop, body);
    assert.deepEqual([status, warning], [413, `The body is too large: at most ${LIMIT} bytes are accepted`]);
    assert.deepEqual(shop.dump(), before);
  }
});

Deno.test("a body in chunks within the limit is read like any other", async () => {
  const shop = open();
  const { status } = await post(shop, chunked(listOf(200)));
  assert.equal(status, 201);
  assert.deepEqual(shop.look("SELECT count(*) FROM Tag"), ["203"]);
});

const NO_TEXT: readonly (readonly [string, string, Bytes])[] = [
  ["json", "application/json", bytes('{"Text": "a', [0xff], '"}')],
  ["json", "application/json; charset=utf-8", bytes('{"Text": "', [0xc0, 0xaf], '"}')],
  ["json", "application/json", bytes('{"Text": "', [0xed, 0xa0, 0x80], '"}')],
  ["json", "application/json", bytes([0xff, 0xfe], '{"Text": "utf-16"}')],
  [
    "xml",
    "text/xml",
    bytes('<Rowhouse xmlns="urn:rowhouse"><Tag><Text>', [0xe4], "</Text></Tag></Rowhouse>"),
  ],
  ["csv", "text/csv", bytes("Text\r\n", [0xe4], "\r\n")],
];

for (const [extension, type, body] of NO_TEXT) {
  Deno.test(`${type} that is not UTF-8 (${body.toHex().slice(0, 24)}) is 400`, async () => {
    const shop = open();
    const before = shop.dump();
    const { status, warning } = await post(shop, body, { "Content-Type": type }, `/db/Shop/Tag.${extension}`);
    assert.deepEqual([status, warning], [
      400,
      `Could not parse ${extension.toUpperCase()}: the body is not utf-8 text: send that, or name its charset in Content-Type`,
    ]);
    assert.deepEqual(shop.dump(), before);
  });
}

Deno.test("a body is read in the charset that its type names", async () => {
  const shop = open();
  const cases: readonly (readonly [string, string, Bytes])[] = [
    ["json", "application/json; charset=iso-8859-1", bytes('{"Text": "json ', [0xe4], '"}')],
    ["csv", 'text/csv; charset="windows-1252"', bytes("Text\r\ncsv ", [0x80], "\r\n")],
    [
      "json",
      "application/json; charset=utf-16le",
      bytes(...[...'{"Text":"wide"}'].map((c) => [c.charCodeAt(0), 0])),
    ],
  ];
  for (const [extension, type, body] of cases) {
    assert.equal(
      (await post(shop, body, { "Content-Type": type }, `/db/Shop/Tag.${extension}`)).status,
      201,
      type,
    );
  }
  assert.deepEqual(shop.look("SELECT Text FROM Tag WHERE Meaning IS NULL ORDER BY Text"), [
    "'csv €'",
    "'json ä'",
    "'wide'",
  ]);
});

Deno.test("a byte order mark is no content", async () => {
  const shop = open();
  const mark = [0xef, 0xbb, 0xbf];
  assert.equal((await post(shop, bytes(mark, '{"Text": "json"}'))).status, 201);
  const csv = { "Content-Type": "text/csv" };
  assert.equal((await post(shop, bytes(mark, "Text\r\ncsv\r\n"), csv)).status, 201);
  const xml = '<Rowhouse xmlns="urn:rowhouse"><Tag><Text>xml</Text></Tag></Rowhouse>';
  assert.equal((await post(shop, bytes(mark, xml), { "Content-Type": "text/xml" })).status, 201);
});

const HOSTILE: readonly (readonly [string, string, string])[] = [
  ["deeply nested lists", "application/json", "[".repeat(9000)],
  ["deeply nested lists that are closed", "application/json", "[".repeat(9000) + "]".repeat(9000)],
  ["a deeply nested value", "application/json", `{"Text": ${"[".repeat(9000)}${"]".repeat(9000)}}`],
  ["deeply nested objects", "application/json", '{"a":'.repeat(3000)],
  ["deeply nested elements", "text/xml", `<Rowhouse xmlns="urn:rowhouse"><Tag>${"<a>".repeat(5000)}`],
  [
    "very many attributes",
    "text/xml",
    `<Rowhouse xmlns="urn:rowhouse" ${Array.from({ length: 1500 }, (_, i) => `a${i}="1"`).join(" ")}/>`,
  ],
  ["very many names", "application/json", `{${Array.from({ length: 1500 }, (_, i) => `"a${i}":1`).join()}}`],
  ["very many columns", "text/csv", `${Array.from({ length: 3000 }, (_, i) => `a${i}`).join()}\n`],
  ["a very long name", "application/json", `{"${"a".repeat(19000)}": 1}`],
  ["a very long number", "application/json", `{"Text": ${"9".repeat(19000)}}`],
  ["a NUL in a name", "application/json", '{"Te\\u0000xt": 1}'],
  ["half a surrogate pair", "application/json", '{"Text": "\\ud800"}'],
  ["only a byte order mark", "application/json", "\ufeff"],
  ["two documents", "application/json", '{"Text": "a"}{"Text": "b"}'],
  ["a comment", "application/json", '{"Text": "a" /* b */}'],
  ["a trailing comma", "application/json", '[{"Text": "a"},]'],
  ["a parameter entity", "text/xml", '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/">%p;]><r/>'],
  [
    "an XInclude",
    "text/xml",
    '<Rowhouse xmlns="urn:rowhouse" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/passwd"/></Rowhouse>',
  ],
  ["another root", "text/xml", '<Other xmlns="urn:rowhouse"><Tag><Text>x</Text></Tag></Other>'],
  ["another namespace", "text/xml", '<Rowhouse xmlns="urn:other"><Tag><Text>x</Text></Tag></Rowhouse>'],
  [
    "a record of no namespace",
    "text/xml",
    '<r:Rowhouse xmlns:r="urn:rowhouse"><Tag><Text>x</Text></Tag></r:Rowhouse>',
  ],
];

for (const [what, type, body] of HOSTILE) {
  Deno.test(`${what} in ${type}: a clear 400, and nothing is written`, async () => {
    const shop = open();
    const before = shop.dump();
    const { status, warning } = await post(shop, body, { "Content-Type": type });
    assert.equal(status, 400);
    assert.match(
      warning ?? "",
      /^(Could not parse (JSON|XML|CSV)|Cannot create a record): [\x20-\x7e]{1,480}$/,
    );
    assert.deepEqual(shop.dump(), before);
  });
}

Deno.test("a client that leaves in the middle of its body has written nothing", async () => {
  const shop = open();
  const before = shop.dump();
  const leaving = await Deno.connect({ hostname: "127.0.0.1", port: shop.service.port });
  const head =
    "POST /db/Shop/Tag.json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
  await leaving.write(new TextEncoder().encode(`${head}[{"Text": "x"}, `));
  leaving.close();
  assert.equal((await post(shop, '{"Text": "plain"}')).status, 409, "the service works on");
  assert.deepEqual(shop.dump(), before);
});

Deno.test("names of Object's prototype in a body pollute nothing", async () => {
  const shop = open();
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    const body = `{"Text": "x", "${name}": {"Meaning": "polluted", "__href": "polluted"}}`;
    assert.equal((await post(shop, body)).status, 400, name);
  }
  assert.equal((await post(shop, '{"Text": "fresh"}')).status, 201);
  assert.deepEqual(shop.look("SELECT Meaning FROM Tag WHERE Text = 'fresh'"), ["NULL"]);
});
