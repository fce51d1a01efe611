/**
 * The messages of engines about an integrity failure. The caller gets the engine's own words
 * (specification.md, Errors: "message from the database"); the tests compare which rule was broken.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";

/** Patterns of messages, and the rule that they tell of. */
export type Words = readonly (readonly [RegExp, "a unique key" | "a foreign key" | "a check"])[];

const SQLITE: Words = [
  [/UNIQUE constraint failed: [\w., ]+/, "a unique key"],
  [/FOREIGN KEY constraint failed/, "a foreign key"],
  [/CHECK constraint failed: Quantity >= 0/, "a check"],
];

/** An unknown message stays unchanged, and then fails the comparison. */
export function integrityWords(words: Words): Difference {
  return {
    reason: "The message of an integrity failure is the database's own",
    normalize: (answer) => {
      const plain = answer.replaceAll(/\\"|""|&quot;/g, '"');
      const named = [...SQLITE, ...words].reduce((text, [pattern, rule]) => {
        return text.replaceAll(new RegExp(pattern, "g"), `{${rule}}`);
      }, plain);
      return named.replaceAll(/,"([^",{]+: \{[\w ]+\})"␍/g, ",$1␍");
    },
  };
}
