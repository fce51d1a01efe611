/** @module The refusal of a database at the field that it names. */

import assert from "node:assert/strict";
import type { Column } from "@/core/catalog.ts";
import { fieldOf } from "@/core/pages/records/record_fields.ts";

const NOT_UNIQUE = "Another record has this value already.";
const REFUSED = "The database refuses this value.";
const NOWHERE = "There is no record with this value.";

/** The words of engines, a column, and the complaint at its field. */
const REFUSALS: readonly (readonly [problem: string, column: string, complaint: string | undefined])[] = [
  ["UNIQUE constraint failed: Port.Locode", "Locode", NOT_UNIQUE],
  [
    "UNIQUE constraint failed: Port.Country, Port.Locode",
    "Locode",
    "Another record has these values already.",
  ],
  ["CHECK constraint failed: Seats > 0", "Seats", REFUSED],
  ["NOT NULL constraint failed: Port.Name", "Name", REFUSED],
  ["NOT NULL constraint failed: Port.LongName", "Name", undefined],
  ['duplicate key value violates unique constraint "port_locode_key"', "Locode", NOT_UNIQUE],
  ['duplicate key value violates unique constraint "port_locode_key"', "value", undefined],
  ['duplicate key value violates unique constraint "setting_pkey"', "key", undefined],
  ['new row for relation "port" violates check constraint "port_seats_check"', "seats", REFUSED],
  ["Duplicate entry 'NO BGO' for key 'Port.Locode'", "Locode", NOT_UNIQUE],
  ["a foreign key constraint fails (`x`.`Port`, CONSTRAINT `p` FOREIGN KEY (`Country`))", "Country", REFUSED],
  [
    'insert or update on table "port" violates foreign key constraint "port_country_fkey": Key (country)=(XX) is not present in table "country".',
    "country",
    NOWHERE,
  ],
  [
    "Cannot add or update a child row: a foreign key constraint fails: port.country references x.id",
    "country",
    NOWHERE,
  ],
  ['The INSERT statement conflicted with the FOREIGN KEY constraint "port_country"', "country", NOWHERE],
  ["Data too long for column 'Name' at row 1", "row", undefined],
  [
    'The INSERT statement conflicted with the constraint "p", table "dbo.Country", column \'Code\'',
    "Code",
    REFUSED,
  ],
];

for (const [problem, name, complaint] of REFUSALS) {
  Deno.test(`${complaint === undefined ? "not " : ""}the field ${name} is meant by ${problem}`, () => {
    const column: Column = {
      name,
      type: "text",
      declaredType: "text",
      nullable: true,
      hasDefault: false,
      generated: false,
    };
    const typed = {
      values: new Map(),
      complaints: new Map(),
      problem: `The database refuses this: ${problem}`,
    };
    const field = fieldOf(column, {
      stored: undefined,
      typed,
      isNew: true,
      offered: undefined,
      isName: false,
      isFilled: false,
    });
    assert.equal(field.problem, complaint);
  });
}

Deno.test("a moment that the engine keeps in UTC says so, behind a comment that ends as a sentence", () => {
  const column: Column = {
    name: "Seen",
    type: "datetime",
    declaredType: "timestamptz",
    zone: "utc",
    comment: "When it was (last) seen",
    nullable: true,
    hasDefault: false,
    generated: false,
  };
  const field = fieldOf(column, {
    stored: undefined,
    typed: undefined,
    isNew: true,
    offered: undefined,
    isName: false,
    isFilled: false,
  });
  assert.equal(field.hint, "When it was (last) seen. For example 2031-05-27 07:30:00. In UTC.");
});

for (
  const [value, input] of [
    ["2024-02-29", "date"],
    ["", "date"],
    ["2023-02-29", "text"],
    ["2020-13-01", "text"],
    ["0000-00-00", "text"],
    ["0000-01-01", "text"],
    ["infinity", "text"],
    ["44-03-15 BC", "text"],
  ] as const
) {
  Deno.test(`the field of the date "${value}" is of kind ${input}, because browsers empty others`, () => {
    const column: Column = {
      name: "day",
      type: "date",
      declaredType: "date",
      nullable: true,
      hasDefault: false,
      generated: false,
    };
    const asked = {
      stored: value,
      typed: undefined,
      isNew: false,
      offered: undefined,
      isName: false,
      isFilled: false,
    };
    const field = fieldOf(column, asked);
    assert.deepEqual([field.input, field.value], [input, value]);
  });
}
