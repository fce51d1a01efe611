/**
 * The SQL for SQL Server of every kind of statement: one golden file each, with its
 * parameters. No server is needed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { PathSql } from "@/core/sql/path_sql.ts";
import { bindEach, LIMIT_SLOT, OFFSET_SLOT, type Statement } from "@/core/sql/statement.ts";
import type { Selection } from "@/core/sql/selection.ts";
import { WalkStatements } from "@/core/sql/walk_statements.ts";
import { WriteStatements } from "@/core/sql/write_statements.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import { valuesOf } from "@/core/tables/insert.ts";
import type { InsertPlan } from "@/core/tables/plan_write.ts";
import { Bound } from "@/plugins/dialects/mssql/bound.ts";
import { MssqlStatement } from "@/plugins/dialects/mssql/statement.ts";
import { traits } from "@/plugins/dialects/mssql/traits.ts";
import type { Column, TableDescription, Value, ValueType } from "@/plugins/contract.ts";
import { LINKS, schemaOf } from "@/tests/unit/core/tables.ts";

const FOLDER = new URL("./sql/", import.meta.url);

function column(name: string, type: ValueType, declaredType: string, more: Partial<Column> = {}): Column {
  return { name, type, declaredType, nullable: true, hasDefault: false, generated: false, ...more };
}

function described(
  identifier: readonly [string, string],
  columns: readonly Column[],
  more: Partial<TableDescription> = {},
): TableDescription {
  const [schema, name] = identifier;
  return {
    name: schema === "dbo" ? name : `${schema}.${name}`,
    identifier,
    kind: "table",
    columns,
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    ...more,
  };
}

const id = column("Id", "integer", "int", { nullable: false, hasDefault: true, identity: true });

const SCHEMA = schemaOf([
  described(["dbo", "Customer"], [
    id,
    column("Name", "text", "nvarchar(40)"),
    column("City", "text", "varchar(20)"),
  ], {
    primaryKey: ["Id"],
  }),
  described(["sales", "Order"], [
    column("CustomerId", "integer", "int", { nullable: false }),
    column("No", "text", "varchar(8)", { nullable: false }),
    column("Total", "decimal", "decimal(10,2)"),
    column("At", "datetime", "datetime2(7)"),
    column("Version", "binary", "timestamp", { generated: true, hasDefault: true }),
  ], {
    primaryKey: ["CustomerId", "No"],
    foreignKeys: [{ columns: ["CustomerId"], table: "Customer", references: ["Id"] }],
  }),
  described(["sales", "Line"], [
    column("Order", "integer", "int"),
    column("OrderNo", "text", "varchar(8)"),
    column("Guid", "text", "uniqueidentifier", { nullable: false, hasDefault: true }),
  ], {
    primaryKey: ["Guid"],
    foreignKeys: [{ columns: ["Order", "OrderNo"], table: "sales.Order", references: ["CustomerId", "No"] }],
  }),
  described(["dbo", "Kinds"], [
    column("A", "integer", "bigint"),
    column("B", "decimal", "money"),
    column("C", "float", "real"),
    column("D", "boolean", "bit"),
    column("E", "datetime", "datetime"),
    column("F", "datetime", "datetimeoffset(7)", { zone: "offset" }),
    column("G", "date", "date"),
    column("H", "time", "time(7)"),
    column("I", "text", "uniqueidentifier"),
    column("J", "binary", "varbinary(max)"),
    column("K", "text", "xml"),
    column("L", "text", "ntext"),
  ]),
  described(["dbo", "Numbered"], [column("n", "integer", "int", { nullable: false })], { primaryKey: ["n"] }),
]);

const PLAIN: Selection = { distinct: false, sort: [], paged: false };
const LIST: Selection = { ...PLAIN, paged: true };
const PATH = new PathSql(traits);
const reads = new WalkStatements(PATH);
const writes = new WriteStatements(PATH);

function walk(path: string): Walk {
  return walkPath(path.split("/"), {
    database: "Test",
    schema: SCHEMA,
    isForbidden: () => false,
    grammar: LINKS.grammar,
    traits,
  });
}

interface Sent {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

function read(path: string, selection: Selection = LIST): Sent {
  const walked = walk(path);
  return { statement: reads.rows(walked, selection), values: walked.values };
}

/** An insert of rows of these columns into a table. */
function insert(name: string, columns: readonly string[], ...rows: readonly (readonly Value[])[]): Sent {
  const table = walk(name).last.table;
  const positions = columns.map((each) => table.columnNames.exact(each) ?? -1);
  const values = rows.flatMap((row) =>
    row.map((value, at) => stored(table.columns[positions[at] ?? -1], value))
  );
  return { statement: writes.insert(table, positions, Math.max(1, rows.length)), values };
}

function update(path: string, changes: Readonly<Record<string, Value>>): Sent {
  const walked = walk(path);
  const { table } = walked.last;
  const positions = Object.keys(changes).map((name) => table.columnNames.exact(name) ?? -1);
  const values = Object.values(changes).map((value, at) => stored(table.columns[positions[at] ?? -1], value));
  return { statement: writes.update(walked, positions), values: [...walked.values, ...values] };
}

function stored(column: Column | undefined, value: Value): unknown {
  assert.ok(column && traits.stored);
  return traits.stored(value, column);
}

function relation(path: string, name: string) {
  const found = walk(path).last.table.relationNames.exact(name);
  assert.ok(found, `The table has no relation "${name}"`);
  return found;
}

function related(path: string, ...names: readonly string[]): Sent {
  const walked = walk(path);
  let at = path;
  const chain = names.map((name) => {
    const found = relation(at, name);
    at = found.table.name;
    return found;
  });
  return { statement: reads.related(walked, LIST, chain), values: walked.values };
}

const descending = [{ column: "Total", descending: true, position: 2 }];

const STATEMENTS: Readonly<Record<string, () => Sent>> = {
  "page": () => read("Customer"),
  "page-sorted": () => read("sales.Order", { ...LIST, sort: descending }),
  "page-without-key": () => read("Kinds"),
  "page-sorted-by-xml": () =>
    read("Kinds", { ...LIST, sort: [{ column: "K", position: 10, descending: true }] }),
  "single-record": () => read("sales.Order/CustomerId/1/No/A-1", PLAIN),
  "single-record-locked": () => {
    const walked = walk("Customer/Id/1");
    return { statement: writes.record(walked), values: walked.values };
  },
  "columns": () => read("Customer/Name,City"),
  "distinct": () => read("sales.Order/Total", { ...LIST, distinct: true }),
  "filter-list-and-null": () => read("Customer/Id/1,2,<null>"),
  "filter-like": () => read("Customer/Name/[*%25*"),
  "filter-negated": () => read("Customer/~City/Zürich"),
  "filter-narrow-text": () => read("Customer/City/Bern"),
  "filter-range": () => read("sales.Order/Total/-0.5..12345678901234567890.123"),
  "filter-moment": () => read("sales.Order/At/2009-01-02T03:04:05.1234567.."),
  "filter-moment-with-offset": () => read("Kinds/F/2009-01-02T03:04:05.5+02:00..2009-01-03"),
  "filter-kinds": () =>
    read(
      "Kinds/A/9007199254740993/B/1.5/C/0.1/D/true/E/2009-01-02T03:04:05.677/G/2009-01-02/H/23:59/I/6F9619FF-8B86-D011-B42D-00C04FC964FF/J/AP8=/K/x/L/y",
    ),
  "filter-kinds-like": () => read("Kinds/I/6F*/K/*x*/L/y*"),
  "filter-beyond-the-type": () => read("Kinds/B/1e50/E/1000-01-01/C/1e300/A/..5"),
  "traversal": () => read("Customer/Id/1/sales.Order"),
  "traversal-composite": () => read("sales.Order/CustomerId/1/No/A/sales.Line"),
  "count": () => ({ statement: reads.count(walk("Customer"), LIST), values: [] }),
  "count-distinct": () => ({
    statement: reads.count(walk("Customer/City"), { ...LIST, distinct: true }),
    values: [],
  }),
  "exists": () => {
    const walked = walk("Customer/Id/1");
    return { statement: reads.exists(walked.steps), values: walked.values };
  },
  "values": () => {
    const walked = walk("sales.Order/CustomerId/1");
    return { statement: writes.values(walked, walked.steps, [0, 1, 2]), values: walked.values };
  },
  "related": () => related("Customer", "sales.Order"),
  "related-two-levels": () => related("Customer/City/Bern", "sales.Order", "sales.Line"),
  "insert": () => insert("Customer", ["Name", "City"], ["Zoë", "Bern"]),
  "insert-several": () =>
    insert("sales.Order", ["CustomerId", "No", "Total"], [1, "A", "1.50"], [1, "B", null]),
  "insert-given-identity": () => insert("Customer", ["Id", "Name"], [7, "Max"]),
  "insert-made-key": () => insert("sales.Line", ["Order", "OrderNo"], [1, "A"], [2, "B"]),
  "insert-several-keys-called-n": () => insert("Numbered", ["n"], [2], [1]),
  "insert-without-key": () => insert("Kinds", ["A", "F"], [2n ** 63n - 1n, "2009-01-02T03:04:05+02:00"]),
  "insert-several-without-key": () => insert("Kinds", ["A", "B"], [1, "1.5"], [2, null]),
  "insert-defaults": () => insert("Customer", []),
  "insert-defaults-made-key": () => insert("sales.Line", []),
  "update": () => update("sales.Order/CustomerId/1/No/A", { Total: "12.5", At: "2009-01-02T03:04:05.1" }),
  "update-related": () => update("Customer/City/Bern/sales.Order", { Total: null }),
  "delete": () => {
    const walked = walk("sales.Order/CustomerId/1/No/A");
    return { statement: writes.delete(walked), values: walked.values };
  },
  "delete-all": () => ({ statement: writes.delete(walk("Kinds")), values: [] }),
};

/** The page that a request without limit and offset asks for. */
const PAGE: ReadonlyMap<number, number> = new Map([[LIMIT_SLOT, 100], [OFFSET_SLOT, 0]]);

/** The sent text, with a line for each parameter. */
function written({ statement, values }: Sent): string {
  const bound = bindEach(statement.slots, (slot) => PAGE.get(slot) ?? values[slot]);
  const { sql, parameters } = new MssqlStatement(statement).command(bound);
  const lines = parameters.map((each, at) => `-- @rowhouse_${at + 1} ${describe(each)}`);
  return `${[sql, ...lines].join("\n")}\n`;
}

function describe({ type, value, length }: Bound): string {
  const shown = value instanceof Uint8Array ? `0x${value.toHex()}` : String(value);
  return `${type.name}${length === undefined ? "" : `(${length})`} ${shown}`;
}

for (const [name, statement] of Object.entries(STATEMENTS)) {
  Deno.test(`SQL Server is sent what the golden file says: ${name}`, async () => {
    assert.equal(written(statement()), await Deno.readTextFile(new URL(`${name}.sql`, FOLDER)));
  });
}

Deno.test("a column that one of several records leaves out is NULL of its type: no text becomes bytes", () => {
  const { table } = walk("Kinds").last;
  const plan = { table, database: { sql: traits } } as unknown as InsertPlan;
  const values = valuesOf(plan, [new Map([[0, 1]])], [0, 9]);
  assert.deepEqual(values.map((value) => value instanceof Bound ? describe(value) : value), [
    1,
    "VarBinary(8000) null",
  ]);
});

Deno.test("every golden file of SQL Server has its statement", async () => {
  const files = await Array.fromAsync(Deno.readDir(FOLDER), ({ name }) => name.replace(".sql", ""));
  assert.deepEqual(files.sort(), Object.keys(STATEMENTS).sort());
});
