/**
 * What every dialect must do. A dialect's author calls {@link testDialect} in a test file of their own, with a
 * database that holds the tables described at {@link DialectUnderTest}.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Database, Dialect, PoolSettings } from "@/plugins/contract.ts";
import { testCatalog } from "./dialect_catalog.ts";
import { testFailures } from "./dialect_failures.ts";
import { testReading } from "./dialect_reading.ts";
import { testStreams } from "./dialect_streams.ts";
import { testTransactions } from "./dialect_transactions.ts";
import { testValues } from "./dialect_values.ts";
import { testWriting } from "./dialect_writing.ts";

export { KIND_COLUMNS, KINDS } from "./dialect_kinds.ts";

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
}

export interface DialectSuite {
  /** Connects with these settings; disposing disconnects. */
  open(pool: PoolSettings): Promise<DialectUnderTest>;
  /** A statement with one integer column that takes very much longer than a second. */
  readonly endless: string;
  /** Ends, as a crash would, whatever holds the transactions that are open: their worker, or the server's connections. */
  crash(opened: DialectUnderTest): Promise<void>;
  /** Titles of tests that do not apply, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** Registers a test; one that is skipped shows its reason. */
export type Register = (
  title: string,
  run: (opened: DialectUnderTest) => Promise<void>,
  pool?: Partial<PoolSettings>,
) => void;

const POOL: PoolSettings = { max: 2, idleTimeout: 5, acquireTimeout: 5, statementTimeout: 30 };

/** Registers every test of the suite under the dialect's name. */
export function testDialect(name: string, suite: DialectSuite): void {
  const titles = new Set<string>();
  const register: Register = (title, run, pool = {}) => {
    titles.add(title);
    const reason = suite.skip?.[title];
    const shown = `${name}: ${title}${reason === undefined ? "" : ` (${reason})`}`;
    Deno.test({
      name: shown,
      ignore: reason !== undefined,
      async fn() {
        await using opened = await suite.open({ ...POOL, ...pool });
        await run(opened);
      },
    });
  };
  testCatalog(register);
  testValues(register);
  testReading(register);
  testStreams(register, suite.endless);
  testFailures(register, suite.endless);
  testWriting(register);
  testTransactions(register, suite);
  const unknown = Object.keys(suite.skip ?? {}).filter((title) => !titles.has(title));
  assert.deepEqual(unknown, [], "Every test that is skipped exists");
}
