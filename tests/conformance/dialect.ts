/**
 * Tests for every dialect. A dialect's author calls {@link testDialect} in a test file, with a database that
 * has the tables described at {@link DialectUnderTest}.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Column, Database, Dialect, Login, PoolSettings } from "@/plugins/contract.ts";
import type { OwnServer } from "@/tests/support/servers/mod.ts";
import { testCatalog } from "@/tests/conformance/dialect_catalog.ts";
import { testChanges } from "@/tests/conformance/dialect_changes.ts";
import { testContention } from "@/tests/conformance/dialect_contention.ts";
import { testFailures } from "@/tests/conformance/dialect_failures.ts";
import { testLogins } from "@/tests/conformance/dialect_logins.ts";
import { testOutage } from "@/tests/conformance/dialect_outage.ts";
import { ignoring } from "@/tests/conformance/dialect_register.ts";
import { testReading } from "@/tests/conformance/dialect_reading.ts";
import { testRefusals } from "@/tests/conformance/dialect_refusals.ts";
import { testSchemas } from "@/tests/conformance/dialect_schemas.ts";
import { testStreams } from "@/tests/conformance/dialect_streams.ts";
import { testTransactions } from "@/tests/conformance/dialect_transactions.ts";
import { testValues } from "@/tests/conformance/dialect_values.ts";
import { testWriting } from "@/tests/conformance/dialect_writing.ts";

export { KIND_COLUMNS, KINDS } from "@/tests/conformance/dialect_kinds.ts";

/**
 * A connected database with these tables, and no others:
 *
 * - `owner`: `id` integer, the primary key, generated where an insert leaves it out; `code` text of 8
 *   characters, unique, not null; `born` date, may be null. Rows: (1, 'anna', 1990-05-01), (2, 'bert', NULL).
 * - `pet`: `owner_id` integer, `seq` integer, together the primary key; `name` text of 40 characters, not
 *   null. `owner_id` refers to `owner`. Rows: (1, 1, 'Rex'), (1, 2, 'Mia'), (2, 1, 'Tom').
 * - `kinds`: `id` integer, the primary key; then, all nullable, `an_integer` (64 bits), `a_decimal` (10
 *   digits, 2 of them decimals), `a_float`, `a_boolean`, `a_text`, `a_date`, `a_datetime` (with
 *   milliseconds), `a_binary`. Rows: 1 and 3 as in `KINDS`, 2 has NULL in every column.
 * - `many`: `n` integer, the primary key. Rows: 1 to 2500.
 * - `owner_codes`: a view, `SELECT id, code FROM owner`.
 */
export interface DialectUnderTest extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly database: Database;
  /**
   * Runs statements in the engine's own words, as another program would. Absent if the suite is `inProcess`.
   */
  beside?(script: string): Promise<void>;
}

/** The context of tests, with the tables' columns. */
export interface OpenedDialect extends DialectUnderTest {
  readonly columns: ReadonlyMap<string, readonly Column[]>;
}

/** The facts about one dialect's engine for its tests. */
export interface DialectSuite {
  /** Connects with these settings; disposing disconnects. */
  open(pool: PoolSettings): Promise<DialectUnderTest>;
  /**
   * A statement with one integer column that runs much longer than a second. Absent: nothing can end one, as
   * in an engine that works in the service's own thread, and tests that do so are ignored.
   */
  readonly endless?: string;
  /**
   * Ends the holder of open transactions like a crash: the worker, or the server's connections. Absent:
   * nothing can end without the service.
   */
  crash?(opened: DialectUnderTest): Promise<void>;
  /** The engine only reads: tests that write are ignored, and a transaction must be refused. */
  readonly readOnly?: boolean;
  /** The engine is part of this process: tests that change the database from another program are ignored. */
  readonly inProcess?: boolean;
  /** Absent: the engine has no logins. */
  readonly logins?: LoginScripts;
  /** With a second schema; absent: the engine has none. */
  openSchemas?(pool: PoolSettings): Promise<WithSchema>;
  /** Opens a separate server; absent: none can be killed. */
  openServer?(pool: PoolSettings): Promise<WithServer>;
  /** Why there is no server to test with; absent: there is one. */
  readonly unavailable?: string | undefined;
  /** Titles of tests that do not apply, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** Scripts that make a login which may read the table `owner` and nothing else, and that remove it. */
export interface LoginScripts {
  create(login: Login): string;
  drop(login: Login): string;
}

/**
 * The default schema with the tables above, and another one, configured after it, with these:
 *
 * - `owner`: `id` integer, the primary key; `code` text of 8 characters. Row: (1, 'other').
 * - `house`: `id` integer, the primary key; `owner_id` refers to `owner` of this schema, `keeper_id` to that
 *   of the default one. Row: (1, 1, 2).
 */
export interface WithSchema extends DialectUnderTest {
  readonly other: string;
}

/** The tables on a server that a test may kill. */
export interface WithServer extends DialectUnderTest {
  readonly server: Pick<OwnServer, "kill" | "restart">;
  /** Connects once more. */
  connect(): Promise<Database>;
}

/** Registers a test; one that is skipped shows its reason. */
export type Register = (
  title: string,
  run: (opened: OpenedDialect) => Promise<void>,
  pool?: Partial<PoolSettings>,
  /** Why the test does not apply to this suite. */
  ignored?: string,
) => void;

/** One test of a suite. */
export interface DialectTest {
  readonly title: string;
  /** Why it does not apply. */
  readonly ignored: string | undefined;
  run(): Promise<void>;
}

/** Milliseconds for one test: a statement that never ends fails its test instead of stopping the suite. */
const LIMIT = 120_000;

const POOL: PoolSettings = { max: 2, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

/** Registers every test of the suite under the dialect's name. */
export function testDialect(name: string, suite: DialectSuite): void {
  for (const { title, ignored, run } of dialectTests(suite)) {
    Deno.test({
      name: `${name}: ${title}${ignored === undefined ? "" : ` (${ignored})`}`,
      ignore: ignored !== undefined,
      fn: run,
    });
  }
}

/** The tests of a suite. */
export function dialectTests(suite: DialectSuite): readonly DialectTest[] {
  const tests: DialectTest[] = [];
  const registerOn = registration(suite, tests);
  testTables(registerOn(suite.open), suite);
  if (suite.openSchemas) testSchemas(registerOn(suite.openSchemas));
  if (suite.openServer) testOutage(registerOn(suite.openServer));
  const titles = tests.map(({ title }) => title);
  const unknown = Object.keys(suite.skip ?? {}).filter((title) => !titles.includes(title));
  assert.deepEqual(unknown, [], "Every test that is skipped exists");
  return tests;
}

function registration(suite: DialectSuite, tests: DialectTest[]) {
  return <T extends DialectUnderTest>(open: (pool: PoolSettings) => Promise<T>) => {
    const columns: Promise<OpenedDialect["columns"]>[] = [];
    return (
      title: string,
      run: (opened: T & OpenedDialect) => Promise<void>,
      pool: Partial<PoolSettings> = {},
      ignored?: string,
    ) => {
      tests.push({
        title,
        ignored: suite.unavailable ?? suite.skip?.[title] ?? ignored,
        async run() {
          await using opened = await open({ ...POOL, ...pool });
          await within(LIMIT, async () => {
            await run({ ...opened, columns: await (columns[0] ??= readColumns(opened.database)) });
          });
        },
      });
    };
  };
}

async function within(limit: number, work: () => Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`The test did not end within ${limit} ms`)), limit);
  try {
    await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function testTables(register: Register, suite: DialectSuite): void {
  const writing = ignoring(register, suite.readOnly ? "the engine only reads" : undefined);
  testCatalog(register);
  testChanges(ignoring(register, suite.inProcess ? "no other program changes the database" : undefined));
  testValues(register);
  testReading(register, suite);
  testStreams(register, suite);
  testFailures(register, suite);
  testWriting(writing);
  testRefusals(writing);
  testTransactions(writing, suite);
  testContention(writing);
  if (suite.readOnly) testReadOnly(register);
  if (suite.logins) testLogins(register, suite.logins);
}

function testReadOnly(register: Register): void {
  register("a transaction that writes is refused as read-only", async ({ database }) => {
    const begun = database.begin({ signal: new AbortController().signal });
    const error = await begun.then(() => assert.fail("It begins"), (reason: unknown) => reason);
    assert.equal(database.classify(error), "read-only");
  });
}

async function readColumns(database: Database): Promise<OpenedDialect["columns"]> {
  const { tables } = await database.catalog();
  return new Map(tables.map(({ name, columns }) => [name, columns]));
}
