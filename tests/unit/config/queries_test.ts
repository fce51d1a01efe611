import assert from "node:assert/strict";
import { complaintsAbout, load } from "./directory.ts";

Deno.test("a query has the documented defaults", () => {
  assert.deepEqual(load({ "querydefs.cfg": "q: {database: D, sqlstr: SELECT 1}" }).queries.get("q"), {
    id: "q",
    database: "D",
    description: "",
    sql: "SELECT 1",
    parameters: new Map(),
    methods: ["GET"],
    creator: "admin",
    read: [],
    write: [],
    execute: [],
  });
});

Deno.test("every member of a query is read", () => {
  const yaml = `
invoices-by-year:
  query_id: invoices-by-year
  database: Chinook
  desc: Invoices of one year
  sqlstr: |
    SELECT * FROM Invoice
    WHERE Year = :year
  parameters: {year: integer, note: ~}
  http_methods: {GET: false, POST: true, PUT: true}
  read_only: false
  creator: ann
  read: [a]
  write: [b]
  execute: [public]
`;
  assert.deepEqual(load({ "querydefs.cfg": yaml }).queries.get("invoices-by-year"), {
    id: "invoices-by-year",
    database: "Chinook",
    description: "Invoices of one year",
    sql: "SELECT * FROM Invoice\nWHERE Year = :year\n",
    parameters: new Map([["year", "integer"]]),
    methods: ["POST", "PUT"],
    readOnly: false,
    creator: "ann",
    read: ["a"],
    write: ["b"],
    execute: ["public"],
  });
});

const MISTAKES: readonly [members: string, complaints: string[]][] = [
  ["{}", ["database: Is required, found nothing", "sqlstr: Is required, found nothing"]],
  ["{database: D, sqlstr: '', sqlst: x}", [
    'sqlst: Unknown member: did you mean "sqlstr"?',
    "sqlstr: Expected text, found empty text",
  ]],
  ["{database: D, sqlstr: S, parameters: {a: number}}", [
    'parameters.a: Expected one of text, integer, decimal, boolean, date, datetime, found "number"',
  ]],
  ["{database: D, sqlstr: S, parameters: [a]}", ["parameters: Expected a mapping, found a list"]],
  ["{database: D, sqlstr: S, http_methods: {get: true, PATCH: true}}", [
    'http_methods.get: Unknown member: did you mean "GET"?',
    "http_methods.PATCH: Unknown member: expected one of GET, POST, PUT, DELETE",
  ]],
  ["{database: D, sqlstr: S, http_methods: [GET]}", ["http_methods: Expected a mapping, found a list"]],
  ["{database: D, sqlstr: S, http_methods: {GET: yes}}", [
    "http_methods.GET: Expected true or false, found text",
  ]],
  ["{database: D, sqlstr: S, read_only: 1}", ["read_only: Expected true or false, found a number"]],
];

for (const [members, complaints] of MISTAKES) {
  Deno.test(`a query is refused for ${members}`, () => {
    assert.deepEqual(
      complaintsAbout({ "querydefs.cfg": `q: ${members}` }),
      complaints.map((complaint) => `querydefs.cfg: q.${complaint}`),
    );
  });
}

Deno.test("a query of a database that is not defined is warned about", () => {
  const { warnings } = load({ "querydefs.cfg": "q: {database: D, sqlstr: SELECT 1}" });
  assert.ok(
    warnings.some((warning) => warning.endsWith('q.database: Cannot find database "D" in databases.cfg')),
  );
});
