import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { ClientMemory } from "@/core/base/client_memory.ts";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import { ManagedDatabase } from "@/core/database/managed_database.ts";
import { createAuthHost } from "@/core/login/auth_host.ts";
import { chunkOf, outcomeOf, rowsOfEach } from "@/core/database/check_results.ts";
import { BodyReading } from "@/core/request/read_records.ts";
import type { BodyRecord, Database, Dialect, Format } from "@/plugins/contract.ts";
import json from "@/formats/json/mod.ts";
import { hostOf, plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { HOST } from "@/tests/conformance/shapes.ts";
import { InProcess } from "./in_process.ts";
import { LINKS } from "./tables.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

Deno.test("attack: a method gets neither hashes of passwords and keys nor database logins, nor a session for nobody", async () => {
  await using open = await InProcess.open();
  const { service } = open;
  const { log, settings } = service;
  const host = createAuthHost("odd", {
    service: () => service,
    settings,
    log,
    prefix: "",
    directory: "/",
    complain: () => {},
  });
  const found = [
    host.findUser("clerk"),
    host.findUserByApiKey("clerk-0123456789-0123456789-0123456789"),
    ...host.findUsersBy("login", "clerk"),
  ];
  assert.equal(found.length, 3);
  for (const user of found) {
    assert.deepEqual(Object.keys(user ?? {}).toSorted(), ["email", "login", "name"]);
    assert.equal(user, found[0], "the same object as long as the account is unchanged");
  }
  const client = clientOf();
  const sender = { headers: new Headers(), client };
  const invented = { login: "invented", name: "", email: "" };
  await assert.rejects(host.sessions.open(invented, sender), /"invented", who is not there or disabled/);
  const [cookie = ""] = await host.sessions.open({ ...invented, login: "clerk" }, sender);
  const headers = new Headers({ cookie: cookie.replace(/;.*/, "") });
  const { session } = await host.sessions.resume({ headers, client });
  assert.equal(session?.user, found[0]);
});

/** A database of a dialect that connects like this, and the lines of the log. */
function managed(connect: Dialect["connect"], seconds = 0.05, others: Partial<Dialect> = {}) {
  const messages: string[] = [];
  const { log } = hostOf(messages);
  const definition = plainDefinition({ id: "Odd", dbType: "odd" });
  const database = new ManagedDatabase({
    definition,
    dialect: { connect, ...others },
    links: LINKS,
    automap: true,
    log,
    seconds,
  });
  return { database, messages };
}

Deno.test("a dialect that never connects is told so, and its database is tried again later", async () => {
  let given: AbortSignal | undefined;
  const { database, messages } = managed((_definition, _login, { signal }) => {
    given = signal;
    return new Promise<never>(() => {});
  });
  await using _ = database;
  await database.start();
  assert.deepEqual([database.status, given?.aborted], ["Disconnected", true]);
  assert.match(
    messages.join(),
    /Odd \(odd\) is disconnected: connect\(\) of dialect "odd" has not ended after/,
  );
});

Deno.test("a dialect that never connects keeps no service from stopping", async () => {
  const { database } = managed(() => new Promise<never>(() => {}), 60);
  const starting = database.start();
  await database[Symbol.asyncDispose]();
  await starting;
});

Deno.test("a connection that comes too late is closed", async () => {
  const late = Promise.withResolvers<Database>();
  const closed = Promise.withResolvers<void>();
  const { database } = managed(() => late.promise);
  await using _ = database;
  await database.start();
  late.resolve(databaseOf({ [Symbol.asyncDispose]: () => Promise.resolve(closed.resolve()) }));
  await closed.promise;
});

const MEMBERS = ["catalog", "check", "prepare", "describe", "read", "stream", "begin", "classify", "explain"];

/** A database of which only these members work. */
function databaseOf(members: object): Database {
  const others = Object.fromEntries(MEMBERS.map((name) => [name, () => {}]));
  return { sql: {}, ...others, ...members } as unknown as Database;
}

Deno.test("attack: a dialect with logins whose database cannot change them serves nobody under the login of the catalog", async () => {
  const connect = () => Promise.resolve(databaseOf({ [Symbol.asyncDispose]: () => Promise.resolve() }));
  const { database, messages } = managed(connect, 0.05, { hasLogins: true });
  await using _ = database;
  await database.start();
  assert.equal(database.status, "Disconnected");
  assert.match(messages.join(), /Dialect "odd" has logins, but its database has no as\(\)/);
});

const TABLE = { name: "T", kind: "table", columns: [], primaryKey: [], uniqueKeys: [], foreignKeys: [] };

for (
  const [what, catalog, reason] of [
    ["never comes", () => new Promise<never>(() => {}), /catalog\(\) of dialect "odd" has not ended after/],
    ["is something else", () => Promise.resolve({ tables: 1 }), /catalog\(\) gave something else than lists/],
    [
      "lacks a list of a table",
      () => Promise.resolve({ tables: [{ ...TABLE, foreignKeys: undefined }], omitted: [] }),
      /else than columns, primaryKey, uniqueKeys and foreignKeys of table "T"/,
    ],
    [
      "has a type of its own",
      () => Promise.resolve({ tables: [{ ...TABLE, columns: [{ name: "a", type: "int" }] }], omitted: [] }),
      /else than a ValueType for column "a" of table "T"/,
    ],
  ] as const
) {
  Deno.test(`a dialect whose catalog ${what} is disconnected and closed`, async () => {
    let isClosed = false;
    const { database, messages } = managed(() =>
      Promise.resolve(databaseOf({
        catalog,
        [Symbol.asyncDispose]: () => Promise.resolve(isClosed = true),
      }))
    );
    await using _ = database;
    await database.start();
    assert.match(messages.join(), reason);
    assert.equal(isClosed, true);
  });
}

Deno.test("rows have values only: the dates and the undefined of a driver are the dialect's mistake", () => {
  const right = [["a", 1, 1n, true, null, Uint8Array.of(1)]];
  assert.equal(chunkOf(right), right);
  for (const cell of [new Date(0), undefined, [1], { a: 1 }]) {
    const rows = [[1, cell]] as never;
    assert.throws(() => rowsOfEach([rows], 1), /read\(\) gave something else than a list of rows of values/);
    assert.throws(() => chunkOf(rows), /stream\(\) gave something else/);
    assert.throws(() => outcomeOf({ rows, changes: 0 }), /run\(\) gave something else/);
  }
});

for (const [order, give] of [["stops", Symbol.asyncDispose], ["disconnects it", "unload"]] as const) {
  Deno.test(`a check that is under way when the service ${order} is no failure in the log`, async () => {
    const { database, messages } = managed(() =>
      Promise.resolve(databaseOf({
        sql: { createAdapter: () => ({}), createQueryCompiler: () => ({}) },
        catalog: () => Promise.resolve({ tables: [], omitted: [] }),
        check: () => new Promise<never>(() => {}),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      })), 60);
    await using _ = database;
    await database.start();
    assert.equal(database.status, "Connected");
    database.lookSoon();
    await database[give]();
    assert.deepEqual(messages, []);
  });
}

/** The records of a format that reads like this, as the core takes them. */
async function read(odd: unknown, { seconds = 0.05, signal = new AbortController().signal } = {}) {
  const format = json.setup(sectionOf(json), HOST);
  using room = new ClientMemory(2 ** 30).open("192.0.2.1");
  const named = { name: "odd", format, read: odd as NonNullable<Format["read"]>, charset: "utf-8" };
  const reading = new BodyReading(named, { signal, seconds }, room);
  const input = { name: "T", columns: new Map(), nullMarker: "<null>", csvNullStr: false };
  return [...await reading.begin("x", input)].filter((record) => record !== undefined);
}

const RECORD: BodyRecord = new Map([["a", "b"]]);

function recordOf(name: unknown, value: unknown) {
  return { records: [RECORD, new Map([[name, value]])], isList: true };
}

const MISTAKES: readonly (readonly [what: string, read: unknown])[] = [
  ["throws", () => {
    throw new Error("broken");
  }],
  ["gives nothing", () => undefined],
  ["gives a text", () => "records"],
  ["gives records without a list", () => ({ records: 1, isList: true })],
  ["gives a promise of nothing", () => Promise.resolve()],
  ["rejects", () => Promise.reject(new Error("broken"))],
  ["gives a record that is no map", () => ({ records: [{ a: "b" }], isList: true })],
  ["gives a number as it is", () => recordOf("a", 7)],
  ["gives a list as it is", () => recordOf("a", ["b"])],
  ["gives a value that is undefined", () => recordOf("a", undefined)],
  ["gives digits that are no text", () => recordOf("a", { kind: "number", text: 7 })],
  ["gives a name that is no text", () => recordOf(7, "b")],
  ["reads with an asynchronous generator", async function* () {
    yield RECORD;
  }],
  ["throws between records", function* () {
    yield RECORD;
    throw new Error("broken");
  }],
  ["ends without an end", function* () {
    yield RECORD;
  }],
];

for (const [what, odd] of MISTAKES) {
  Deno.test(`a format whose read ${what} is named in the failure of its request`, async () => {
    await assert.rejects(async () => await read(odd), /^Error: The format "odd" failed in read\(\)/);
  });
}

/** 503, with the format and its member for the log. */
function isLate(error: unknown): boolean {
  return error instanceof LatePlugin && error.code === "unavailable" &&
    error.reason.startsWith('The format "odd" in read()');
}

function* endless(ended: () => void) {
  try {
    while (true) yield;
  } finally {
    ended();
  }
}

Deno.test("a format that never ends to read is stopped, and told so", async () => {
  let isEnded = false;
  await assert.rejects(
    async () => await read(() => endless(() => isEnded = true)),
    isLate,
  );
  assert.equal(isEnded, true);
  let given: AbortSignal | undefined;
  const never = (_body: unknown, { signal }: { signal: AbortSignal }) => {
    given = signal;
    return new Promise<never>(() => {});
  };
  await assert.rejects(async () => await read(never), isLate);
  assert.equal(given?.aborted, true);
});

Deno.test("a format is stopped when its caller has left", async () => {
  const caller = new AbortController();
  const reason = new Error("gone");
  let isEnded = false;
  const leaving = function* () {
    yield* [RECORD, RECORD];
    caller.abort(reason);
    yield* endless(() => isEnded = true);
  };
  const rejected = (error: unknown) => error === reason;
  await assert.rejects(async () => await read(leaving, { seconds: 60, signal: caller.signal }), rejected);
  assert.equal(isEnded, true);
  const later = new AbortController();
  const waiting = read(() => new Promise<never>(() => {}), { seconds: 60, signal: later.signal });
  later.abort(reason);
  await assert.rejects(waiting, rejected);
});
