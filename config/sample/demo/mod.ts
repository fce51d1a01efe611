/**
 * The demo database of the first run, as the statements that make it.
 *
 * @module
 */

import { demoTables } from "./data.ts";
import { insertStatements, type Statement } from "./table.ts";

export type { Statement } from "./table.ts";

/** First the schema, then the rows; the same statements in every run. */
export function* demoStatements(): Generator<Statement> {
  // Relative to this module: that is also where a compiled binary has it.
  const schema = Deno.readTextFileSync(new URL("./schema.sql", import.meta.url));
  for (const sql of schema.split(/;$/m)) {
    if (sql.trim() !== "") yield { sql: sql.trim() };
  }
  for (const table of demoTables()) yield* insertStatements(table);
}
