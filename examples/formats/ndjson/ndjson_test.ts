import assert from "node:assert/strict";
import { testFormat } from "@/tests/conformance/format.ts";
import { column, HOST, relation, shape, write } from "@/tests/conformance/shapes.ts";
import { parseJsonLines } from "@/tests/conformance/shown_json.ts";
import { sectionOf } from "@/tests/support/section_of.ts";
import { startService } from "@/tests/support/service.ts";
import ndjson from "./mod.ts";
import { readBody } from "./read.ts";

testFormat("ndjson", () => ndjson, {
  wellFormed(text: string) {
    assert.equal(text === "" || text.endsWith("\n"), true, "every line ends");
    for (const line of text.split("\n").slice(0, -1)) JSON.parse(line);
  },
  parse: parseJsonLines,
  references: true,
});

Deno.test("ndjson writes one record per line and no relations", async () => {
  const located = shape([column("Id", "integer"), column("Price", "decimal"), column("Note")], {
    toMany: [relation("Invoice")],
    locate: ([id]) => id === null ? null : `/db/Shop/Customer/Id/${id}`,
  });
  const rows = [[1, "0.10", null], [null, "NaN", "a\nb"]];
  const text = (section: Record<string, string>) =>
    write(ndjson.setup(sectionOf(ndjson, section), HOST), { shape: located, rows });
  assert.equal(
    await text({}),
    '{"__href":"/db/Shop/Customer/Id/1.ndjson","Id":1,"Price":0.10,"Note":null}\n' +
      '{"__href":null,"Id":null,"Price":"NaN","Note":"a\\nb"}\n',
  );
  assert.equal(
    await text({ nulls: "False", href: "False" }),
    '{"Id":1,"Price":0.10}\n{"Price":"NaN","Note":"a\\nb"}\n',
  );
});

Deno.test("ndjson keeps the digits of numbers and the order of names, and skips blank lines", () => {
  const reading = readBody('\n{"b":1.50,"2":{"x":[12345678901234567890]},"1":"a"}\r\n\n{"b":-0}');
  const records = [...reading].map((record) => [...record ?? []]);
  assert.deepEqual(records, [
    [
      ["b", { kind: "number", text: "1.50" }],
      ["2", { kind: "nested", text: '{"x":[12345678901234567890]}' }],
      ["1", "a"],
    ],
    [["b", { kind: "number", text: "-0" }]],
  ]);
});

Deno.test("ndjson reads a line with a text of ten million characters", () => {
  const [record] = readBody(JSON.stringify({ text: "x".repeat(1e7) }));
  assert.equal(String(record?.get("text")).length, 1e7);
});

Deno.test("ndjson gives a record no reference where a column is called like it", async () => {
  const odd = shape([column("__href")], { locate: () => "/db/Shop/odd/__href/a" });
  const text = await write(ndjson.setup(sectionOf(ndjson, {}), HOST), { shape: odd, rows: [["a"]] });
  assert.equal(text, '{"__href":"a"}\n');
});

const MISTAKES = [
  ["[1]", "line 1: expected a JSON object"],
  ["{}\n7", "line 2: expected a JSON object"],
  ['{}\n\n{"a":1,}', "line 3: this is no JSON text"],
  ['{"a":1,"a":2}', "line 1: a name is there twice"],
  ["[".repeat(100_000), "line 1: this is no JSON text"],
] as const;

for (const [body, complaint] of MISTAKES) {
  Deno.test(`ndjson complains: ${complaint} (${body.slice(0, 20)})`, () => {
    const reading = readBody(body);
    let step = reading.next();
    while (!step.done) step = reading.next();
    assert.deepEqual(step.value, { complaint });
  });
}

Deno.test("ndjson creates the records of a body and shows them", async () => {
  const folder = new URL("../../", import.meta.url).pathname;
  const apikey = "0123456789abcdef0123456789abcdef";
  await using service = await startService({
    files: {
      "config/service.ini":
        `[service]\nplugins_path = ${folder}\nformats = json,ndjson\nndjson_sdb.href = False\n`,
      "config/users.cfg": "public: {}\nadmin: {}\n" +
        `anna: {apikey: ${apikey}, databases: {Demo: {access: {Amenity: [read, create]}}}}\n`,
    },
  });
  const body = '{"Name":"Ice bath"}\n{"Name":"Cold room"}\n';
  const created = await service.fetch("/db/Demo/Amenity.ndjson", {
    method: "POST",
    headers: { apikey },
    body,
  });
  assert.equal(created.status, 201, await created.text());
  const shown = await service.fetch("/db/Demo/Amenity/Name.ndjson", { headers: { apikey } });
  assert.match(await shown.text(), /"Ice bath"\n"Cold room"\n$/);
  const databases = await service.fetch("/db.ndjson", { headers: { apikey } });
  assert.match(await databases.text(), /"__href":"\/db\/Demo\.ndjson"/, "documents refer to this format");
});

Deno.test("ndjson: what GET shows of odd cells comes back with PUT and leaves them as they are", async () => {
  const folder = new URL("../../", import.meta.url).pathname;
  await using service = await startService({
    files: { "config/service.ini": `[service]\nplugins_path = ${folder}\nformats = json,ndjson\n` },
    sqlite: {
      Odd: "CREATE TABLE odd (id INTEGER PRIMARY KEY, made DATETIME, flag BOOLEAN, loose, code STRING); " +
        "INSERT INTO odd VALUES (1, 1467628200, 'yes', 9007199254740993, 5), " +
        "(2, '2016-07-04', 7, '5', NULL), (3, 'soon', 1, 5, '')",
    },
  });
  const list = async () => await (await service.fetch("/db/Odd/odd.json")).text();
  const before = await list();
  for (const id of [1, 2, 3]) {
    const path = `/db/Odd/odd/id/${id}.ndjson`;
    const body = await (await service.fetch(path)).bytes();
    const changed = await service.fetch(path, { method: "PUT", body });
    assert.equal(changed.status, 204, await changed.text());
  }
  assert.equal(await list(), before);
  const half = { method: "POST", body: '{"code": "\\ud800"}' };
  const refused = await service.fetch("/db/Odd/odd.ndjson", half);
  assert.match(
    await refused.text(),
    /error at node '\/0\/code': must not have half of a surrogate pair/,
  );
  assert.equal(await list(), before);
});
