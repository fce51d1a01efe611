import assert from "node:assert/strict";
import json from "@/formats/json/mod.ts";
import { column, HOST, relation, shape, write } from "@/tests/conformance/shapes.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { parseJson } from "@/tests/conformance/shown_json.ts";
import { assertFits } from "@/tests/support/json_schema_judge.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

const wellFormed = (text: string) => void JSON.parse(text);

testFormat("json", () => json, { wellFormed, validate: assertFits, parse: parseJson });

Deno.test("json writes null in place of a reference to no record", async () => {
  const owner = relation("Owner", { many: false, nullableKey: [1] });
  const cars = shape([column("Id", "integer"), column("OwnerId", "integer")], {
    toOne: [owner],
    locate: ([id]) => `/c/${id}`,
  });
  const text = await write(json.setup(sectionOf(json), HOST), { shape: cars, rows: [[1, 5], [2, null]] });
  assert.deepEqual(JSON.parse(text).map(({ Owner }: { Owner: unknown }) => Owner), [
    { __href: "/c/1/Owner.json" },
    null,
  ]);
});
