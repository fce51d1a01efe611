/**
 * Differences of MySQL and MariaDB from the sequences.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import { integrityWords } from "./integrity_words.ts";
import { WITHOUT_TYPE } from "./without_type.ts";

/** The engine's own differences, and those of all engines except SQLite. */
export const MYSQL: readonly Difference[] = [
  {
    reason: "Foreign keys are checked row by row, before the unique keys of the statement's other rows",
    cases: ["put/key-collides-json"],
    replace: [["UNIQUE constraint failed: Item.ItemId", "FOREIGN KEY constraint failed"]],
  },
  ...WITHOUT_TYPE,
  {
    reason: "MySQL keeps JSON as a document of its own and spaces it its way; MariaDB keeps the text",
    isRare: true,
    cases: ["conditions/*", "put/json", "post/exact-values-json"],
    normalize: (answer) =>
      answer.replace(/(\\?"a\\?"): ?\[1, ?2\]/g, "$1: [1, 2]").replace(/\[1, 2\.50\]/g, "[1, 2.5]"),
  },
  {
    reason: "No foreign key can be checked at the end of a transaction",
    cases: ["delete/deferred-foreign-key-fulfilled", "post/deferred-foreign-key-fulfilled"],
    own: true,
  },
  {
    reason: "Integers have 32 bits, and numbers the digits of their column",
    cases: ["validation/lost-digits", "validation/out-of-range"],
    own: true,
  },
  {
    reason: "TIME is a duration of up to 838 hours",
    cases: ["validation/wrong-types-json"],
    replace: [[/ +"Could not parse JSON: The \\"OpensAt\\".*\n/, ""]],
  },
  integrityWords([
    [/Duplicate entry for key '[\w.]+'/, "a unique key"],
    [
      /Cannot (?:add or update a child|delete or update a parent) row: a foreign key constraint fails: [\w., ]+ references [\w., ]+/,
      "a foreign key",
    ],
    [/CONSTRAINT `\w+` failed|Check constraint '\w+' is violated\.?/, "a check"],
  ]),
];
