/**
 * What PostgreSQL answers otherwise than the golden files say.
 *
 * @module
 */

import type { Difference } from "@/tests/databases/differences.ts";
import { common } from "./common.ts";

/** Those that all servers have in common; there are no others. */
export const POSTGRESQL: readonly Difference[] = common("postgresql");
