/**
 * What every connection is told before it is used, so that statements mean the same whatever a server's own settings are.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import type { Server } from "./server.ts";

/**
 * Nothing is cut, rounded or replaced by a zero without an error, a key of 0 is 0, `"` quotes text and a backslash in a
 * literal is an escape. Whatever else a server is set to is left out, so a saved query means the same everywhere.
 */
const MODES = [
  "STRICT_TRANS_TABLES",
  "STRICT_ALL_TABLES",
  "NO_ZERO_IN_DATE",
  "NO_ZERO_DATE",
  "ERROR_FOR_DIVISION_BY_ZERO",
  "NO_ENGINE_SUBSTITUTION",
  "NO_AUTO_VALUE_ON_ZERO",
];

/** Seconds that a server waits for a client that takes nothing from a stream, beyond those that the service waits. */
const GRACE = 30;

/** The longest that every server takes as `wait_timeout`, in seconds. */
const LONGEST_WAIT = 2_147_483;

/** The largest number that servers take, in 32 and in 64 bits. */
const MOST = "4294967295";
const ALL_ROWS = "18446744073709551615";

/**
 * What a server may be set to as a whole and nobody would notice: lists of ten rows, checks that are off, transactions that
 * begin where another one ends, `id IS NULL` that finds the last record that was made.
 */
const PLAIN = [
  `sql_select_limit = ${ALL_ROWS}`,
  `group_concat_max_len = ${MOST}`,
  "sql_safe_updates = 0",
  "sql_auto_is_null = 0",
  "foreign_key_checks = 1",
  "unique_checks = 1",
  "completion_type = 0",
];

/** MariaDB ends a recursion without an error, by default at its 1,000th step. MySQL fails. */
const PLAIN_ON_MARIADB = ["check_constraint_checks = 1", `max_recursive_iterations = ${MOST}`];

/** One statement. What only reads cannot write; what writes says so when it begins. */
export function sessionSettings(server: Server, pool: PoolSettings): string {
  const isMariadb = server.flavour === "mariadb";
  const transaction = isMariadb ? "tx" : "transaction";
  const assignments = [
    `sql_mode = '${MODES.join(",")}'`,
    "time_zone = '+00:00'",
    "autocommit = 1",
    ...PLAIN,
    ...(isMariadb ? PLAIN_ON_MARIADB : []),
    `${transaction}_isolation = 'REPEATABLE-READ'`,
    `${transaction}_read_only = 1`,
    timeoutOf(server, pool.statementTimeout),
    // Who waits for a lock waits as long as for a connection.
    `innodb_lock_wait_timeout = ${seconds(pool.acquireTimeout)}`,
    `lock_wait_timeout = ${seconds(pool.acquireTimeout)}`,
    `net_write_timeout = ${pool.statementTimeout > 0 ? seconds(pool.statementTimeout) + GRACE : 31_536_000}`,
    `wait_timeout = ${waitOf(pool)}`,
  ];
  return `SET SESSION ${assignments.join(", ")}`;
}

/** The service ends connections that rest, idle ones and those of a transaction, before the server would. */
function waitOf({ statementTimeout, idleTimeout }: PoolSettings): number {
  if (statementTimeout <= 0) return LONGEST_WAIT;
  return Math.min(LONGEST_WAIT, seconds(Math.max(statementTimeout, idleTimeout)) + GRACE);
}

/** How the server is told how long a statement may take; zero: no limit. MySQL has this for reading only. */
export function timeoutOf({ flavour }: Server, limit: number): string {
  return flavour === "mariadb"
    ? `max_statement_time = ${Math.max(0, limit)}`
    : `max_execution_time = ${Math.ceil(Math.max(0, limit) * 1000)}`;
}

function seconds(limit: number): number {
  return Math.max(1, Math.ceil(limit));
}
