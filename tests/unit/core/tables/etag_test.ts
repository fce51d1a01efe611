import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { hashRecord, matchesRecord, matchesTag, parseTags, recordTag } from "@/core/tables/etag.ts";
import type { Row } from "@/core/model.ts";

Deno.test("no two rows of different values have one hash", () => {
  const rows: readonly Row[] = [
    [1, "a"],
    ["1", "a"],
    [1n, "b"],
    [true, "a"],
    ["true", "a"],
    [null, "a"],
    ["null", "a"],
    ["", "a"],
    ["-", "a"],
    ["1a", ""],
    ["1", "a", null],
    [1.5, "a"],
    ["1;", "a"],
    ["s1:a", ""],
    [new Uint8Array([1]), "a"],
    [new Uint8Array([2]), "a"],
    ["AQ==", "a"],
    [[], "a"],
    [[[1]], "a"],
    [[[1], [1]], "a"],
    [],
  ];
  assert.equal(new Set(rows.map(hashRecord)).size, rows.length);
});

Deno.test("the hash of a row depends on nothing but its values", () => {
  const cell = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.bigInt(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
  );
  fc.assert(fc.property(fc.array(cell), (row) => {
    assert.equal(hashRecord(row), hashRecord(structuredClone(row)));
    assert.match(hashRecord(row), /^[\w-]+$/);
  }));
});

Deno.test("a tag tells the record from its representation", () => {
  const json = { columns: 2, representation: hashRecord(["json"]) };
  const xml = { columns: 2, representation: hashRecord(["xml"]) };
  const tags = [
    recordTag([1, "a"], json),
    recordTag([1, "a"], xml),
    recordTag([2, "a"], json),
    recordTag([1, "a", [[5]]], json),
    recordTag([1, "a", [[6]]], json),
    recordTag([1, "a", [[6]]], xml),
  ];
  assert.equal(new Set(tags).size, tags.length);
  const matched = tags.map((tag) => matchesRecord(parseTags(tag), hashRecord([1, "a"])));
  assert.deepEqual(matched, [true, true, false, true, true, true], "related records do not count");
});

Deno.test("a tag is known if a header names it, weak or not, or names any", () => {
  const tag = recordTag([1], { columns: 1, representation: "json" });
  for (const header of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
    assert.equal(matchesTag(header, tag), true, header);
  }
  for (const header of ['"x"', "", tag.replace("json", "xml")]) {
    assert.equal(matchesTag(header, tag), false, header);
  }
});

Deno.test("a header is read as its tags, weak or not", () => {
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['"abc"', "abc"],
    ['W/"abc"', "abc"],
    ['"a", W/"b","c-d"', "a", "b", "c-d"],
    [" * ", "*"],
    ['""', ""],
    ["abc"],
    [""],
    ['"abc'],
  ];
  for (const [header, ...tags] of cases) assert.deepEqual(parseTags(header), tags, header);
});

Deno.test("a record is matched by its hash, in any representation, and by *", () => {
  const hash = hashRecord(["x"]);
  for (const tag of [hash, `${hash}-json`, `${hash}-json-gzip`, "*"]) {
    assert.equal(matchesRecord(["other", tag], hash), true, tag);
  }
  for (const tag of ["", "-", hash.slice(0, -1), `${hash}x`, `x${hash}`]) {
    assert.equal(matchesRecord([tag], hash), false, tag);
  }
  assert.equal(matchesRecord([], hash), false);
});
