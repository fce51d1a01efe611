import assert from "node:assert/strict";
import { nearest } from "@/core/base/nearest.ts";

const TABLES = ["Customer", "Employee", "Invoice", "InvoiceLine", "Track", "customer_note"];

const CASES: readonly [name: string, most: number, expected: string[]][] = [
  ["Custmer", 3, ["Customer"]],
  ["customer", 3, ["Customer"]],
  ["invioce", 3, ["Invoice"]],
  ["Trak", 3, ["Track"]],
  ["InvoiceLines", 3, ["InvoiceLine"]],
  ["Playlist", 3, []],
  ["Note", 3, ["customer_note"]],
  ["ote", 3, []],
  ["", 3, []],
  ["Invoices", 0, []],
];

for (const [name, most, expected] of CASES) {
  Deno.test(`the nearest ${most} tables to "${name}" are ${expected.join(", ") || "none"}`, () => {
    assert.deepEqual(nearest(name, TABLES, most), expected);
  });
}

Deno.test("a name that differs in case only comes before one that needs an edit", () => {
  assert.deepEqual(nearest("track", ["tracks", "Track", "trick"]), ["Track", "tracks", "trick"]);
});

Deno.test("an exact name comes before one that differs in case", () => {
  assert.deepEqual(nearest("read", ["READ", "read"]), ["read", "READ"]);
});

Deno.test("two swapped letters of a short word are found", () => {
  assert.deepEqual(nearest("raed", ["read", "create", "update", "delete"]), ["read"]);
});

Deno.test("no more names are given than asked for, three by default", () => {
  const names = ["rate1", "rate2", "rate3", "rate4"];
  assert.deepEqual(nearest("rate", names), ["rate1", "rate2", "rate3"]);
  assert.deepEqual(nearest("rate", names, 1), ["rate1"]);
});

Deno.test("a word of three letters shares two of them with the names near it", () => {
  assert.deepEqual(nearest("foo", ["bom", "fob", "all"]), ["fob"]);
});

Deno.test("a very long name matches nothing short", () => {
  assert.deepEqual(nearest("x".repeat(100_000), TABLES), []);
});
