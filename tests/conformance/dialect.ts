/**
 * Tests for every dialect. A dialect's author calls {@link testDialect} in a test file, with a database that has the
 * tables described at {@link DialectUnderTest}.
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
 * - `owner`: `id` integer, the primary key, generated where an insert leaves it out; `code` text of 8 characters, unique, not null; `born` date, may be null.
 *   Rows: (1, 'anna', 1990-05-01), (2, 'bert', NULL).
 * - `pet`: `owner_id` integer, `seq` integer, together the primary key; `name` text of 40 characters, not null.
 *   `owner_id` refers to `owner`. Rows: (1, 1, 'Rex'), (1, 2, 'Mia'), (2, 1, 'Tom').
 * - `kinds`: `id` integer, the primary key; then, all nullable, `an_integer` (64 bits), `a_decimal` (10 digits, 2 of
 *   them decimals), `a_float`, `a_boolean`, `a_text`, `a_date`, `a_datetime` (with milliseconds), `a_binary`.
 *   Rows: 1 and 3 as in `KINDS`, 2 has NULL in every column.
 * - `many`: `n` integer, the primary key. Rows: 1 to 2500.
 * - `owner_codes`: a view, `SELECT id, code FROM owner`.
 */
export interface DialectUnderTest extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly database: Database;
  /** Runs statements in the engine's own words, as another program would. */
  beside(script: string): Promise<void>;
}

/** The context of tests, with the tables' columns. */
export interface OpenedDialect extends DialectUnderTest {
  readonly columns: ReadonlyMap<string, readonly Column[]>;
}

/** The facts about one dialect's engine for its tests. */
export interface DialectSuite {
  /** Connects with these settings; disposing disconnects. */
  open(pool: PoolSettings): Promise<DialectUnderTest>;
  /** A statement with one integer column that runs much longer than a second. */
  readonly endless: string;
  /** Ends the holder of open transactions like a crash: the worker, or the server's connections. */
  crash(opened: DialectUnderTest): Promise<void>;
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
 * - `house`: `id` integer, the primary key; `owner_id` refers to `owner` of this schema, `keeper_id` to that of the default
 *   one. Row: (1, 1, 2).
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
) => void;

const POOL: PoolSettings = { max: 2, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

/** Registers every test of the suite under the dialect's name. */
export function testDialect(name: string, suite: DialectSuite): void {
  const titles = new Set<string>();
  const registerOn = registration(name, suite, titles);
  testTables(registerOn(suite.open), suite);
  if (suite.openSchemas) testSchemas(registerOn(suite.openSchemas));
  if (suite.openServer) testOutage(registerOn(suite.openServer));
  const unknown = Object.keys(suite.skip ?? {}).filter((title) => !titles.has(title));
  assert.deepEqual(unknown, [], "Every test that is skipped exists");
}

function registration(name: string, suite: DialectSuite, titles: Set<string>) {
  return <T extends DialectUnderTest>(open: (pool: PoolSettings) => Promise<T>) => {
    const columns: Promise<OpenedDialect["columns"]>[] = [];
    return (title: string, run: (opened: T & OpenedDialect) => Promise<void>, pool = {}) => {
      titles.add(title);
      const reason = suite.unavailable ?? suite.skip?.[title];
      Deno.test({
        name: `${name}: ${title}${reason === undefined ? "" : ` (${reason})`}`,
        ignore: reason !== undefined,
        async fn() {
          await using opened = await open({ ...POOL, ...pool });
          await run({ ...opened, columns: await (columns[0] ??= readColumns(opened.database)) });
        },
      });
    };
  };
}

function testTables(register: Register, suite: DialectSuite): void {
  testCatalog(register);
  testChanges(register);
  testValues(register);
  testReading(register);
  testStreams(register, suite.endless);
  testFailures(register, suite);
  testWriting(register);
  testRefusals(register);
  testTransactions(register, suite);
  testContention(register);
  if (suite.logins) testLogins(register, suite.logins);
}

async function readColumns(database: Database): Promise<OpenedDialect["columns"]> {
  const { tables } = await database.catalog();
  return new Map(tables.map(({ name, columns }) => [name, columns]));
}
