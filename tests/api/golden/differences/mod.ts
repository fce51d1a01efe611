/**
 * The differences of every engine.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import type { TestDialect } from "@/tests/support/databases/mod.ts";
import { MSSQL } from "./mssql.ts";
import { MYSQL } from "./mysql.ts";
import { POSTGRESQL } from "./postgresql.ts";

/** By dialect; the files were recorded with SQLite. */
export const DIFFERENCES: Readonly<Record<TestDialect, readonly Difference[]>> = {
  sqlite: [],
  postgresql: POSTGRESQL,
  mysql: MYSQL,
  mssql: MSSQL,
};
