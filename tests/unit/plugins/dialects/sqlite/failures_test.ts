import { NEVER } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import assert from "node:assert/strict";
import { classify, StatementError } from "@/plugins/dialects/sqlite/failures.ts";
import { prepareText } from "@/tests/conformance/dialect_queries.ts";
import { makePlace } from "./fixture.ts";

Deno.test("SQLite's codes and messages are classified", () => {
  const cases: readonly [string, string, string | undefined][] = [
    ["SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: t.x", "integrity"],
    ["SQLITE_CONSTRAINT_TRIGGER", "Too many of them", "integrity"],
    ["SQLITE_MISMATCH", "datatype mismatch", "integrity"],
    ["SQLITE_ERROR", 'foreign key mismatch - "c" referencing "t"', "integrity"],
    ["SQLITE_ERROR", "cannot modify v because it is a view", "permission"],
    ["SQLITE_ERROR", "table sqlite_sequence may not be modified", "permission"],
    ["SQLITE_ERROR", 'cannot UPDATE generated column "b"', "permission"],
    ["SQLITE_FULL", "database or disk is full", "storage"],
    ["SQLITE_IOERR_FSYNC", "disk I/O error", "storage"],
    ["SQLITE_READONLY_DIRECTORY", "attempt to write a readonly database", "read-only"],
    ["SQLITE_BUSY_SNAPSHOT", "database is locked", "unavailable"],
    ["SQLITE_LOCKED", "database table is locked", "unavailable"],
    ["SQLITE_CANTOPEN", "unable to open database file", "storage"],
    ["SQLITE_IOERR_READ", "disk I/O error", "storage"],
    ["SQLITE_NOTADB", "file is not a database", "corrupt"],
    ["SQLITE_CORRUPT", "database disk image is malformed", "corrupt"],
    ["SQLITE_SCHEMA", "database schema has changed", "changed"],
    ["SQLITE_ERROR", "no such table: t", "changed"],
    ["SQLITE_ERROR", "no such column: x", "changed"],
    ["SQLITE_ERROR", "table t has no column named x", "changed"],
    ["SQLITE_READONLY", "attempt to write a readonly database", "read-only"],
    ["SQLITE_AUTH", "not authorized", "permission"],
    ["SQLITE_PERM", "access permission denied", "permission"],
    ["SQLITE_TOOBIG", "string or blob too big", "too-complex"],
    ["SQLITE_ERROR", 'near "x": syntax error', undefined],
    ["SQLITE_ERROR", "no such function: f", "invalid"],
    ["SQLITE_ERROR", "malformed JSON", "invalid"],
    ["SQLITE_ERROR_MISSING_COLLSEQ", "no such collation sequence: c", "invalid"],
    ["SQLITE_MISUSE", "bad parameter or other API misuse", undefined],
  ];
  for (const [code, message, failure] of cases) {
    assert.equal(classify(new StatementError(code, message)), failure, `${code} ${message}`);
  }
  assert.equal(classify(new DatabaseFailure("timeout", "Too long")), "timeout");
  assert.equal(classify("no such table: t"), undefined);
});

Deno.test("statements that are more than SQLite takes are too complex", async () => {
  await using place = makePlace("CREATE TABLE t (x)");
  const database = await place.connect();
  const statements = {
    pattern: `SELECT 1 WHERE 'a' LIKE '${"%a".repeat(30_000)}'`,
    variables: `SELECT 1 WHERE 1 IN (${"?,".repeat(40_000)}?)`,
    depth: `SELECT 1 WHERE ${"x = 1 OR ".repeat(2_000)} 1`,
    parser: `SELECT ${"(".repeat(5_000)}1${")".repeat(5_000)}`,
    terms: `SELECT 1${" UNION ALL SELECT 1".repeat(1_000)}`,
    columns: `SELECT ${"1,".repeat(3_000)}1`,
    joins: `SELECT 1 FROM ${"t,".repeat(70)}t`,
  };
  for (const [title, sql] of Object.entries(statements)) {
    const run = { prepared: prepareText({ database }, sql, ["integer"]), parameters: [] };
    const failure = await Promise.try(() => database.read([run], { signal: NEVER }))
      .then(() => "none", (error) => database.classify(error) ?? String(error));
    assert.equal(failure, "too-complex", title);
  }
});
