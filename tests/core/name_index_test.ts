import assert from "node:assert/strict";
import { NameIndex } from "@/core/name_index.ts";

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
