/** @module Which statements are told to run functions that people wrote. */

import assert from "node:assert/strict";
import { PathSql } from "@/core/sql/conditions.ts";
import { ReadStatements } from "@/core/sql/select.ts";
import type { Statement } from "@/core/sql/statement.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import { WriteStatements } from "@/core/sql/insert_update_delete.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { LINKS, schemaOf, table } from "./tables.ts";

const OWNER = [["owner", "Person", "id"]] as const;

/** `Watched` is a view that calls functions, `Sprung` has triggers. */
const SCHEMA = schemaOf([
  table("Person", "id:integer name", { key: ["id"] }),
  table("Plain", "id:integer owner:integer", { key: ["id"], references: OWNER }),
  { ...table("Watched", "id:integer owner:integer", { key: ["id"], references: OWNER }), runsCode: true },
  {
    ...table("Sprung", "id:integer owner:integer", { key: ["id"], references: OWNER }),
    changesRunCode: true,
  },
]);
const PATH = new PathSql(traits);
const READS = new ReadStatements(PATH);
const WRITES = new WriteStatements(PATH);
const SELECTION = { distinct: false, sort: [], paged: true };

function walk(path: string): Walk {
  const isForbidden = () => false;
  const context = { database: "Test", schema: SCHEMA, isForbidden, grammar: LINKS.grammar, traits };
  return walkPath(path.split("/"), context);
}

/** Everything that is compiled to read what a path leads to. */
function readsOf(path: string): readonly Statement[] {
  const found = walk(path);
  return [
    READS.rows(found, SELECTION),
    READS.record(found),
    READS.count(found, SELECTION),
    READS.exists(found.steps),
    READS.values(found.steps, [0]),
  ];
}

function writesOf(path: string): readonly Statement[] {
  const found = walk(path);
  return [WRITES.insert(found.last.table, [0], 2), WRITES.update(found, [1]), WRITES.delete(found)];
}

function told(statements: readonly Statement[]): boolean {
  const [first = false, ...others] = statements.map(({ runsCode }) => runsCode ?? false);
  assert.ok(others.every((other) => other === first), "all of them are told the same");
  return first;
}

Deno.test("a statement that reads a table runs code where reading the table does, on any step of its path", () => {
  assert.equal(told(readsOf("Plain")), false);
  assert.equal(told(readsOf("Sprung/id/1")), false);
  assert.equal(told(readsOf("Watched")), true);
  assert.equal(told(readsOf("Person/id/1/Watched")), true);
  assert.equal(told(readsOf("Watched/id/1/Person/Plain")), true);
});

Deno.test("a statement for related records runs code where a table on the way does", () => {
  const person = walk("Person");
  const relation = (name: string) => {
    const found = person.last.table.toMany.find((each) => each.table.name === name);
    assert.ok(found);
    return found;
  };
  const related = (name: string) => READS.related(person, SELECTION, [relation(name)]).runsCode ?? false;
  assert.deepEqual(["Plain", "Sprung", "Watched"].map(related), [false, false, true]);
});

Deno.test("a statement that changes a table runs code where reading or changing the table does", () => {
  assert.equal(told(writesOf("Plain/id/1")), false);
  assert.equal(told(writesOf("Watched/id/1")), true);
  assert.equal(told(writesOf("Sprung/id/1")), true);
});

Deno.test("a change of records that are found through a table with code runs it", () => {
  const found = walk("Watched/id/1/Person");
  assert.equal(told([WRITES.update(found, [1]), WRITES.delete(found)]), true);
  const sprung = walk("Sprung/id/1/Person");
  assert.equal(told([WRITES.update(sprung, [1]), WRITES.delete(sprung)]), false);
});
