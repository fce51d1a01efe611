import assert from "node:assert/strict";
import type { Database, Row, Transaction } from "@/plugins/contract.ts";
import { type DialectSuite, dialectTests, type DialectUnderTest } from "@/tests/conformance/dialect.ts";
import { testLoneWrites } from "@/tests/conformance/dialect_lone_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";
import { sqliteSuite } from "@/tests/conformance/sqlite_suite.ts";

type Change = (database: Database) => Partial<Database>;

/** The object with some members replaced. */
function changed<T extends object>(original: T, changes: Partial<T>): T {
  return new Proxy(original, {
    get(target, key) {
      if (Object.hasOwn(changes, key)) return changes[key as keyof T];
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function suiteWith(change: Change): DialectSuite {
  return {
    ...sqliteSuite,
    async open(pool): Promise<DialectUnderTest> {
      const opened = await sqliteSuite.open(pool);
      const database = changed(opened.database, change(opened.database));
      return { ...opened, database, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    },
  };
}

function mapRows(change: (row: Row) => Row): Change {
  return (database) => ({
    read: async (runs, options) => (await database.read(runs, options)).map((rows) => rows.map(change)),
  });
}

function inTransactions(change: (transaction: Transaction) => Partial<Transaction>): Change {
  return (database) => ({
    async begin(options) {
      const transaction = await database.begin(options);
      return changed(transaction, change(transaction));
    },
  });
}

const FIRST_VALUES = "values of every type come out as the contract tells, row 1";
const CHUNKS = "a stream gives every row in order, in chunks of the fetch size";

/** Dialects with one mistake each, and the test that notices it. */
const MISTAKES: readonly (readonly [mistake: string, test: string, change: Change])[] = [
  [
    "loses a view of the catalog",
    "the catalog lists tables and views and leaves nothing out",
    (database) => ({
      async catalog() {
        const catalog = await database.catalog();
        return { ...catalog, tables: catalog.tables.filter(({ kind }) => kind === "table") };
      },
    }),
  ],
  [
    "knows no foreign keys",
    "the catalog has primary, unique and foreign keys",
    (database) => ({
      async catalog() {
        const catalog = await database.catalog();
        return { ...catalog, tables: catalog.tables.map((table) => ({ ...table, foreignKeys: [] })) };
      },
    }),
  ],
  ["never notices a change", "a database that has changed is noticed: a table", () => ({
    check: () => Promise.resolve("ok"),
  })],
  ["always sees a change", "rows that come and go are no change", () => ({
    check: () => Promise.resolve("changed"),
  })],
  [
    "gives numbers as text",
    FIRST_VALUES,
    mapRows((row) => row.map((cell) => typeof cell === "number" ? `${cell}` : cell)),
  ],
  [
    "gives buffers instead of plain bytes",
    FIRST_VALUES,
    mapRows((row) => row.map((cell) => cell instanceof Uint8Array ? Buffer.from(cell) : cell)),
  ],
  [
    "gives undefined for NULL",
    "NULL comes out as null, whatever the type",
    mapRows((row) => {
      return row.map((cell) => cell ?? undefined) as unknown as Row;
    }),
  ],
  ["gives rows as objects", FIRST_VALUES, mapRows((row) => ({ ...row }) as unknown as Row)],
  [
    "answers only the first statement of a read",
    "one read gives the rows of each statement in its place",
    (database) => ({ read: (runs, options) => database.read(runs.slice(0, 1), options) }),
  ],
  ["sends chunks of another size", CHUNKS, (database) => ({
    stream: (run, options) => database.stream(run, { ...options, fetchSize: options.fetchSize + 1 }),
  })],
  ["loses the last chunk of a stream", CHUNKS, (database) => ({
    async *stream(run, options) {
      let last: readonly Row[] | undefined;
      for await (const chunk of database.stream(run, options)) {
        if (last) yield last;
        last = chunk;
      }
    },
  })],
  [
    "streams on after an abort",
    "a stream that is aborted between chunks ends with the reason",
    (database) => ({
      stream: (run, options) => database.stream(run, { ...options, signal: new AbortController().signal }),
    }),
  ],
  [
    "ends an aborted read with an error of its own",
    "a read that is aborted ends with the reason",
    (database) => ({
      async read(runs, options) {
        try {
          return await database.read(runs, options);
        } catch {
          throw new Error("aborted");
        }
      },
    }),
  ],
  ["classifies nothing", "a table that has gone means that the catalog is out of date", () => ({
    classify: () => undefined,
  })],
  ["classifies every error", "an error of someone else is not classified", () => ({
    classify: () => "unavailable",
  })],
  [
    "explains with names of files",
    "a statement that breaks a rule is refused and explained: a unique key",
    () => ({
      explain: (error) => `/data/shop.db: ${String(error)}`,
    }),
  ],
  [
    "commits nothing",
    "what is written is seen inside at once, by others when it is committed",
    inTransactions((transaction) => ({ commit: () => transaction.rollback() })),
  ],
  [
    "commits what is rolled back",
    "a rollback leaves nothing",
    inTransactions((transaction) => ({ rollback: () => transaction.commit() })),
  ],
  [
    "counts no changes",
    "changes count the rows that a statement touched",
    inTransactions((transaction) => ({
      run: async (statement, parameters) => ({ ...await transaction.run(statement, parameters), changes: 0 }),
    })),
  ],
];

for (const [mistake, title, change] of MISTAKES) {
  Deno.test(`the suite notices within seconds a dialect that ${mistake}`, async () => {
    const test = dialectTests(suiteWith(change)).find((each) => each.title === title);
    assert.ok(test, title);
    const started = performance.now();
    await assert.rejects(test.run(), (error) => !(error instanceof TypeError));
    assert.ok(performance.now() - started < 10_000, "A comparison that fails ends within seconds");
  });
}

Deno.test("the right dialect passes the tests that notice mistakes", async () => {
  const titles = new Set(MISTAKES.map(([, title]) => title));
  for (const { title, run } of dialectTests(sqliteSuite)) if (titles.has(title)) await run();
});

Deno.test("a dialect that leaves every write of one statement to the core passes", async () => {
  const suite = suiteWith(() => ({ write: () => undefined }));
  const titles: string[] = [];
  testLoneWrites((title) => void titles.push(title));
  const tests = dialectTests(suite).filter(({ title }) => titles.includes(title));
  assert.equal(tests.length, titles.length);
  for (const { run } of tests) await run();
});

Deno.test("a suite of an engine that only reads within this process ignores what cannot be tested", () => {
  const { crash: _, endless: __, ...rest } = sqliteSuite;
  const tests = dialectTests({ ...rest, readOnly: true, inProcess: true, skip: {} });
  const reasons = new Map(tests.map(({ title, ignored }) => [title, ignored]));
  const expected = {
    "a database that has changed is noticed: a table": "no other program changes the database",
    "several statements of one read see the same data": "no other program changes the database",
    "a rollback leaves nothing": "the engine only reads",
    "a stream that rests holds up nobody who writes what it reads": "the engine only reads",
    "connections that were lost while nobody used them are replaced": "nothing can end without the service",
    "a stream that is aborted while it waits ends with the reason": "nothing can end a statement",
    "a statement that takes too long is a timeout, and the next one works": "nothing can end a statement",
    "a statement that takes too long in a transaction is a timeout": "nothing can end a statement",
    "a transaction that writes is refused as read-only": undefined,
    [FIRST_VALUES]: undefined,
    [CHUNKS]: undefined,
  };
  for (const [title, reason] of Object.entries(expected)) {
    assert.ok(reasons.has(title), title);
    assert.equal(reasons.get(title), reason, title);
  }
});

Deno.test("a comparison of large values that fails ends at once and tells the place", () => {
  const rows = (last: number) =>
    Array.from({ length: 2500 }, (_, at) => [at, new Uint8Array(1000).fill(at === 2499 ? last : 0)]);
  const started = performance.now();
  assert.throws(() => assertSame(rows(1), rows(2)), {
    message: /^The values differ at \[2499\]\[1\]: found Uint8Array/,
  });
  assert.throws(() => assertSame([1, 2, 3], [1, 2]), {
    message: "The values differ in length: found 3, expected 2",
  });
  assert.ok(performance.now() - started < 2000);
});
