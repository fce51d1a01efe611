import assert from "node:assert/strict";
import { valueLists } from "@/plugins/dialects/sqlite/value_lists.ts";

const LISTED: readonly (readonly [sql: string, lists: Readonly<Record<string, readonly string[]>>])[] = [
  ["CREATE TABLE t (a TEXT CHECK (a IN ('x', 'y')))", { a: ["x", "y"] }],
  ["create table t (A text not null check(A in('it''s','',  'x' ) ) default 'x')", { a: ["it's", "", "x"] }],
  [
    `CREATE TABLE t ("a b" TEXT, [c] TEXT, \`d\` TEXT, CHECK ("a b" IN ('1')), CHECK ([c] IN ('2')),
    CONSTRAINT known CHECK (\`d\`IN ('3', '3')))`,
    { "a b": ["1"], c: ["2"], d: ["3"] },
  ],
  ["CREATE TABLE t (größe TEXT CHECK (größe IN ('S', 'L')))", { größe: ["S", "L"] }],
  [
    `CREATE TABLE t (
      a TEXT DEFAULT '--', -- CHECK (a IN ('old'))
      /* CHECK (a IN ('older')) */ "b--" TEXT, CHECK (a IN ('new' /* and */, 'newer')))`,
    { a: ["new", "newer"] },
  ],
];

for (const [sql, lists] of LISTED) {
  Deno.test(`the values of a check are found in ${sql.slice(0, 50)}`, () => {
    assert.deepEqual(Object.fromEntries(valueLists(sql)), lists);
  });
}

const UNLISTED = [
  "CREATE TABLE t (a TEXT CHECK (a IN ('x', 'y') OR b = 1))",
  "CREATE TABLE t (a TEXT CHECK (a NOT IN ('x')))",
  "CREATE TABLE t (a TEXT CHECK (lower(a) IN ('x')))",
  "CREATE TABLE t (a TEXT CHECK (a IN ('x', b)))",
  "CREATE TABLE t (a INT CHECK (a IN (1, 2)))",
  "CREATE TABLE t (a TEXT COLLATE NOCASE CHECK (a IN ('x')))",
];

for (const sql of UNLISTED) {
  Deno.test(`no values are taken from ${sql}`, () => assert.equal(valueLists(sql).size, 0));
}
