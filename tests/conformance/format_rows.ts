/**
 * Conformance tests of formats: rows of any kind.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { HOSTILE_NAMES, VALUES } from "@/tests/conformance/hostile.ts";
import { HOSTILE_ROWS, HOSTILE_SHAPE } from "@/tests/conformance/nested_shapes.ts";
import { column, shape } from "@/tests/conformance/shapes.ts";
import { accepts, formsOf, type Subject, valueTypes } from "@/tests/conformance/format_subject.ts";

/** Each form, with columns of every type. */
export async function writesEveryForm(subject: Subject): Promise<void> {
  const columns = valueTypes().map((type) => column(`a ${type}`, type));
  const rows = [0, 1, 2, 3, 4, 5].map((index) =>
    valueTypes().map((type) => VALUES[type][index % VALUES[type].length] ?? null)
  );
  for (const answer of formsOf(columns, rows)) await accepts(subject, answer);
}

/** Engines without strict types put any value into any column. */
export async function writesAnyValueAnywhere(subject: Subject): Promise<void> {
  const values = Object.values(VALUES).flat();
  for (const type of valueTypes()) {
    for (const answer of formsOf([column("x", type)], values.map((value) => [value]))) {
      await accepts(subject, answer);
    }
  }
}

/** All hostile names and texts at once. */
export async function writesHostileText(subject: Subject): Promise<void> {
  await accepts(subject, { shape: HOSTILE_SHAPE, rows: HOSTILE_ROWS });
}

/** Names of tables and columns are any that the database allows. */
export async function writesHostileNames(subject: Subject): Promise<void> {
  for (const name of HOSTILE_NAMES) {
    for (const answer of formsOf([column(name)], [["x"], [null]], name)) await accepts(subject, answer);
  }
}

/** Zero rows, one, and more than any buffer. */
export async function writesNoneAndMany(subject: Subject): Promise<void> {
  const columns = [column("Id", "integer"), column("Name")];
  const rows = Array.from({ length: 120 }, (_, index) => [index, `row ${index}`]);
  const sizes = [];
  for (const count of [0, 1, 50, 51, 120]) {
    sizes.push((await accepts(subject, { shape: shape(columns), rows: rows.slice(0, count) })).length);
  }
  assert.deepEqual(sizes, sizes.toSorted((left, right) => left - right), "more rows take more room");
  await accepts(subject, { shape: shape([column("Id")], { form: "values" }), rows: [] });
  await accepts(subject, { shape: shape([column("Id")], { form: "columns" }), rows: [["Id"]] });
}

/** A stream is whole, too, with any delays on its way. */
export async function writesStream(subject: Subject): Promise<void> {
  const columns = [column("Id", "integer"), column("Name")];
  for (const count of [0, 1, 49, 50, 51, 200]) {
    const rows = Array.from({ length: count }, (_, index) => [index, "x".repeat(index)]);
    const text = await accepts(subject, { shape: shape(columns), rows, options: { stream: true } });
    if (count > 0 && typeof text === "string") {
      assert.ok(text.includes("x".repeat(count - 1)), "the last row is there");
    }
  }
}

/** Property: with any names and values, the answer is well-formed. */
export async function writesAnything(subject: Subject): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyTable(), async ({ name, columns, rows }) => {
      for (const answer of formsOf(columns, rows, name)) await accepts(subject, answer);
    }),
    { numRuns: 60 },
  );
}

/** Names and values without mercy. */
function anyTable() {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 12 }), fc.constantFrom(...HOSTILE_NAMES));
  // Single UTF-16 units reach lone surrogates and control characters, which whole characters do not.
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
    .map((codes) => String.fromCharCode(...codes));
  const word = fc.oneof(text, units, fc.string({ maxLength: 8 }));
  const value = fc.oneof(
    word,
    fc.constant(null),
    fc.double(),
    fc.bigInt(),
    fc.boolean(),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Uint8Array.from(bytes)),
  );
  const columns = fc.uniqueArray(word, { minLength: 1, maxLength: 4 });
  return columns.chain((names) =>
    fc.record({
      name: word,
      columns: fc.constant(names.map((name) => column(name, "any"))),
      rows: fc.array(fc.array(value, { minLength: names.length, maxLength: names.length }), { maxLength: 4 }),
    })
  );
}
