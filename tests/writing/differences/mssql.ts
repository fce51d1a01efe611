/**
 * What this engine answers otherwise than the sequences say.
 *
 * @module
 */

import type { Difference } from "@/tests/databases/differences.ts";

export const MSSQL: readonly Difference[] = [];
