/**
 * Differences of SQL Server from the golden files.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import { common } from "./common.ts";

/** The engine's own differences, then those of all servers. */
export const MSSQL: readonly Difference[] = [
  {
    reason: "A double holds no infinity: there is NULL instead",
    cases: ["csv/types", "formats/json-numbers", "formats/xml-types"],
    replace: [
      [/"-?Infinity"/, "null"],
      [/,-?Infinity,/, ",,"],
      [/<Float>-?INF<\/Float>/, '<Float xsi:nil="true"/>'],
    ],
  },
  {
    reason: "A blank equals the empty text, which is a key already: it has a letter here",
    cases: ["csv/quoting", "single/view-with-alternate-key"],
    replace: [['" "', '" x"']],
  },
  {
    reason: "Babelfish forgets the character that LIKE escapes with where text is compared by its codes",
    cases: ["wildcards/literal-escape"],
    replace: [["a!b,54␍\n", ""]],
    isRare: true,
  },
  ...common("mssql"),
];
