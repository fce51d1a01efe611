/**
 * What SQL Server answers otherwise than the golden files say.
 *
 * @module
 */

import type { Difference } from "@/tests/databases/differences.ts";
import { common } from "./common.ts";

export const MSSQL: readonly Difference[] = common("mssql");
