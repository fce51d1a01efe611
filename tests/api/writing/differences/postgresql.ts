/**
 * Differences of PostgreSQL from the sequences.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import { integrityWords } from "./integrity_words.ts";
import { WITHOUT_TYPE } from "./without_type.ts";

/** The engine's own differences, and those of all engines except SQLite. */
export const POSTGRESQL: readonly Difference[] = [
  ...WITHOUT_TYPE,
  {
    reason: "An identity column counts on from its own sequence, whatever keys were given meanwhile",
    cases: ["post/many-json"],
    replace: [["ItemId/18", "ItemId/5"], ["18, 'Oar'", "5, 'Oar'"]],
  },
  {
    reason: "Integers have 32 bits, and numbers the digits of their column",
    cases: ["validation/lost-digits", "validation/out-of-range"],
    own: true,
  },
  integrityWords([
    [
      /duplicate key value violates unique constraint "\w+": Key \(.*?\)=\(.*?\) already exists\./,
      "a unique key",
    ],
    [
      /insert or update on table "\w+" violates foreign key constraint "\w+": Key \(.*?\)=\(.*?\) is not present in table "\w+"\./,
      "a foreign key",
    ],
    [
      /update or delete on table "\w+" violates foreign key constraint "\w+" on table "\w+": Key \(.*?\)=\(.*?\) is still referenced from table "\w+"\./,
      "a foreign key",
    ],
    [/new row for relation "\w+" violates check constraint "\w+"/, "a check"],
  ]),
];
