/**
 * The sentences about saved queries, as tests on one engine.
 *
 * @module
 */

import type { TestDialect } from "@/tests/support/databases/mod.ts";
import { testAttacks } from "./attacks.ts";
import { testAuthors } from "./authors.ts";
import { useQueries } from "./client.ts";
import { testEffects } from "./effects.ts";
import { testEngine } from "./own.ts";
import { testReading } from "./reading.ts";
import { testRefusals } from "./refusals.ts";
import { testWriting } from "./writing.ts";

/** Registers the tests. Without the engine's server they are ignored. */
export function testQueries(dialect: TestDialect): void {
  const queries = useQueries(dialect);
  testReading(queries);
  testRefusals(queries);
  testWriting(queries);
  testAttacks(queries);
  testAuthors(queries);
  testEngine(queries);
  testEffects(queries);
}
