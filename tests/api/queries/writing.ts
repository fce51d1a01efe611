/** @module Bodies, and queries that change something. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import type { Queries } from "./client.ts";
import { ANNA } from "./fixture.ts";

const BODIES: readonly [string, string, string][] = [
  ["json", "application/json", '{"kind": "fruit"}'],
  ["csv", "text/csv", "kind\nfruit\n"],
  ["xml", "text/xml", '<Rowhouse xmlns="urn:rowhouse"><by-kind><kind>fruit</kind></by-kind></Rowhouse>'],
];

/** Arguments in bodies, and queries that write. */
export function testWriting({ test, get, send, ids, service }: Queries): void {
  for (const [format, type, body] of BODIES) {
    test(`the arguments of a query may come as ${format}`, async () => {
      const { status, text } = await send("POST", "/query/by-kind/name.json", body, { "Content-Type": type });
      assert.deepEqual([status, JSON.parse(text)], [200, ["pear", "plum"]]);
    });
  }

  test("a column may be listed that is called like a parameter of the body", async () => {
    for (const column of ["Name", "name", "NAME"]) {
      const { status, text } = await send("POST", `/query/by-name/${column}.json`, { name: "pe%" });
      assert.deepEqual([status, JSON.parse(text)], [200, ["pear"]], column);
    }
    const both = await send("POST", "/query/by-name/Name,id.json", { name: "pe%" });
    assert.deepEqual(JSON.parse(both.text), [{ Name: "pear", id: 1 }]);
    const given = await get("/query/by-name/name/pe%25/name.json");
    assert.deepEqual(JSON.parse(given.text), ["pear"]);
    const missing = await get("/query/by-name/Name.json");
    assert.deepEqual([missing.status, /parameter \\"name\\" is missing/.test(missing.text)], [400, true]);
    const none = await send("POST", "/query/by-kind/kind.json", { kind: "fruit" });
    assert.equal(none.status, 404);
    assert.match(none.text, /is a parameter without a value in the path, and no column of its result/);
  });

  test("a body that contradicts the path, names no parameter or nests values is refused", async () => {
    const cases: readonly [string, unknown, RegExp][] = [
      ["/query/by-kind/kind/a.json", { kind: "b" }, /in the path and in the body/],
      ["/query/by-kind.json", { colour: "b" }, /no parameter "colour"/],
      ["/query/by-kind.json", { kind: ["b"] }, /is an object or list/],
      ["/query/by-kind.json", {}, /"kind" is missing/],
      ["/query/by-kind.json", "{", /Could not parse JSON/],
      ["/query/numbers.json", { last: "x" }, /"last" is "x", expected a whole number/],
    ];
    for (const [path, body, description] of cases) {
      const { status, text } = await send("POST", path, body);
      assert.equal(status, 400, text);
      assert.match(JSON.parse(text).description, description);
    }
  });

  test("a body of unknown length that has no bytes is none", async () => {
    const cases: readonly [string, string, number][] = [
      ["POST", "/query/touch.json", 200],
      ["POST", "/query/by-kind/kind/fruit.json", 200],
      ["PUT", "/query/rename/name/pear/id/1.json", 200],
      ["POST", "/query/by-kind.json", 400],
    ];
    for (const [method, path, expected] of cases) {
      const body = new ReadableStream({ start: (controller) => controller.close() });
      const [none, empty] = [await send(method, path), await service().fetch(path, { method, body })];
      const text = await empty.text();
      assert.deepEqual([none.status, empty.status, text], [expected, expected, none.text], path);
    }
  });

  test("a body of HTTP/2 needs no length", async () => {
    const client = connect(service().url);
    try {
      const stream = client.request({
        ":method": "POST",
        ":path": "/query/by-kind/name.json",
        "content-type": "application/json",
      }, { endStream: false });
      stream.end('{"kind": "fruit"}');
      const text: string[] = [];
      stream.setEncoding("utf-8").on("data", (piece: string) => text.push(piece));
      await once(stream, "end");
      assert.deepEqual(JSON.parse(text.join("")), ["pear", "plum"]);
    } finally {
      client.destroy();
    }
  });

  test("a whole number is one however JSON spells it", async () => {
    for (const last of ["3", "3.0", "3e0", "30e-1"]) {
      const { status, text } = await send("POST", "/query/numbers/i.json", `{"last": ${last}}`);
      assert.deepEqual([status, JSON.parse(text)], [200, [3, 2, 1]], last);
    }
    assert.equal((await send("POST", "/query/numbers.json", '{"last": 1.5}')).status, 400);
  });

  test("a list of sets runs once for each, in one transaction", async () => {
    const added = await send("POST", "/query/add.json", [{ name: "fig", kind: "x" }, {
      name: "date",
      kind: "x",
    }]);
    assert.deepEqual([added.status, JSON.parse(added.text).map(({ name }: { name: string }) => name)], [200, [
      "fig",
      "date",
    ]]);
    const before = await ids();
    const failed = await send("POST", "/query/add.json", [{ name: "new", kind: "x" }, {
      name: "pear",
      kind: "x",
    }]);
    assert.equal(failed.status, 409);
    assert.deepEqual(await ids(), before);
    const removed = await send("DELETE", "/query/drop-kind/kind/x.json");
    assert.deepEqual([removed.status, removed.text], [200, "[]"]);
    assert.deepEqual(await ids(), [1, 2, 3, 4, 5]);
  });

  test("a refusal of one set of a list says which one it was", async () => {
    const cases: readonly (readonly [string, string, readonly unknown[], number, RegExp])[] = [
      [
        "POST",
        "numbers",
        [{ last: 1 }, { last: "x" }],
        400,
        /: error at node '\/1': parameter "last" is "x"/,
      ],
      ["POST", "numbers", [{ last: 1 }, {}], 400, /: error at node '\/1': parameter "last" is missing/],
      ["POST", "numbers", [{ lst: 1 }, { last: 1 }], 400, /: error at node '\/0': it has no parameter "lst"/],
      ["POST", "numbers", [{ last: "x" }], 400, /"numbers": parameter "last" is "x"/],
      [
        "POST",
        "add",
        [{ name: "new", kind: "x" }, { name: "pear", kind: "x" }],
        409,
        /: error at node '\/1': /,
      ],
      ["PUT", "rename/id/1", [{ name: "new" }, { name: "plum" }], 422, /update: error at node '\/1': /],
    ];
    for (const [method, query, sets, status, description] of cases) {
      const answer = await send(method, `/query/${query}.json`, sets);
      assert.equal(answer.status, status, answer.text);
      assert.match(JSON.parse(answer.text).description, description);
    }
  });

  test("a PUT that breaks a rule is 422 and changes nothing", async () => {
    const { status, text } = await send("PUT", "/query/rename/id/1.json", { name: "plum" });
    assert.equal(status, 422);
    assert.match(JSON.parse(text).description, /^Commit failed during update: /);
    assert.deepEqual(JSON.parse((await get("/query/by-kind/kind/fruit/name.json")).text), ["pear", "plum"]);
  });

  test("an integrity error has the database's words for callers who may read its table", async () => {
    const headers = { Authorization: `Basic ${btoa(`anna:${ANNA}`)}` };
    for (
      const [caller, words] of [[headers, /unique|duplicate/i], [
        {},
        /a rule of the database|duplicate/i,
      ]] as const
    ) {
      const put = await send("PUT", "/query/rename/id/1.json", { name: "plum" }, caller);
      assert.equal(put.status, 422, put.text);
      assert.match(JSON.parse(put.text).description, words);
      const post = await send("POST", "/query/add.json", { name: "plum", kind: "x" }, caller);
      assert.equal(post.status, 409, post.text);
      assert.match(JSON.parse(post.text).description, words);
    }
    const got = await get("/query/allowed-get/name/plum.json", headers);
    assert.equal(got.status, 409, got.text);
    assert.match(JSON.parse(got.text).description, /unique|duplicate/i);
  });

  test("a GET may change the database only where the definition says so", async () => {
    const refused = await get("/query/rename/name/stolen/id/1.json");
    assert.equal(refused.status, 400);
    assert.deepEqual(JSON.parse((await get("/query/by-kind/kind/fruit/name.json")).text), ["pear", "plum"]);
    const allowed = await get("/query/allowed-get/name/quince.json");
    assert.deepEqual([allowed.status, allowed.text], [200, "[]"]);
    assert.equal((await ids()).length, 6);
  });

  test("HEAD of a query that may change the database does not run it", async () => {
    const before = await ids();
    const refused = await send("HEAD", "/query/allowed-get/name/medlar.json");
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, OPTIONS"]);
    const options = await send("OPTIONS", "/query/allowed-get.json");
    assert.equal(options.headers.get("allow"), "GET, OPTIONS");
    assert.deepEqual(await ids(), before);
  });

  test("a statement without rows gives nothing as CSV and text, and an empty list in other formats", async () => {
    const bodies: Record<string, string> = {};
    for (const extension of ["csv", "txt", "json"]) {
      const { status, text } = await send("POST", `/query/touch.${extension}`);
      assert.equal(status, 200, text);
      bodies[extension] = text;
    }
    assert.deepEqual(bodies, { csv: "", txt: "", json: "[]" });
  });
}
