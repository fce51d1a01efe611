/**
 * The kind of server, because MySQL and MariaDB differ in features and in syntax, and the settings of every
 * connection, so that statements have the same meaning whatever the server's defaults.
 *
 * @module
 */

import type { Log, Login, PoolSettings } from "@/plugins/contract.ts";
import { CHARSET } from "./options.ts";
import type { Session } from "./session.ts";

/** Parsed from the server's version when the database is connected. */
export interface Server {
  readonly flavour: "mysql" | "mariadb";
  /** Major, minor and patch. */
  readonly version: readonly [number, number, number];
}

/**
 * Reads `10.11.6-MariaDB-0+deb12u1`, `8.4.3` and, from servers with a compatibility
 * prefix, `5.5.5-10.6.12-MariaDB`.
 */
export function readServer(text: string): Server {
  const flavour = /mariadb/i.test(text) ? "mariadb" : "mysql";
  const [, major, minor, patch] = /^(?:5\.5\.5-)?(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return { flavour, version: [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)] };
}

/** The oldest supported releases: earlier ones lack checked JSON, `RETURNING` or common table expressions. */
const OLDEST: { readonly [Flavour in Server["flavour"]]: Server["version"] } = {
  mysql: [8, 0, 0],
  mariadb: [10, 6, 0],
};

/** The complaint about a server that is too old; undefined if it is supported. */
export function complaintAbout(server: Server, text: string): string | undefined {
  const oldest = OLDEST[server.flavour];
  const differing = oldest.findIndex((number, at) => server.version[at] !== number);
  if (differing < 0 || (server.version[differing] ?? 0) > (oldest[differing] ?? 0)) return undefined;
  return `The server is ${JSON.stringify(text)}: MySQL 8.0 or MariaDB 10.6 is the oldest that is supported`;
}

/** Read with the first connection, and valid until the database is connected again. */
export interface Place {
  readonly server: Server;
  readonly settings: PoolSettings;
  /** The served databases; tables of the first one have plain names. */
  readonly schemas: readonly string[];
  /** The step between counted keys. */
  readonly identityStep: number;
  readonly log: Log;
  readonly echo: boolean;
  /** Opens a connection that is ready for statements; fails as `login` or `unavailable`. */
  open(login: Login): Promise<Session>;
}

/**
 * Values are never cut, rounded or replaced by zero without an error, a key of 0 is 0, `"` quotes
 * text and a backslash in a literal is an escape. Other modes are left out, so that a saved query
 * has the same meaning everywhere.
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

/** Seconds that a server waits for a slow reader of a stream, beyond the service's limit. */
const GRACE = 30;

/** Largest `wait_timeout` that every server accepts, in seconds. */
const LONGEST_WAIT = 2_147_483;

/** The largest numbers that servers accept, in 32 and in 64 bits. */
const MOST = "4294967295";
const ALL_ROWS = "18446744073709551615";

/**
 * Resets defaults of servers that would silently change results: lists of ten rows, checks that are off,
 * transactions that begin where another one ends, `id IS NULL` that finds the last inserted record, and
 * another encoding (`init_connect`, `skip-character-set-client-handshake`).
 */
const PLAIN = [
  `NAMES ${CHARSET} COLLATE ${CHARSET}_general_ci`,
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

/** One statement. Sessions are read-only by default; writing transactions say so when they begin. */
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
    // The wait for a lock is as long as for a connection.
    `innodb_lock_wait_timeout = ${seconds(pool.acquireTimeout)}`,
    `lock_wait_timeout = ${seconds(pool.acquireTimeout)}`,
    `net_write_timeout = ${pool.statementTimeout > 0 ? seconds(pool.statementTimeout) + GRACE : 31_536_000}`,
    `wait_timeout = ${waitOf(pool)}`,
  ];
  return `SET SESSION ${assignments.join(", ")}`;
}

/** The service ends idle connections and resting transactions before the server would. */
function waitOf({ statementTimeout, idleTimeout }: PoolSettings): number {
  if (statementTimeout <= 0) return LONGEST_WAIT;
  return Math.min(LONGEST_WAIT, seconds(Math.max(statementTimeout, idleTimeout)) + GRACE);
}

/** The server's time limit of a statement; zero: no limit. MySQL only supports it for reading. */
export function timeoutOf({ flavour }: Server, limit: number): string {
  return flavour === "mariadb"
    ? `max_statement_time = ${Math.max(0, limit)}`
    : `max_execution_time = ${Math.ceil(Math.max(0, limit) * 1000)}`;
}

function seconds(limit: number): number {
  return Math.max(1, Math.ceil(limit));
}
