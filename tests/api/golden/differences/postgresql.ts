/**
 * Differences of PostgreSQL from the golden files.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";
import { common, SPECIAL_VALUES } from "./common.ts";

/** The difference of its special values, then those of all servers. */
export const POSTGRESQL: readonly Difference[] = [SPECIAL_VALUES, ...common("postgresql")];
