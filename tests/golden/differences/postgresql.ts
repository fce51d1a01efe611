/**
 * What PostgreSQL answers otherwise than the golden files say.
 *
 * @module
 */

import type { Difference } from "@/tests/databases/differences.ts";
import { common, SPECIAL_VALUES } from "./common.ts";

/** That of its special values, then those that all servers have in common. */
export const POSTGRESQL: readonly Difference[] = [SPECIAL_VALUES, ...common("postgresql")];
