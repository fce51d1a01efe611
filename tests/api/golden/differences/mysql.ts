/**
 * Differences of MySQL and MariaDB from the golden files.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import { common, SPECIAL_VALUES } from "./common.ts";

/** The engine's own differences, then those of all servers. */
export const MYSQL: readonly Difference[] = [
  {
    reason: "A double holds no infinity: there is NULL instead",
    cases: ["csv/types", "formats/json-numbers", "formats/xml-types"],
    replace: [
      [/"-?Infinity"/, "null"],
      [/,-?Infinity,/, ",,"],
      [/<Float>-?INF<\/Float>/, '<Float xsi:nil="true"/>'],
    ],
  },
  SPECIAL_VALUES,
  ...common("mysql"),
];
