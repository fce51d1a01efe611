/**
 * Shapes with relations, for formats that show records inside records.
 *
 * @module
 */

import type { Row, Shape } from "@/plugins/contract.ts";
import { HOSTILE_NAMES, HOSTILE_TEXTS } from "@/tests/conformance/hostile.ts";
import { column, relation, shape } from "@/tests/conformance/shapes.ts";

const line = shape([column("Track"), column("Price", "decimal")], {
  name: "InvoiceLine",
  toOne: [relation("Invoice", { many: false })],
  locate: (row) => `/db/Shop/InvoiceLine/Track/${encodeURIComponent(String(row[0]))}`,
});

const invoice = shape([column("Id", "integer"), column("Total", "decimal")], {
  name: "Invoice",
  toMany: [relation("InvoiceLine", { expanded: { cell: 2, shape: line } })],
  locate: (row) => row[0] === null ? null : `/db/Shop/Invoice/Id/${row[0]}`,
});

const employee = shape([column("Name")], {
  name: "Employee",
  toMany: [relation("Employee_N")],
  locate: (row) => `/db/Shop/Employee/Name/${encodeURIComponent(String(row[0]))}`,
});

/** Customers with their employee and their invoices, those with their lines. */
export const NESTED: Shape = shape([column("Id", "integer"), column("Name")], {
  toOne: [
    relation("Employee", { many: false, expanded: { cell: 2, shape: employee } }),
    relation("Country", { many: false }),
  ],
  toMany: [relation("Invoice", { expanded: { cell: 3, shape: invoice } }), relation("Note")],
  locate: (row) => row[0] === null ? null : `/db/Shop/Customer/Id/${row[0]}`,
});

/** Rows of {@link NESTED}: everything there, nothing there, no key. */
export const NESTED_ROWS: readonly Row[] = [
  [1, "Ann", [["Bo"]], [[10, "1.50", [["Song", "0.99"], ["Tune", null]]], [11, null, []]]],
  [2, null, [], []],
  [null, "Cy", [["Di"]], [[null, "2.00", []]]],
];

/** One record with a column and a relation of every hostile name. */
export const HOSTILE_SHAPE: Shape = shape(HOSTILE_NAMES.map((name) => column(name)), {
  name: "a <table>",
  toMany: HOSTILE_NAMES.map((name) => relation(`${name}_N`)),
  locate: () => "/db/Shop/a%20%3Ctable%3E/plain/1",
});

/** As many rows as there are hostile texts, each of them once in every column. */
export const HOSTILE_ROWS: readonly Row[] = HOSTILE_TEXTS.map((_, offset) =>
  HOSTILE_NAMES.map((_, index) => HOSTILE_TEXTS[(index + offset) % HOSTILE_TEXTS.length] ?? null)
);
