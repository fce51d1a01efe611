import assert from "node:assert/strict";
import type { Database, Failure } from "@/plugins/contract.ts";
import {
  classify,
  explain,
  explainInternal,
  refusedParameter,
} from "@/plugins/dialects/postgresql/failures.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { makePlace, testOnServer } from "./fixture.ts";

/** An error as the driver makes them. */
function errorOf(code: string, fields: Readonly<Record<string, string>> = {}): Error {
  return Object.assign(new Error("duplicate key"), { code, file: "nbtinsert.c", line: "666", ...fields });
}

const CODES: readonly (readonly [string, Failure | undefined])[] = [
  ["23505", "integrity"],
  ["23P01", "integrity"],
  ["44000", "integrity"],
  ["P0001", "integrity"],
  ["38000", "integrity"],
  ["2200H", "integrity"],
  ["22P02", "invalid"],
  ["22003", "invalid"],
  ["42883", "invalid"],
  ["42501", "permission"],
  ["25006", "read-only"],
  ["28P01", "login"],
  ["3D000", "login"],
  ["40001", "contention"],
  ["40P01", "contention"],
  ["55P03", "contention"],
  ["57014", "timeout"],
  ["25P03", "timeout"],
  ["42P01", "changed"],
  ["42703", "changed"],
  ["3F000", "changed"],
  ["54001", "too-complex"],
  ["08006", "unavailable"],
  ["53300", "unavailable"],
  ["HV00N", "unavailable"],
  ["57P01", "unavailable"],
  ["57P03", "unavailable"],
  ["53100", "storage"],
  ["58030", "storage"],
  ["XX001", "storage"],
  ["EMFILE", "storage"],
  ["ECONNREFUSED", "unavailable"],
  ["ECONNRESET", "unavailable"],
  ["CONNECTION_CLOSED", "unavailable"],
  ["MAX_PARAMETERS_EXCEEDED", "too-complex"],
  ["55000", "permission"],
  ["42601", "invalid"],
  ["42P17", "invalid"],
  ["42702", "invalid"],
  ["42725", "invalid"],
  ["42P10", "invalid"],
  ["428C9", "invalid"],
  ["2BP01", "invalid"],
  ["2D000", "invalid"],
  ["39P01", "invalid"],
  ["21000", "invalid"],
  ["2F005", "invalid"],
  ["20000", "invalid"],
  ["ZZ001", undefined],
  ["XX000", undefined],
  ["EACCES", undefined],
];

for (const [code, failure] of CODES) {
  Deno.test(`an error of code ${code} is ${failure ?? "not classified"}`, () => {
    assert.equal(classify(errorOf(code)), failure);
  });
}

Deno.test("a plan that is out of date is told from what cannot be done at all", () => {
  assert.equal(classify(errorOf("0A000", { routine: "RevalidateCachedQuery" })), "changed");
  assert.equal(classify(errorOf("0A000", { routine: "rewriteTargetView" })), "permission");
  assert.equal(classify(errorOf("0A000", { routine: "GenericMatchText" })), "invalid");
  assert.equal(classify(errorOf("0A000", { routine: "call_enum_check_hook" })), "read-only");
});

Deno.test("a statement that is ended while it waits for a row has met others, and is not too slow", () => {
  for (
    const where of [
      'while updating tuple (0,1) in relation "a(1,2)"',
      "beim Löschen von Tupel (12,3) in Relation „a“",
    ]
  ) {
    assert.equal(classify(errorOf("57014", { where })), "contention");
  }
  assert.equal(classify(errorOf("57014", { where: 'SQL statement "SELECT f(1,2)"' })), "timeout");
});

Deno.test("what RAISE gives a code of its own is a rule of the database, unless the code is known", () => {
  assert.equal(classify(errorOf("ZZ001", { routine: "exec_stmt_raise" })), "integrity");
  assert.equal(classify(errorOf("42501", { routine: "exec_stmt_raise" })), "permission");
});

Deno.test("a code about the server is a rule of the database if RAISE gives it", () => {
  for (const code of ["08006", "26000", "28P01", "42P01", "53100", "53400", "54000", "57014"]) {
    assert.equal(classify(errorOf(code, { routine: "exec_stmt_raise" })), "integrity", code);
  }
});

Deno.test("of SQL that is none no part is told", () => {
  const error = Object.assign(new Error('syntax error at or near "s3cret"'), { code: "42601" });
  assert.equal(explain(error, SCHEMAS), "The statement is no SQL that this server understands");
});

Deno.test("an internal error of a statement with parameters is about a value", () => {
  assert.equal(classify(explainInternal(errorOf("XX000"))), "invalid");
  const other = errorOf("23505");
  assert.equal(explainInternal(other), other);
});

const WHERES: readonly (readonly [where: string, index: number | undefined])[] = [
  ["unnamed portal parameter $4 = '...'", 3],
  ["unnamed portal parameter $12 = 'a $1 = b'", 11],
  ["portail non nommé paramètre $2 = '...'", 1],
  ["無名ポータルのパラメータ$1 = '...'", 0],
  ['SQL statement "INSERT INTO t VALUES ($1)"', undefined],
  ["PL/pgSQL function f(integer) line 3 at RAISE\nunnamed portal parameter $1 = '...'", undefined],
  ["", undefined],
];

Deno.test("the parameter whose text the server refuses is told", () => {
  for (const [where, index] of WHERES) {
    assert.equal(refusedParameter(errorOf("22P02", { where })), index, where);
    assert.equal(refusedParameter(explainInternal(errorOf("XX000", { where }))), index, where);
  }
});

Deno.test("mistakes in the text of a value are no mistakes in the statement", () => {
  const where = "unnamed portal parameter $1 = '...'";
  for (const code of ["42P01", "42601", "42883", "3F000"]) {
    assert.equal(classify(errorOf(code, { where })), "invalid");
    assert.equal(explain(errorOf(code, { where }), SCHEMAS), "duplicate key");
  }
  assert.equal(classify(errorOf("57014", { where })), "timeout");
});

const SCHEMAS = ["public", "sales"];

Deno.test("tables of other schemas are not named", () => {
  assert.equal(explain(errorOf("23503", { schema_name: "sales" }), SCHEMAS), "duplicate key");
  assert.equal(
    explain(errorOf("23503", { schema_name: "audit" }), SCHEMAS),
    "The database refused the statement",
  );
});

Deno.test("an explanation has details only where they name what the caller sent", () => {
  const detail = "Key (code)=(anna) already exists.";
  assert.equal(explain(errorOf("23505", { detail }), SCHEMAS), `duplicate key: ${detail}`);
  assert.equal(
    explain(errorOf("23502", { detail: "Failing row contains (1, secret)." }), SCHEMAS),
    "duplicate key",
  );
  assert.equal(
    explain(errorOf("23514", { detail: "Failing row contains (1, secret)." }), SCHEMAS),
    "duplicate key",
  );
  assert.equal(explain(errorOf("22P02"), SCHEMAS), "duplicate key");
});

/** Statements that a server refuses, as the last of the transaction that they are in. */
const REFUSED: readonly (readonly [string, Failure, words?: string])[] = [
  [
    "INSERT INTO t (id, short) VALUES (1, 'toolong')",
    "invalid",
    "value too long for type character varying(3)",
  ],
  ["INSERT INTO t (id) VALUES (99999999999)", "invalid", "integer out of range"],
  ["UPDATE t SET mood = 'angry'", "invalid", 'invalid input value for enum mood: "angry"'],
  [
    "INSERT INTO t (id) VALUES (NULL)",
    "integrity",
    'null value in column "id" of relation "t" violates not-null constraint',
  ],
  [
    "INSERT INTO t (id, n) VALUES (1, -1)",
    "integrity",
    'new row for relation "t" violates check constraint "t_n_check"',
  ],
  [
    "INSERT INTO t (id) VALUES (0)",
    "integrity",
    'duplicate key value violates unique constraint "t_pkey": Key (id)=(0) already exists.',
  ],
  ["INSERT INTO t (id, n) VALUES (2, 13)", "integrity", "thirteen is refused"],
  [
    "SELECT (SELECT s FROM generate_series(1, 2) s)",
    "invalid",
    "more than one row returned by a subquery used as an expression",
  ],
  ["SELECT wrong('own')", "integrity", "a rule of its own"],
  ["SELECT wrong('syntax')", "invalid", "The statement is no SQL that this server understands"],
  ["SELECT wrong('')", "invalid", "control reached end of function without RETURN"],
  ["UPDATE total SET sum = 1", "permission"],
  ["SELECT * FROM missing", "changed"],
  ["SELECT missing FROM t", "changed"],
];

testOnServer("what a server refuses is classified, and explained without its secrets", async () => {
  await using place = await makePlace("failures", ...TABLES);
  const database = await place.connect();
  for (const [sql, failure, words] of REFUSED) {
    const error = await failureOf(database, sql);
    assert.equal(database.classify(error), failure, sql);
    if (words !== undefined) assert.equal(database.explain(error), words, sql);
  }
});

testOnServer("a read writes nothing, whatever a function does", async () => {
  await using place = await makePlace("reads_only", ...TABLES);
  for (const prepare of [true, false]) {
    const database = await place.connect({ prepare });
    const prepared = database.prepare({
      sql: "SELECT sneak()",
      columns: [{ type: "integer", declaredType: "" }],
    });
    const run = { prepared, parameters: [] };
    for (const read of [() => database.read([run], OPTIONS), () => database.read([run, run], OPTIONS)]) {
      const error = await Promise.resolve(read()).then(() => undefined, (reason: unknown) => reason);
      assert.equal(database.classify(error), "read-only", `prepare: ${prepare}`);
    }
    const stream = database.stream(run, { ...OPTIONS, fetchSize: 10 });
    await assert.rejects(Array.fromAsync(stream), /read-only transaction/);
  }
  assert.equal(await place.change("SELECT count(*) FROM t"), "1\n");
});

testOnServer("a statement that fails among its rows takes nothing from those behind it", async () => {
  await using place = await makePlace("among_rows", ...TABLES);
  const database = await place.connect({}, { max: 1 });
  const read = async (sql: string) => {
    const prepared = database.prepare({ sql, columns: [{ type: "integer", declaredType: "" }] });
    return await database.read([{ prepared, parameters: [] }], OPTIONS);
  };
  const fail = () =>
    assert.rejects(read("SELECT 1 / (3 - n) FROM generate_series(1, 5) n"), /division by zero/);
  await fail();
  assert.deepEqual(await read("SELECT 1"), [[[1]]]);
  await fail();
  const write = {
    statement: { sql: "INSERT INTO t (id) VALUES (8) RETURNING id", columns: [] },
    parameters: [],
  };
  assert.deepEqual(await database.write?.(write, OPTIONS), { rows: [[8]], changes: 1 });
});

testOnServer("a write that a trigger refuses by the code of a lost statement is not repeated", async () => {
  await using place = await makePlace("raised_codes", ...TABLES);
  const database = await place.connect();
  const statement = { sql: "INSERT INTO t (id, n) VALUES (9, 26)", columns: [] };
  const signal = AbortSignal.timeout(5000);
  const write = Promise.resolve(database.write?.({ statement, parameters: [] }, { signal }));
  const error = await write.then(() => undefined, (reason: unknown) => reason);
  assert.equal(database.classify(error), "integrity", String(error));
});

const OPTIONS = { signal: NEVER };

const TABLES = [
  "CREATE TYPE mood AS ENUM ('sad', 'happy')",
  "CREATE TABLE t (id integer PRIMARY KEY, short varchar(3), mood mood, n integer CHECK (n > 0))",
  "INSERT INTO t (id) VALUES (0)",
  "CREATE VIEW total AS SELECT sum(n) FROM t",
  `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF NEW.n = 13 THEN RAISE EXCEPTION ''thirteen is refused''; END IF;
      IF NEW.n = 26 THEN RAISE EXCEPTION USING ERRCODE = ''26000''; END IF; RETURN NEW; END'`,
  "CREATE TRIGGER refuse BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION refuse()",
  `CREATE FUNCTION wrong(how text) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
    IF how = 'own' THEN RAISE EXCEPTION USING ERRCODE = 'ZZ001', MESSAGE = 'a rule of its own'; END IF;
    IF how = 'syntax' THEN EXECUTE 'SELEC s3cret'; END IF;
  END $$`,
  `CREATE FUNCTION sneak() RETURNS integer LANGUAGE sql AS 'INSERT INTO t (id) VALUES (7) RETURNING id'`,
];

async function failureOf(database: Database, sql: string): Promise<unknown> {
  await using transaction = await database.begin(OPTIONS);
  try {
    await transaction.run({ sql, columns: [] }, []);
  } catch (error) {
    return error;
  }
  return assert.fail(`It was not refused: ${sql}`);
}
