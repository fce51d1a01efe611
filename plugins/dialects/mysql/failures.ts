/**
 * Errors and their meaning for the service.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import {
  DatabaseFailure,
  failuresByCode,
  lacksDescriptors,
  messageIn,
  UNTOLD,
} from "@/plugins/kit/database_failure.ts";

/** Regular expressions of MySQL: 3685 to 3699. */
const EXPRESSIONS = Array.from({ length: 15 }, (_, at) => 3685 + at);

/** The failure of each number. */
const FAILURES = failuresByCode({
  integrity: [
    [1048, 1364, 1423, 1062, 1169, 1586, 1761, 1762], // missing values, unique keys
    [1216, 1217, 1451, 1452, 1557], // foreign keys
    [3819, 4025, 1369, 1526, 1748], // checks, views with a check option, partitions
    [1643, 1644], // raised by triggers and functions
    [167, 1467], // exhausted counters of keys, on MariaDB and on MySQL
  ],
  permission: [
    [1044, 1142, 1143, 1227, 1370, 1449], // missing rights
    [1288, 1348, 1393, 1394, 1395, 1471, 1906, 3105], // views and generated columns that can never be written
  ],
  "read-only": [[1036, 1290, 1792, 1836]], // tables, servers, sessions, InnoDB
  timeout: [[1317, 1969, 3024]],
  storage: [
    [1026, 1878], // temporary files that cannot be written, or without room
    [1021, 1030, 1114], // no room, and what a storage engine has no other number for
    [1032, 1033, 1034, 1035, 1194, 1195, 1712, 1877], // damaged tables
    [1016, 1017, 1812, 1814, 1932], // tables without their files
  ],
  unavailable: [
    // Too many connections, out of memory, shutting down, killed, lost, a node
    // of a cluster that is not ready.
    [1037, 1038, 1040, 1041, 1043, 1047, 1053, 1077, 1079, 1080, 1129, 1152, 1158, 1159, 1160],
    [1161, 1184, 1203, 1218, 1226, 1461, 1637, 1927, 2002, 2003, 2006, 2013, 2026, 2055, 3032, 3169, 4031],
  ],
  contention: [
    [1205, 1213, 3572, 3101, 1020], // deadlocks, lock timeouts, conflicts of clusters and of snapshots
    [1412], // a snapshot of a table that was altered since, which the next one does not have
  ],
  changed: [
    [1046, 1049, 1051, 1054, 1109, 1146, 1305, 1356, 1615], // tables, views, routines that are gone
    [1353, 4002], // another number of columns than a part of WITH names
  ],
  "too-complex": [[1104, 1116, 1117, 1119, 1301, 1390, 1436, 1473, 3170]],
  invalid: [
    [1060, 1064, 1149, 1210, 1525, 1690], // invalid SQL, wrong arguments, results out of range
    [1264, 1265, 1292, 1365, 1366, 1367, 1406, 1411, 1425, 1426, 1441], // out of range, too long, malformed
    [1267, 1270, 1271, 1300, 1977, 3854, 3988], // characters that an encoding lacks
    [1139, ...EXPRESSIONS], // invalid regular expressions
    [1172, 1242, 1321, 1329, 1339, 1424, 1442, 1456], // mistakes in functions and triggers
    [3140, 3141, 3143, 3144, 3146, 3150, 3156, 3157, 3158, 4038], // JSON
    [1153], // values that are larger than a packet
  ],
});

/** Refusals of a login: password, host, database, locked and expired accounts. */
const LOGIN_ERRORS: ReadonlySet<number> = new Set(
  [1044, 1045, 1130, 1251, 1396, 1524, 1698, 1820, 1862, 3118, 3955, 4151],
);

/** Lower numbers are those of the server's files and of its storage engines. */
const FIRST_OF_SQL = 1000;

/** The server's number of an error, or 0. */
export function numberOf(error: unknown): number {
  const number = error instanceof Error && "errno" in error ? error.errno : 0;
  return typeof number === "number" ? number : 0;
}

/**
 * Undefined: an unknown error. The server refuses values and functions by hundreds of numbers; triggers may
 * raise any.
 */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  if (!(error instanceof Error)) return undefined;
  if (isRaised(error)) return "integrity";
  const known = FAILURES.get(numberOf(error));
  if (known) return known;
  if (lacksDescriptors(error)) return "storage";
  if (isLost(error)) return "unavailable";
  if (!("sqlState" in error && error.sqlState)) return undefined;
  return numberOf(error) >= FIRST_OF_SQL ? "invalid" : "storage";
}

/** A number has another meaning while connecting than in a statement. */
export function connectFailure(error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error;
  const reason = messageIn(error);
  const [, plugin] = OTHER_PLUGIN.exec(reason) ?? [];
  if (plugin !== undefined) return new DatabaseFailure("login", otherPlugin(plugin), { cause: error });
  const isRefused = LOGIN_ERRORS.has(numberOf(error));
  const failure = isRefused ? "login" : lacksDescriptors(error) ? "storage" : "unavailable";
  return new DatabaseFailure(failure, `Cannot connect: ${reason}`, { cause: error });
}

/** The driver's message about a way to log in that it does not have. */
const OTHER_PLUGIN = /^Server request\w+ authentication using (?:unknown plugin )?(\w+)/;

function otherPlugin(plugin: string): string {
  return `Cannot connect: the login uses ${plugin}; only mysql_native_password, caching_sha2_password and sha256_password are supported`;
}

/** `SIGNAL SQLSTATE '45000'`: a rule in a trigger or a procedure. */
function isRaised(error: unknown): boolean {
  return error instanceof Error && "sqlState" in error && error.sqlState === "45000";
}

const LOST = /^(PROTOCOL_|HANDSHAKE_|AUTH_SWITCH_)|^E(CONN|PIPE|TIMEDOUT|NOTFOUND|AI_|HOST|NET|INVAL)/;

/** The connection has ended, or could not be made. */
function isLost(error: Error): boolean {
  if ("fatal" in error && error.fatal === true) return true;
  return "code" in error && typeof error.code === "string" && LOST.test(error.code);
}

const NAME = "`((?:[^`]|``)*)`";
const FOREIGN_KEY = new RegExp(
  `\\(${NAME}\\.${NAME}, CONSTRAINT ${NAME} FOREIGN KEY \\((.+?)\\) REFERENCES (?:${NAME}\\.)?${NAME} \\((.+?)\\)`,
);
const QUALIFIED = new RegExp(`(?:${NAME}\\.)+${NAME}`, "g");

/**
 * The server's message without names of databases and constraints, of tables in other databases than these,
 * and without the values in messages about duplicates, which the caller may not be allowed to read.
 */
export function explain(error: unknown, databases: readonly string[]): string {
  const message = messageIn(error);
  if (isRaised(error)) return withoutPaths(message);
  const number = numberOf(error);
  if (number === 1062 || number === 1586) return explainDuplicate(message);
  if (number === 1451 || number === 1452) return explainForeignKey(message, databases);
  if (number === 4025) return message.replace(/ for .*$/s, "");
  const own = MESSAGES.find(([numbers]) => numbers.includes(number))?.[1];
  return own ?? UNCLEAR.reduce((text, [words, clear]) => text.replace(words, clear), withoutPaths(message));
}

/** Beginnings of messages about a column that do not say what is wrong. */
const UNCLEAR: readonly (readonly [RegExp, string])[] = [
  [/^Data truncated for (?=column)/, "It would be cut, or is none of the values of "],
  [/^Incorrect string value: '.*' for (?=column)/s, "It has characters that are not in the encoding of "],
];

/** For failures whose messages name places, or quote the statement. */
const MESSAGES: readonly (readonly [readonly number[], string])[] = [
  [[1369], "The view's CHECK OPTION failed"],
  [[1423], "A column that the view does not have needs a value"],
  [[1048, 1364], "A column that must not be NULL has no value"], // perhaps of a table that a trigger writes
  [[1761, 1762], "The change would lead to a duplicate entry in a table that refers to this one"],
  [[1267, 1270, 1271, 3854, 3988], "A value has characters that the column's encoding lacks"],
  [[1064, 1149], "The statement is no SQL that this server understands"],
  [[1153], "One statement has more than the server takes (max_allowed_packet): send fewer or smaller values"],
];

/** `Duplicate entry 'x-1' for key 'pet.PRIMARY'`: MySQL names the table, MariaDB does not. */
function explainDuplicate(message: string): string {
  const key = /for key '(?:.*\.)?([^']*)'$/s.exec(message)?.[1];
  return key === undefined ? "Duplicate entry" : `Duplicate entry for key '${key}'`;
}

/** The end of a message: `column 'name' at row 2`, in some of them with database and table. */
const REFUSED = new RegExp(`\\bcolumn (?:'(.*)'|(?:${NAME}\\.)*${NAME}) at row (\\d+)$`, "s");
/**
 * The beginning of an INSERT and of an UPDATE as the service writes them, with the columns of the first
 * placeholders.
 */
const INSERT = new RegExp(`^insert into (?:${NAME}\\.)?${NAME} \\(((?:${NAME}(?:, )?)+)\\) values \\(\\?`);
const UPDATE = new RegExp(`^update (?:${NAME}\\.)?${NAME} set ((?:${NAME} = \\?(?:, )?)+)`);

/** The index of the parameter that the refusal of an INSERT or UPDATE is about. Undefined: unknown. */
export function refusedParameter(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("sql" in error)) return undefined;
  const [, quoted, , bare, row] = REFUSED.exec(error.message) ?? [];
  const inserted = INSERT.exec(String(error.sql))?.[3];
  const list = inserted ?? UPDATE.exec(String(error.sql))?.[3] ?? "";
  const columns = [...list.matchAll(new RegExp(NAME, "g"))].map(([, column = ""]) => column);
  const at = columns.findIndex((column) => column === (quoted ?? bare));
  if (at < 0) return undefined;
  return inserted === undefined ? at : (Number(row) - 1) * columns.length + at;
}

/** Tables and columns in a form that the service can check for hidden names: `pet.owner_id`. */
function explainForeignKey(message: string, databases: readonly string[]): string {
  const [words = UNTOLD] = message.split(" (`", 1);
  const [, home = "", table = "", , columns, away = home, other = "", references] =
    FOREIGN_KEY.exec(message) ?? [];
  const isKnown = [home, away].every((name) => databases.includes(name));
  if (!isKnown || columns === undefined || references === undefined) return words;
  return `${words}: ${pathsOf(table, columns)} references ${pathsOf(other, references)}`;
}

function pathsOf(table: string, columns: string): string {
  const names = [...columns.matchAll(new RegExp(NAME, "g"))].map(([, name = ""]) => name);
  return names.map((name) => `${table}.${name}`.replaceAll("``", "`")).join(", ");
}

/** Keeps the last part of qualified names; `at row 1` is meaningless, because rows are sent in portions. */
function withoutPaths(message: string): string {
  return message.replace(QUALIFIED, (path) => `'${path.slice(path.lastIndexOf("`.`") + 3, -1)}'`)
    .replace(/ at row \d+$/, "");
}
