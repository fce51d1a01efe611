import assert from "node:assert/strict";
import { fieldsOf } from "@/core/pages/lists/filter_fields.ts";
import { partsOf, withFilter, withoutPart } from "@/core/pages/lists/list_path.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Filter } from "@/core/schema/read_filters.ts";
import { type Step, type Walk, walkPath } from "@/core/schema/walk_path.ts";
import type { FilterFields } from "@/plugins/contract.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import fc from "@/tests/support/random.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Person", "Id:integer Name Age:integer a/b.c~d,e PlaceId:integer", {
    key: ["Id"],
    references: [["PlaceId", "Place", "Id"]],
  }),
  table("Place", "Id:integer Title Size:integer", { key: ["Id"] }),
]);
const MARKS = { separator: ",", wildcard: "*", nullMarker: "%3Cnull%3E", links: LINKS, secondDecimals: 3 };

function walk(segments: readonly string[]): Walk {
  return walkPath(segments, {
    database: "Test",
    schema: SCHEMA,
    isForbidden: () => false,
    grammar: LINKS.grammar,
    traits,
  });
}

/** The list of these segments with one more filter, undefined where it cannot have it. */
function plus(segments: readonly string[], fields: FilterFields): readonly string[] | undefined {
  const read = walk(segments);
  return withFilter(fields, { walk: read, parts: partsOf(segments, read).parts }, MARKS, LINKS);
}

/** The list of all persons with filters. */
function filtered(filters: readonly FilterFields[]): readonly string[] {
  return filters.reduce<readonly string[]>((segments, fields) => plus(segments, fields) ?? [], ["Person"]);
}

/** A filter with its table, column and values. */
function meaningOf({ table: { name, columns } }: Step, filter: Filter, { plain }: Walk): string {
  const { column, negated, conditions } = filter;
  const values = conditions.map((each) => {
    if (each.kind === "null") return "NULL";
    if (each.kind === "like") return { like: plain[each.slot] };
    if (each.kind !== "range") return each.slots.map((slot) => plain[slot]);
    return [each.from, each.to].map((slot) => slot === undefined ? null : plain[slot]);
  });
  return `${name}.${columns[column]?.name} ${negated} ${
    JSON.stringify(values, (_, value) => typeof value === "bigint" ? Number(value) : value)
  }`;
}

/** Each filter; the order and the way there do not matter. */
function meaning(read: Walk): readonly string[] {
  return read.steps.flatMap((step) => step.filters.map((filter) => meaningOf(step, filter, read))).toSorted();
}

/** Texts with everything that has a meaning in paths, addresses and patterns. */
const TEXT = fc.array(
  fc.constantFrom(
    ..."ab/.~%*,|_!<>+&=?#;:'\"\\ üЖ\u202e",
    "..",
    "__",
    "_dot",
    "<null>",
    "%2F",
    ".json",
    "null",
  ),
  { maxLength: 6 },
).map((parts) => parts.join(""));

/** Columns as the form sends them, with the table and column that they stand for. */
const COLUMNS: Readonly<Record<string, string>> = {
  Name: "Person.Name",
  [printName("a/b.c~d,e", LINKS)]: "Person.a/b.c~d,e",
  "Place/Title": "Place.Title",
};

const escaped = (text: string) => text.replaceAll(/[!%_]/g, "!$&");

/** What each comparison of texts means. */
const MEANINGS: Readonly<Record<string, (text: string) => readonly [negated: boolean, condition: unknown]>> =
  {
    is: (text) => [false, [text]],
    not: (text) => [true, [text]],
    any: (text) => [false, text.split(/ \| |\|/)],
    contains: (text) => [false, { like: `%${escaped(text)}%` }],
    begins: (text) => [false, { like: `${escaped(text)}%` }],
    ends: (text) => [false, { like: `%${escaped(text)}` }],
    least: (text) => [false, [text, null]],
    most: (text) => [false, [null, text]],
    empty: () => [false, [""]],
    null: () => [false, "NULL"],
    value: () => [true, "NULL"],
  };

Deno.test("a filter of the form is read back from the path with the same meaning, whatever was typed", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(COLUMNS)),
      fc.constantFrom(...Object.keys(MEANINGS)),
      TEXT,
      (column, is, value) => {
        const [negated, condition] = MEANINGS[is]?.(value) ?? [];
        // A range without an end, and a wildcard beside nothing, are other filters.
        fc.pre(value !== "" || !["least", "most", "contains", "begins", "ends"].includes(is));
        const read = walk(filtered([{ column, is, value, to: "" }]));
        assert.equal(read.last.table.name, "Person");
        assert.deepEqual(meaning(read), [`${COLUMNS[column]} ${negated} ${JSON.stringify([condition])}`]);
      },
    ),
    { numRuns: 2000 },
  );
});

const FILTER = fc.record({
  column: fc.constantFrom(...Object.keys(COLUMNS)),
  is: fc.constantFrom("is", "not", "any", "null", "value", "empty"),
  value: TEXT,
  to: fc.constant(""),
});

const CHOSEN = fc.constantFrom<readonly string[]>([], ["Name"], ["Name,Age"]);

Deno.test("the list without a filter has all its other filters, its table and its columns", () => {
  fc.assert(fc.property(fc.array(FILTER, { minLength: 1, maxLength: 4 }), CHOSEN, (filters, columns) => {
    const segments = [...filtered(filters), ...columns];
    const whole = walk(segments);
    const { parts, columns: kept } = partsOf(segments, whole);
    assert.deepEqual([...parts.flatMap((part) => part.segments), ...kept], segments);
    const chips = parts.flatMap((part, index) => part.filter === undefined ? [] : [index]);
    assert.equal(chips.length, filters.length);
    for (const index of chips) {
      const { step = 0, filter = 0 } = parts[index] ?? {};
      const [at, removed] = [whole.steps[step], whole.steps[step]?.filters[filter]];
      assert.ok(at && removed);
      const left = walk([...withoutPart(parts, index, whole).flatMap((part) => part.segments), ...kept]);
      assert.deepEqual([...meaning(left), meaningOf(at, removed, whole)].toSorted(), meaning(whole));
      assert.equal(left.last.table, whole.last.table);
      assert.deepEqual(left.columns, whole.columns);
    }
  }));
});

Deno.test("without all its filters one after the other a list is its table again, with the columns", () => {
  fc.assert(fc.property(fc.array(FILTER, { minLength: 1, maxLength: 4 }), CHOSEN, (filters, columns) => {
    let segments: readonly string[] = [...filtered(filters), ...columns];
    for (;;) {
      const read = walk(segments);
      const { parts, columns: kept } = partsOf(segments, read);
      const index = parts.findIndex(({ filter }) => filter !== undefined);
      if (index < 0) break;
      segments = [...withoutPart(parts, index, read).flatMap((part) => part.segments), ...kept];
    }
    assert.deepEqual(segments, ["Person", ...columns]);
  }));
});

const COMPARISON = fc.constantFrom(...Object.keys(MEANINGS), "range", "none", "without");
const NEW_FILTER = fc.record({
  column: fc.constantFrom(...Object.keys(COLUMNS)),
  is: COMPARISON,
  value: TEXT,
  to: TEXT,
});

Deno.test("a filter taken apart is the same filter when it is added again, to the list without it", () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.array(NEW_FILTER, { minLength: 1, maxLength: 3 }), (filters) => {
      fc.pre(filters.every(({ is, value, to }) => {
        return is === "range"
          ? value !== "" && to !== "" && value < to
          : value !== "" || !NEEDS_VALUE.has(is);
      }));
      const segments = filtered(filters);
      const whole = walk(segments);
      const { parts } = partsOf(segments, whole);
      for (const [index, part] of parts.entries()) {
        const fields = fieldsOf(part, whole, LINKS);
        if (!fields) continue;
        taken++;
        const again = plus(withoutPart(parts, index, whole).flatMap((each) => each.segments), fields);
        assert.ok(again);
        assert.deepEqual(meaning(walk(again)), meaning(whole));
      }
    }),
    { numRuns: 1000 },
  );
  assert.ok(taken > 1000, `${taken} filters`);
});

/** Comparisons that are others without a value. */
const NEEDS_VALUE: ReadonlySet<string> = new Set(["least", "most", "contains", "begins", "ends", "without"]);
