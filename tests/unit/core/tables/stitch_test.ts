import assert from "node:assert/strict";
import type { KeptExpansion } from "@/core/tables/kept_statement.ts";
import type { Cell, Row } from "@/core/model.ts";
import { expand, type Expansion } from "@/core/tables/answer_shape.ts";
import { stitch } from "@/core/tables/expand_relations.ts";
import fc from "@/tests/support/random.ts";
import { schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Person", "Id:integer Boss:integer", { key: ["Id"], references: [["Boss", "Person", "Id"]] }),
  table("Letter", "Id:integer Sender:integer Receiver:integer", {
    key: ["Id"],
    references: [["Sender", "Person", "Id"], ["Receiver", "Person", "Id"]],
  }),
]);

function flatten(expansions: readonly Expansion[]): readonly Expansion[] {
  return expansions.flatMap((expansion) => [expansion, ...flatten(expansion.children)]);
}

/** The records that a writer would print of these relations, by walking through them. */
function count(rows: readonly Row[], expansions: readonly Expansion[], counts: Map<Expansion, number>): void {
  for (const row of rows) {
    for (const expansion of expansions) {
      const related = row[expansion.cell] as readonly Row[];
      const printed = expansion.relation.many ? related : related.slice(0, 1);
      counts.set(expansion, (counts.get(expansion) ?? 0) + printed.length);
      count(printed, expansion.children, counts);
    }
  }
}

/** Ids and references that meet often, some of them NULL, of tables with up to three columns. */
const rows = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 4 }),
    fc.option(fc.integer({ min: 0, max: 4 })),
    fc.option(fc.integer({ min: 0, max: 4 })),
  ),
  { maxLength: 6 },
);

Deno.test("records that several parents share are counted below each of them", () => {
  const person = SCHEMA.tables.find("Person");
  assert.ok(person);
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 3 }),
    rows,
    fc.infiniteStream(rows),
    (depth, top, others) => {
      const expansions = expand(person, depth);
      const flat = flatten(expansions);
      const cut = (list: readonly Row[], { columns }: typeof person) =>
        list.map((row): Cell[] => row.slice(0, columns.length));
      const [parents, related] = [
        cut(top, person),
        flat.map(({ relation }) => cut(others.next().value, relation.table)),
      ];
      const kept = flat.map((expansion): KeptExpansion => ({ expansion, prepared: {}, slots: [] }));
      const printed = stitch(parents, kept, related);
      const counts = new Map(flat.map((expansion) => [expansion, 0]));
      count(parents, expansions, counts);
      assert.deepEqual(new Map(printed.map(({ expansion, records }) => [expansion, records])), counts);
    },
  ));
});

Deno.test("counting takes as many steps as there are rows, however many would be printed", () => {
  const person = SCHEMA.tables.find("Person");
  assert.ok(person);
  const flat = flatten(expand(person, 3));
  const same = () => Array.from({ length: 1000 }, (): Cell[] => [1, 1, 1]);
  const kept = flat.map((expansion): KeptExpansion => ({ expansion, prepared: {}, slots: [] }));
  const printed = stitch(same(), kept, flat.map(same));
  const most = Math.max(...printed.map(({ records }) => records));
  assert.equal(most, 1000 ** 4, "walking through them would not end");
});
