/** @module An audit log for tests that do not read it. */

import type { Audit } from "@/core/storage/audit.ts";

/** Records nothing. */
export const NO_AUDIT: Audit = { record: () => {}, recordSeldom: () => true };
