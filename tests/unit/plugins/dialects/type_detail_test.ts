import assert from "node:assert/strict";
import { tableShape } from "@/core/tables/answer_shape.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";
import type { TypeDetail, ValueType } from "@/plugins/contract.ts";
import { typeDetailOf as ofMssql } from "@/plugins/dialects/mssql/column_types.ts";
import { typeDetailOf as ofMysql } from "@/plugins/dialects/mysql/column_types.ts";
import { typeDetailOf as ofPostgresql } from "@/plugins/dialects/postgresql/column_types.ts";
import { typeDetailOf as ofSqlite } from "@/plugins/dialects/sqlite/column_types.ts";

const postgresql = (declared: string, type: ValueType) => {
  const elements: Readonly<Record<string, string>> = { "integer[]": "_int4", "text[]": "_text" };
  return ofPostgresql({ declared, baseName: elements[declared] ?? declared }, type);
};

const CASES: readonly (readonly [
  engine: string,
  detailOf: (declared: string, type: ValueType) => { readonly detail?: TypeDetail },
  declared: string,
  type: ValueType,
  detail: TypeDetail | undefined,
])[] = [
  ["sqlite", ofSqlite, "INTEGER", "integer", { bits: 64 }],
  ["sqlite", ofSqlite, "DECIMAL(10, 2)", "decimal", { precision: 10, scale: 2 }],
  ["sqlite", ofSqlite, "NVARCHAR(40)", "text", undefined],
  ["mysql", ofMysql, "int(10) unsigned", "integer", { bits: 32, isUnsigned: true }],
  ["mysql", ofMysql, "bigint", "integer", { bits: 64 }],
  ["mysql", ofMysql, "decimal(10,2) unsigned zerofill", "decimal", {
    precision: 10,
    scale: 2,
    isUnsigned: true,
  }],
  ["mysql", ofMysql, "double", "float", { bits: 64 }],
  ["mysql", ofMysql, "varchar(40)", "text", undefined],
  ["mssql", ofMssql, "tinyint", "integer", { bits: 8, isUnsigned: true }],
  ["mssql", ofMssql, "decimal(18, 4)", "decimal", { precision: 18, scale: 4 }],
  ["mssql", ofMssql, "money", "decimal", { precision: 19, scale: 4 }],
  ["mssql", ofMssql, "real", "float", { bits: 32 }],
  ["mssql", ofMssql, "datetime2(7)", "datetime", undefined],
  ["postgresql", postgresql, "smallint", "integer", { bits: 16 }],
  ["postgresql", postgresql, "double precision", "float", { bits: 64 }],
  ["postgresql", postgresql, "numeric(10,2)", "decimal", { precision: 10, scale: 2 }],
  ["postgresql", postgresql, "numeric(3,-2)", "decimal", { precision: 3, scale: -2 }],
  ["postgresql", postgresql, "numeric", "decimal", undefined],
  ["postgresql", postgresql, "integer[]", "text", { element: "integer" }],
  ["postgresql", postgresql, "text[]", "text", { element: "text" }],
];

for (const [engine, detailOf, declared, type, detail] of CASES) {
  Deno.test(`${engine} tells digits, bits, sign and elements of ${declared}`, () => {
    assert.deepEqual(detailOf(declared, type).detail, detail);
  });
}

Deno.test("formats see the detail of a column, with its zone even where no suffix is written", () => {
  const described = table("T", "Id:integer At:datetime Note");
  const [id, at, note] = described.columns;
  assert.ok(id && at && note);
  const columns = [{ ...id, detail: { bits: 32 } }, { ...at, zone: "utc" as const }, note];
  const known = schemaOf([{ ...described, columns, primaryKey: ["Id"] }]).tables.exact("T");
  assert.ok(known);
  const shape = tableShape(known, "records", { utcSuffix: false, databasePath: "/db/X", links: LINKS });
  assert.deepEqual(shape.columns.map(({ detail }) => detail), [{ bits: 32 }, { zone: "utc" }, undefined]);
});
