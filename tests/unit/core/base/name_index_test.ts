import assert from "node:assert/strict";
import { createLookup, NameIndex } from "@/core/base/name_index.ts";

Deno.test("names ignore case only where that is unambiguous", () => {
  const index = new NameIndex([["Name", 1], ["name", 2], ["Other", 3], ["constructor", 4]]);
  assert.deepEqual(["Name", "name", "NAME", "OTHER", "other"].map((name) => index.find(name)), [
    1,
    2,
    undefined,
    3,
    3,
  ]);
  assert.deepEqual(["constructor", "CONSTRUCTOR", "toString", "__proto__"].map((name) => index.find(name)), [
    4,
    4,
    undefined,
    undefined,
  ]);
});

Deno.test("an alias is found where no name is meant, and is not among the names", () => {
  const index = new NameIndex([["Name", 1]], [["NAME", 2], ["Short", 3]]);
  assert.deepEqual(index.names, ["Name"]);
  assert.deepEqual(["Name", "NAME", "Short", "SHORT"].map((name) => index.find(name)), [1, 1, 3, 3]);
});

Deno.test("a lookup gives what the index finds, and everything that an ambiguous name may mean", () => {
  const entries = [["Name", 1], ["name", 2], ["Other", 3], ["__proto__", 4]] as const;
  const aliases = [["NAME", 5], ["Short", 6], ["short", 7], ["Only", 8]] as const;
  const [index, lookup] = [new NameIndex(entries, aliases), createLookup(entries, aliases)];
  const names = ["Name", "NAME", "other", "__PROTO__", "Short", "SHORT", "only", "toString"];
  assert.deepEqual(names.map(lookup), [[1], [1, 2], [3], [4], [6], [6, 7], [8], []]);
  for (const name of names) {
    const [only, ...others] = lookup(name);
    assert.equal(index.find(name), others.length > 0 ? undefined : only, name);
  }
});
