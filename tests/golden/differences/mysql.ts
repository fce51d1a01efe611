/**
 * What MySQL and MariaDB answer otherwise than the golden files say.
 *
 * @module
 */

import type { Difference } from "@/tests/databases/differences.ts";
import { common, SPECIAL_VALUES } from "./common.ts";

/** Those of the engine, then those that all servers have in common. */
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
