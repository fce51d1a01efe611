/**
 * The error numbers of MySQL and MariaDB, with their meaning.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

const NUMBERS: { readonly [Kind in Exclude<Failure, "login">]: readonly number[] } = {
  // Missing values, unique keys, foreign keys, checks, views with a check option, partitions, errors raised by triggers
  // and functions, and (167 on MariaDB, 1467 on MySQL) exhausted counters of keys.
  integrity: [
    167,
    1048,
    1062,
    1169,
    1216,
    1217,
    1364,
    1369,
    1451,
    1452,
    1467,
    1526,
    1557,
    1586,
    1644,
    1748,
    1761,
    1762,
    3819,
    4025,
  ],
  // Missing rights; objects that can never be written: views, generated columns, read-only servers.
  permission: [
    1044,
    1142,
    1143,
    1227,
    1288,
    1290,
    1348,
    1370,
    1393,
    1394,
    1395,
    1449,
    1471,
    1836,
    1906,
    3105,
  ],
  "read-only": [1792],
  timeout: [1317, 1969, 3024],
  // Too many connections, out of memory or room, shutting down, killed, lost, a node of a cluster that is not ready.
  unavailable: [
    // Temporary files that cannot be written, or without room.
    ...[3, 20, 41, 42, 1026, 1878],
    ...[1021, 1037, 1038, 1040, 1041, 1043, 1047, 1053, 1077, 1079, 1080, 1114, 1129, 1152, 1158, 1159, 1160],
    ...[1161, 1184, 1203, 1218, 1226, 1461, 1637, 1927, 2002, 2003, 2006, 2013, 2026, 2055, 3032, 3169, 4031],
  ],
  // Deadlocks, lock timeouts, conflicts of optimistic clusters and of snapshots; a snapshot of a table that was altered
  // since, which the next one does not have.
  contention: [1020, 1205, 1213, 1412, 3101, 3572],
  // Tables, columns, views, routines and databases that no longer exist.
  changed: [1046, 1049, 1051, 1054, 1109, 1146, 1305, 1356, 1615],
  "too-complex": [1104, 1116, 1117, 1119, 1153, 1301, 1390, 1436, 1473, 3170],
  // Values out of range, too long, of the wrong form, or with characters that an encoding lacks; invalid SQL; invalid
  // regular expressions; mistakes in views and functions: subqueries with several rows, no RETURN, no CASE.
  invalid: [
    ...[
      1064,
      1149,
      1210,
      1264,
      1265,
      1267,
      1270,
      1271,
      1292,
      1300,
      1365,
      1366,
      1367,
      1406,
      1411,
      1425,
      1426,
      1441,
    ],
    ...[1139, 1172, 1242, 1321, 1329, 1339, 1424, 1456, ...range(3685, 3699)],
    ...[1525, 1690, 1977, 3140, 3141, 3143, 3144, 3146, 3150, 3156, 3157, 3158, 3854, 3988, 4038],
  ],
};

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** The failure of each number. */
export const FAILURES: ReadonlyMap<number, Failure> = new Map(
  Object.entries(NUMBERS).flatMap(([failure, numbers]) => {
    return numbers.map((number) => [number, failure as Failure] as const);
  }),
);

/** Refusals of a login: password, host, database, locked and expired accounts. */
export const LOGIN_ERRORS: ReadonlySet<number> = new Set([
  1044,
  1045,
  1130,
  1251,
  1396,
  1524,
  1698,
  1820,
  1862,
  3118,
  3955,
  4151,
]);
