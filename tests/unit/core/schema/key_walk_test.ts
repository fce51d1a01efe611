import assert from "node:assert/strict";
import { keyWalk, readKeyWalk } from "@/core/schema/key_walk.ts";
import type { Table } from "@/core/schema/table.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Person", "Id:integer Name", { key: ["Id"] }),
  table("Place", "Size:float Number:integer Room", { key: ["Room", "Number"] }),
]);
const CONTEXT = { grammar: LINKS.grammar, traits };

function tableOf(name: string, loose = false): Table {
  const found = SCHEMA.tables.exact(name);
  assert.ok(found);
  return loose ? { ...found, columns: found.columns.map((column) => ({ ...column, loose })) } : found;
}

for (
  const path of [
    "Person/Id/5",
    "Place/Room/a__b/Number/7",
    "Place/Room/%3C%6Eull%3E/Number/-1",
    "Place/Room//Number/1",
  ]
) {
  Deno.test(`the walk to ${path} is that of the path, and has the key of the walk without values`, () => {
    const segments = path.split("/");
    const found = tableOf(segments[0] ?? "");
    const context = { ...CONTEXT, database: "Test", schema: SCHEMA, isForbidden: () => false };
    const walk = readKeyWalk(found, segments, CONTEXT);
    assert.deepEqual(walk, walkPath(segments, context));
    const planned = keyWalk(found);
    assert.deepEqual(planned, { ...walk, values: [], plain: [] });
  });
}

Deno.test("a value that a cell of another type looks like has a walk of its own", () => {
  const loose = tableOf("Person", true);
  const keyOf = (value: string) => readKeyWalk(loose, ["Person", "Id", value], CONTEXT).key;
  const same = ["1", "x"].map((value) => keyOf(value) === keyWalk(loose).key);
  assert.ok(same.includes(false), `no key differs: ${keyOf("1")}, ${keyOf("x")}`);
  assert.equal(readKeyWalk(loose, ["Person", "Id", "1"], CONTEXT).last.single, true);
});

Deno.test("a walk whose key is NULL selects no single record, like the path", () => {
  const walk = readKeyWalk(tableOf("Place"), ["Place", "Room", "%3Cnull%3E", "Number", "1"], CONTEXT);
  assert.equal(walk.last.single, false);
});

Deno.test("a value of the wrong type is refused", () => {
  assert.throws(() => readKeyWalk(tableOf("Person"), ["Person", "Id", "five"], CONTEXT), /Id/);
});
