/**
 * What PostgreSQL answers otherwise than the golden files say.
 *
 * @module
 */

import type { Difference } from "@/tests/databases/differences.ts";
import { common } from "./common.ts";

export const POSTGRESQL: readonly Difference[] = common("postgresql");
