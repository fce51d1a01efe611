import assert from "node:assert/strict";
import { compare, Tags } from "./compare.ts";

const REQUEST = { method: "GET", target: "/db/Mirror/Thing.json" };

const said = (dialect: "sqlite" | "mysql", text: string, tag: string | null = null) => ({
  dialect,
  text,
  tag,
});

Deno.test("answers that differ are told with the request, from where they do", () => {
  const answers = [said("sqlite", "HTTP/1.1 200 OK\n\n[1]"), said("mysql", "HTTP/1.1 404 Not Found\n\n")];
  assert.equal(
    compare(REQUEST, answers, { tags: new Tags(), excuses: [] }),
    "The engines answer otherwise:\nGET /db/Mirror/Thing.json\n--- sqlite: HTTP/1.1 200 OK\nHTTP/1.1 200 OK\n\n[1]\n" +
      "--- mysql: HTTP/1.1 404 Not Found\nHTTP/1.1 404 Not Found\n\n",
  );
});

Deno.test("tags differ where one engine has two for what is one on another", () => {
  const tags = new Tags();
  const found = (first: string | null, other: string | null) =>
    compare(REQUEST, [said("sqlite", "", first), said("mysql", "", other)], { tags, excuses: [] });
  assert.equal(found('"a"', '"x"'), undefined);
  assert.equal(found('"b"', '"y"'), undefined);
  assert.equal(found('"a"', '"x"'), undefined);
  assert.match(found('"a"', '"z"') ?? "", /ETag: "a"\n.*\nETag: "z"/s);
  assert.match(found('"c"', '"y"') ?? "", /ETag: "c"\n.*\nETag: "y"/s);
  assert.match(found('"a"', null) ?? "", /ETag: null/);
});

Deno.test("what an excuse takes out is not compared, on the engines that it is about", () => {
  const excuse = { reason: "", dialects: ["mysql"], examples: [] } as const;
  const excuses = [{ ...excuse, applies: () => true, normalize: (text: string) => text.replace(/\d/g, "") }];
  const answers = [said("sqlite", "a1"), said("mysql", "a2")];
  assert.equal(compare(REQUEST, answers, { tags: new Tags(), excuses }), undefined);
  const others = excuses.map((each) => ({ ...each, dialects: ["postgresql"] as const }));
  assert.notEqual(compare(REQUEST, answers, { tags: new Tags(), excuses: others }), undefined);
});
