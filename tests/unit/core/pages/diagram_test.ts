import assert from "node:assert/strict";
import type { View } from "@/core/database/connect.ts";
import { diagramOf, findDiagram } from "@/core/pages/diagram.ts";
import { narrowSchema } from "@/core/schema/build_schema.ts";
import { schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Person", "Id:integer Name Boss:integer", { key: ["Id"], references: [["Boss", "Person", "Id"]] }),
  table("Letter", "Id:integer Sender:integer Receiver:integer", {
    key: ["Id"],
    references: [["Sender", "Person", "Id"], ["Receiver", "Person", "Id"]],
  }),
  table("Odd.Name/x", "a"),
]);

Deno.test("a diagram has every table with its link, and every foreign key once", () => {
  const model = diagramOf(SCHEMA, "/p/db/T");
  assert.deepEqual(model?.tables.map(({ name, href, note }) => [name, href, note]), [
    ["Letter", "/p/db/T/Letter.html", "3 columns"],
    ["Odd.Name/x", `/p/db/T/${SCHEMA.tables.exact("Odd.Name/x")?.segment}.html`, "1 column"],
    ["Person", "/p/db/T/Person.html", "3 columns"],
  ]);
  assert.deepEqual(model?.relations.toSorted((one, other) => one.label < other.label ? -1 : 1), [
    { from: 2, to: 2, label: "Boss" },
    { from: 0, to: 2, label: "Receiver" },
    { from: 0, to: 2, label: "Sender" },
  ]);
  assert.deepEqual([model?.sentence, model?.left], ["3 tables and 3 relations.", 0]);
});

Deno.test("a diagram has neither tables nor relations that the caller may not see", () => {
  const model = diagramOf(narrowSchema(SCHEMA, (name) => name !== "Person"), "/db/T");
  assert.deepEqual(model?.tables.map(({ name }) => name), ["Letter", "Odd.Name/x"]);
  assert.deepEqual(model?.relations, []);
  assert.doesNotMatch(JSON.stringify(model), /Person/);
  assert.equal(diagramOf(narrowSchema(SCHEMA, () => false), "/db/T"), undefined);
});

Deno.test("of more than sixty tables a diagram has one with its neighbours", () => {
  const leaves = Array.from({ length: 100 }, (_, index) =>
    table(`Leaf${index}`, "Id:integer Root:integer", {
      key: ["Id"],
      ...(index < 70 ? { references: [["Root", "Root", "Id"] as const] } : {}),
    }));
  const schema = schemaOf([table("Root", "Id:integer", { key: ["Id"] }), ...leaves]);
  const model = diagramOf(schema, "/db/T");
  assert.deepEqual([model?.tables.length, model?.tables[0]?.name, model?.left], [60, "Root", 41]);
  const leaf = diagramOf(schema, "/db/T", schema.tables.exact("Leaf3"));
  assert.deepEqual(leaf?.tables.map(({ name }) => name), ["Leaf3", "Root"]);
  assert.equal(leaf?.sentence, "Leaf3 and 1 table related to it, of 101 tables; 1 relation.");
});

Deno.test("a diagram is made once for a view and each table in its middle", () => {
  const known = new Map<unknown, unknown>();
  const view = { schema: SCHEMA, memo: (make: () => unknown) => known.getOrInsertComputed(make, make) };
  const find = (around?: string) => findDiagram(view as unknown as View, "/db/T", around);
  assert.equal(find(), find());
  assert.equal(find("Letter"), find("Letter"));
  assert.notEqual(find(), find("Letter"));
  assert.equal(find("Nothing"), undefined);
});
