/**
 * Differences of SQL Server from the sequences.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import { integrityWords } from "./integrity_words.ts";
import { WITHOUT_TYPE } from "./without_type.ts";

/** SQL Server's words, and those of Babelfish. */
const IDENTITY_WORDS =
  /Cannot update identity column '\w+'\.|Cannot insert explicit value for identity column in table '\w+' when IDENTITY_INSERT is set to OFF\.|column \\?"\w+\\?" can only be updated to DEFAULT|cannot insert a non-DEFAULT value into column \\?"\w+\\?"/g;

/** The engine's own differences, and those of all engines except SQLite. */
export const MSSQL: readonly Difference[] = [
  ...WITHOUT_TYPE,
  {
    reason: "Views of any kind are updatable or not by what is in them: only the statement itself tells",
    cases: ["methods/view-without-triggers"],
    own: true,
  },
  {
    reason: "No foreign key can be checked at the end of a transaction",
    cases: ["post/deferred-foreign-key-fulfilled"],
    own: true,
  },
  {
    reason: "JSON is kept in columns of text, which take no objects",
    cases: ["post/exact-values-json"],
    own: true,
  },
  {
    reason: "A view does not let an identity be given",
    cases: ["post/view"],
    own: true,
  },
  {
    reason: "An identity is never changed",
    cases: ["put/key-collides-json", "put/referenced-key"],
    replace: [[/UNIQUE constraint failed: Item\.ItemId|FOREIGN KEY constraint failed/, "{an identity}"]],
  },
  {
    reason: "What the database says of an identity that is given or changed is its own",
    cases: ["post/view", "put/key-collides-json", "put/referenced-key"],
    normalize: (answer) => answer.replaceAll(IDENTITY_WORDS, "{an identity}"),
  },
  {
    reason: "Columns of text count characters beyond the basic ones as two",
    cases: ["validation/length-in-characters"],
    own: true,
  },
  {
    reason: "Integers have 32 bits, and numbers the digits of their column",
    cases: ["validation/lost-digits", "validation/out-of-range"],
    own: true,
  },
  // SQL Server's words, and those of Babelfish.
  integrityWords([
    [
      /Violation of (?:UNIQUE|PRIMARY) KEY constraint '\w+'\. Cannot insert duplicate key in object '\w+'\./,
      "a unique key",
    ],
    [
      /Cannot insert duplicate key row in object '\w+' with unique index '\w+'\./,
      "a unique key",
    ],
    [/duplicate key value violates unique constraint "\w+"/, "a unique key"],
    [
      /The \w+ statement conflicted with the (?:FOREIGN KEY|REFERENCE|FOREIGN KEY SAME TABLE|SAME TABLE REFERENCE) constraint "\w+"\. The conflict occurred in table "\w+", column '\w+'\./,
      "a foreign key",
    ],
    [/insert or update on table "\w+" violates foreign key constraint "\w+"/, "a foreign key"],
    [/update or delete on table "\w+" violates foreign key constraint "\w+" on table "\w+"/, "a foreign key"],
    [
      /The \w+ statement conflicted with the CHECK constraint "\w+"\. The conflict occurred in table "\w+", column '\w+'\./,
      "a check",
    ],
    [/new row for relation "\w+" violates check constraint "\w+"/, "a check"],
  ]),
];
