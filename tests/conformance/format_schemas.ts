/**
 * Conformance tests of formats with schemas. Formats without schemas pass.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Row, SchemaOptions, Shape, ShapeColumn, Value, WriteOptions } from "@/plugins/contract.ts";
import { DESCRIBED } from "@/tests/conformance/documents.ts";
import { HOSTILE_NAMES, VALUES } from "@/tests/conformance/hostile.ts";
import { NESTED, NESTED_ROWS } from "@/tests/conformance/nested_shapes.ts";
import {
  type Answer,
  chunkText,
  column,
  options,
  page,
  relation,
  shape,
  write,
} from "@/tests/conformance/shapes.ts";
import { formsOf, type Subject, valueTypes } from "@/tests/conformance/format_subject.ts";

const COLUMNS: readonly ShapeColumn[] = [
  { ...column("Id", "integer"), nullable: false, isKey: true },
  { ...column("Code"), nullable: false, isRequired: true, maxLength: 3, comment: "<three> & no more" },
  ...valueTypes().map((type) => column(`a ${type}`, type)),
  { ...column("Twice", "integer"), isGenerated: true },
];

const SWITCHES: readonly Pick<WriteOptions, "href" | "nilVisible">[] = [
  {},
  { href: false, nilVisible: false },
];

/** Every form and type, with and without NULLs, references and records inside. */
export async function describesWhatItWrites(subject: Subject): Promise<void> {
  const rows = [0, 1, 2, 3, 4, 5, 6].map((index): Value[] => [
    index,
    "a\u{1f600}\u00e9".slice(0, index % 2 === 0 ? 4 : 1),
    ...valueTypes().map((type) => VALUES[type][index % VALUES[type].length] ?? null),
    index * 2,
  ]);
  const related = {
    toOne: [relation("Employee", { many: false })],
    toMany: [relation("Invoice")],
    locate: (row: Row) => row[0] === 0 ? null : `/db/Shop/Customer/Id/${row[0]}`,
  };
  for (const each of SWITCHES) {
    for (const answer of formsOf(COLUMNS, rows)) await describes(subject, { ...answer, options: each });
    await describes(subject, { shape: shape(COLUMNS, related), rows, options: each });
    await describes(subject, { shape: shape(COLUMNS), rows: [], options: each });
    if (!subject.format.nested) continue;
    await describes(subject, { shape: NESTED, rows: NESTED_ROWS, options: each });
    await describes(subject, { shape: SELF, rows: [[1, [[1, "x"], [2, null]]], [2, []]], options: each });
    const record: Shape = { ...NESTED, form: "record" };
    await describes(subject, { shape: record, rows: NESTED_ROWS.slice(0, 1), options: each });
  }
}

/** A table's relation and column may be called like the table. */
const SELF: Shape = shape([column("Id", "integer")], {
  name: "Track",
  toMany: [relation("Track", {
    expanded: { cell: 1, shape: shape([column("Id", "integer"), column("Track")], { name: "Track" }) },
  })],
});

/**
 * Names are any that the database allows, except those beyond the basic plane, which XML Schema 1.0 lacks.
 */
export async function describesHostileNames(subject: Subject): Promise<void> {
  const names = HOSTILE_NAMES.filter((name) => !/[\u{10000}-\u{10ffff}\p{Cs}]/u.test(name));
  const toMany = names.map((name) => relation(`${name}_N`));
  const hostile = shape(names.map((name) => column(name)), { name: 'a "table"', toMany, locate: () => "/x" });
  await describes(subject, { shape: hostile, rows: [names.map(() => "x"), names.map(() => null)] });
  for (const name of names) {
    await describes(subject, {
      shape: shape([column(name)], { name, form: "values" }),
      rows: [["x"], [null]],
    });
  }
}

/** Lists of databases and tables, settings: any tree of JSON. */
export async function describesDocuments(subject: Subject): Promise<void> {
  const { format, validate } = subject;
  if (!format.documentSchema) return;
  for (const [shape, document] of DESCRIBED) {
    const most = Array.isArray(document.tree) ? document.tree.length : "unbounded";
    for (const each of SWITCHES) {
      for (const cardinality of [most, "unbounded"] as const) {
        const chosen = schemaOptions(subject, { ...each, cardinality });
        const schema = chunkText(await format.documentSchema(shape, chosen));
        const text = chunkText(await format.document(document, options(format, each), page()));
        await validate?.(schema, [text]);
      }
    }
  }
}

/** Options of a request without parameters, in the form of the core. */
export function schemaOptions(
  { format }: Pick<Subject, "format">,
  changes: Partial<SchemaOptions> = {},
): SchemaOptions {
  return {
    contentType: format.schemaContentType ?? format.contentTypes[0] ?? "",
    charset: "utf-8",
    cardinality: "unbounded",
    ...changes,
  };
}

async function describes(subject: Subject, answer: Answer): Promise<void> {
  const { format, validate } = subject;
  if (!format.schema) return;
  const { href, nilVisible } = answer.options ?? {};
  const switches = {
    ...(href === undefined ? {} : { href }),
    ...(nilVisible === undefined ? {} : { nilVisible }),
  };
  const text = await write(format, answer);
  for (const cardinality of [answer.rows.length, "unbounded"] as const) {
    const schema = chunkText(
      await format.schema(answer.shape, schemaOptions(subject, { ...switches, cardinality })),
    );
    assert.notEqual(schema, "");
    await validate?.(schema, [text]);
  }
}
