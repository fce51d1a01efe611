import assert from "node:assert/strict";
import { PluginFailure } from "@/core/base/plugin_failures.ts";
import type { Connection } from "@/core/database/connect.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { ServiceError } from "@/core/errors.ts";
import { explainFailure, type FailedPlan, repeatOnce } from "@/core/database/explain_failure.ts";
import { WatchedDatabase } from "@/core/database/watch_statements.ts";
import { narrowSchema } from "@/core/schema/build_schema.ts";
import type { DatabaseDefinition } from "@/core/model.ts";
import type { Database, Failure } from "@/plugins/contract.ts";
import { UNTOLD } from "@/plugins/kit/database_failure.ts";
import { plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Person", "Id:integer Name"),
  { ...table("hr.Salary", "Amount:decimal"), identifier: ["hr", "Salary"] },
]);
const VISIBLE = narrowSchema(SCHEMA, (name) => name === "Person");

/** A failure as a dialect reports it. */
class EngineError extends Error {
  constructor(readonly failure: Failure, message = "the engine's words") {
    super(message);
  }
}

interface Plan extends FailedPlan {
  /** The core's actions on the connection. */
  readonly done: string[];
}

function plan(kind: FailedPlan["kind"], changes: Partial<DatabaseDefinition> = {}): Plan {
  const done: string[] = [];
  const database: Pick<Database, "classify" | "explain"> = {
    classify: (error) => error instanceof EngineError ? error.failure : undefined,
    explain: (error) => error instanceof EngineError ? error.message : "",
  };
  const managed = {
    definition: plainDefinition(changes),
    readAgainFor: () => done.push("connect") === 1,
    lookSoon: () => done.push("look"),
    faults: { note: (fault: string) => done.push(fault) },
  };
  return {
    kind,
    done,
    database: database as Database,
    connection: { schema: SCHEMA, excluded: ["top secret", "hr.audit", "audit"] } as unknown as Connection,
    managed: managed as unknown as ManagedDatabase,
    visible: VISIBLE,
  };
}

function explained(failure: Failure, words: string, failed: FailedPlan): ServiceError {
  const error = explainFailure(new EngineError(failure, words), failed);
  assert.ok(error instanceof ServiceError);
  return error;
}

const ANSWERS: readonly [Failure, FailedPlan["kind"], number, RegExp][] = [
  ["integrity", "insert", 409, /^The database refuses this: words$/],
  ["integrity", "delete", 409, /^The database refuses this: words$/],
  ["integrity", "update", 422, /^Commit failed during update: words$/],
  ["invalid", "insert", 400, /^The database cannot take this: words$/],
  ["invalid", "read", 400, /^The database cannot take this: words$/],
  [
    "permission",
    "read",
    403,
    /login lacks the rights for this, or the view cannot be changed: log in, or resend with a valid API key$/,
  ],
  ["read-only", "insert", 403, /read-only: its operator has to allow changes$/],
  ["login", "read", 403, /refuses this user's database login: log in, or resend with a valid API key$/],
  ["timeout", "read", 504, /took too long/],
  ["contention", "insert", 503, /being changed by others/],
  ["unavailable", "read", 503, /busy or cannot be reached/],
  ["changed", "read", 503, /tables have changed/],
  ["too-complex", "read", 400, /too complex/],
];

for (const [failure, kind, status, text] of ANSWERS) {
  Deno.test(`${failure} in a plan to ${kind} is ${status}, without other words of the engine`, () => {
    const error = explained(failure, "words", plan(kind));
    assert.equal(error.status, status);
    assert.match(error.message, text);
    assert.equal(error.headers["Retry-After"], status === 503 ? "2" : undefined);
  });
}

Deno.test("a statement that timed out on a server that has fallen silent is no request to narrow", () => {
  const failed = plan("read");
  const managed = { ...failed.managed, status: "Disconnected" } as ManagedDatabase;
  const { status, message, headers } = explained("timeout", "words", { ...failed, managed } as Plan);
  assert.deepEqual([status, headers["Retry-After"]], [503, "2"]);
  assert.match(message, /cannot be reached: try again later/);
});

Deno.test("a lost connection is noted and makes the service look at the database, a changed catalog reads it again", () => {
  const lost = plan("read");
  explained("unavailable", "", lost);
  assert.deepEqual(lost.done, ["unavailable", "look"]);
  const changed = plan("read");
  explained("changed", "", changed);
  assert.deepEqual(changed.done, ["connect"]);
  const { message, headers } = explained("changed", "", changed);
  assert.match(message, /lacks something that its own triggers, views or foreign keys name/);
  assert.equal(headers["Retry-After"], undefined);
  assert.deepEqual(changed.done, ["connect", "connect", "unavailable"]);
});

Deno.test("what no dialect knows is passed on with the name of the dialect", () => {
  const unknown = new Error("boom");
  const explained = explainFailure(unknown, plan("read"));
  assert.ok(explained instanceof PluginFailure);
  assert.deepEqual([explained.message, explained.cause], [
    'The dialect "sqlite" failed with database "Test"',
    unknown,
  ]);
  const own = new ServiceError("not-found", "x");
  assert.equal(explainFailure(own, plan("read")), own);
});

/** A saved query, whose notes in the log go into `told`. */
function longQuery(told: string[] = []): NonNullable<FailedPlan["written"]> {
  const note = (line: string) => void told.push(line);
  return {
    definition: { id: "long", methods: [] },
    readOnly: false,
    log: { info: note, warn: note, error: note },
  };
}

Deno.test("nobody is told to filter a saved query or new records that take too long", () => {
  const message = (failed: FailedPlan) => explained("timeout", "", failed).message;
  assert.equal(message({ ...plan("read"), written: longQuery() }), "The database took too long");
  assert.equal(message(plan("insert")), "The database took too long: send fewer records at once");
});

Deno.test("a client that leaves a saved query is no mistake in it", () => {
  const told: string[] = [];
  const written = longQuery(told);
  const { reason } = AbortSignal.abort();
  const failure = explainFailure(reason, { ...plan("read"), written });
  assert.ok(failure instanceof PluginFailure, String(failure));
  assert.deepEqual([failure.cause, told], [reason, []]);
});

const HIDDEN: readonly [string, Partial<DatabaseDefinition>, boolean][] = [
  ['violates the unique key "person_name_key"', {}, false],
  ["Duplicate entry 'ann@mail.example' for key 'Person.Name'", {}, false],
  ['still referenced from table "Salary"', {}, true],
  ['still referenced from table "hr.salary"', {}, true],
  ['violates "fk_salary_person"', {}, true],
  ["null in Pin", { excludedColumns: new Map([["Person", ["Pin"]]]) }, true],
  ['referenced from "Top Secret"', {}, true],
  ['violates unique constraint "audit_ssn_key": Key (ssn)=(1) already exists', {}, true],
  ["referenced from secrets", {}, false],
];

for (const [words, changes, isHidden] of HIDDEN) {
  Deno.test(`the words ${JSON.stringify(words)} are ${isHidden ? "not shown" : "shown"}`, () => {
    const shown = explained("integrity", words, plan("insert", changes)).message;
    assert.equal(
      shown,
      `The database refuses this: ${isHidden ? "a rule of the database does not allow it" : words}`,
    );
  });
}

const WORDS = 'invalid input syntax for type integer: "x\'y"';
const QUOTED: readonly [FailedPlan["kind"], readonly unknown[], boolean][] = [
  ["read", [1, "x'y"], true],
  ["read", [1, "x"], false],
  ["update", [], false],
  ["delete", [], false],
  ["insert", [], false],
];

for (const [kind, values, isShown] of QUOTED) {
  const what = isShown ? "quotes the value" : "does not quote the value";
  Deno.test(`the failure of a plan to ${kind} with ${JSON.stringify(values)} ${what}`, () => {
    const { message } = explained("invalid", WORDS, { ...plan(kind), values } as Plan);
    const shown = isShown ? WORDS : 'invalid input syntax for type integer: "..."';
    assert.equal(message, `The database cannot take this: ${shown}`);
  });
}

Deno.test("a value tells by its refusal no name that is there and that its sender may not see", () => {
  const told = (words: string, ...values: unknown[]) =>
    explained("invalid", words, { ...plan("read"), values } as Plan).message.slice(
      "The database cannot take this: ".length,
    );
  for (const name of ["Salary", "audit", "nothing"]) {
    const words = `invalid input syntax for type inet: "${name}"`;
    assert.equal(told(words, name), words);
    for (const mark of ['"', "'"]) {
      const value = `a${mark} ${name} ${mark}b`;
      const shown = `malformed: ${mark}...${mark} ${name} ${mark}...${mark}`;
      assert.equal(told(`malformed: ${mark}${value}${mark}`, value), shown);
    }
  }
  assert.equal(told('a loop in relation "Salary"', "x"), 'a loop in relation "..."');
  assert.equal(told("a loop in Salary", "Salary"), "a rule of the database does not allow it");
});

Deno.test("what a message quotes is left out to its end if that is cut off; an apostrophe is no quote", () => {
  const { message } = explained("invalid", "Can't use 'a' as 'secret and so o", plan("read"));
  assert.equal(message, "The database cannot take this: Can't use '...' as '...'");
});

/** Fails with these failures, then returns 1. */
function failing(
  failures: readonly Failure[],
): { readonly run: () => Promise<number>; readonly tries: () => number } {
  let tries = 0;
  return {
    tries: () => tries,
    run: () => {
      const failure = failures[tries++];
      return failure === undefined ? Promise.resolve(1) : Promise.reject(new EngineError(failure));
    },
  };
}

for (const kind of ["read", "update", "delete"] as const) {
  Deno.test(`a plan to ${kind} is repeated once after a deadlock`, async () => {
    const work = failing(["contention"]);
    assert.equal(await repeatOnce(work.run, plan(kind)), 1);
    assert.equal(work.tries(), 2);
  });
}

Deno.test("a second deadlock, a deadlock of a plan to insert and any other failure are told at once", async () => {
  const cases: readonly [FailedPlan["kind"], readonly Failure[], number][] = [
    ["read", ["contention", "contention"], 2],
    ["insert", ["contention"], 1],
    ["update", ["unavailable"], 1],
  ];
  for (const [kind, failures, tries] of cases) {
    const work = failing(failures);
    await assert.rejects(async () => await repeatOnce(work.run, plan(kind)), { code: "unavailable" });
    assert.equal(work.tries(), tries, kind);
  }
});

Deno.test("the dialect is asked for its words about the caller's own mistakes alone", () => {
  const { database } = plan("read");
  const watched = new WatchedDatabase(database, {} as ConstructorParameters<typeof WatchedDatabase>[1]);
  const told = (["integrity", "invalid", "permission", "storage"] as const).map((failure) => {
    return watched.explain(new EngineError(failure, "words"));
  });
  assert.deepEqual(told, ["words", "words", UNTOLD, UNTOLD]);
  assert.equal(watched.explain(new Error("/etc/passwd")), UNTOLD);
});
