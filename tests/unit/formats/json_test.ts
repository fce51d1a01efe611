import assert from "node:assert/strict";
import json from "@/formats/json/mod.ts";
import { column, HOST, relation, shape, write } from "@/tests/conformance/shapes.ts";
import { testFormat } from "@/tests/conformance/format.ts";
import { parseJson } from "@/tests/conformance/shown_json.ts";
import { assertFits } from "@/tests/support/json_schema_judge.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

const wellFormed = (text: string) => void JSON.parse(text);

testFormat("json", () => json, { wellFormed, validate: assertFits, parse: parseJson });

Deno.test("json has the layout of JSON.stringify, with and without paths, NULLs and escapes", async () => {
  const columns = [
    column("OwnerId", "integer"),
    column('"Name"', "text"),
    column("Price", "decimal"),
    column("Any", "any"),
  ];
  const toOne = [
    relation("Maker", { many: false }),
    relation("Owner", { many: false, nullableKey: [0] }),
  ];
  const toMany = [relation("Trip", { many: true })];
  const cars = shape(columns, { toOne, toMany, locate: ([, name]) => name === null ? null : "/c/1" });
  const link = (path: string | null, name: string) => {
    return { __href: path === null ? null : `${path}${name && `/${name}`}.json` };
  };
  const rows: readonly (readonly [number | null, string | null, number | null, string | number | null])[] = [
    [5, "plain", 1.5, "text"],
    [null, 'a "quote"', null, 7],
    [6, null, -3, null],
    [null, null, 0, "line\nbreak"],
    [7, "Ő", 1e21, ""],
  ];
  const expected = rows.map(([owner, name, price, any]) => {
    const path = name === null ? null : "/c/1";
    return {
      ...link(path, ""),
      Maker: link(path, "Maker"),
      Owner: link(path, "Owner"),
      OwnerId: owner,
      '"Name"': name,
      Price: price,
      Any: any,
      Trip: link(path, "Trip"),
    };
  });
  for (const indent of [0, 1, 4]) {
    const format = json.setup(sectionOf(json, { indent }), HOST);
    assert.equal(await write(format, { shape: cars, rows }), JSON.stringify(expected, null, indent));
  }
});
