/**
 * Links from a page to all rows. Pure.
 *
 * @module
 */

import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { Page } from "@/plugins/contract.ts";

/** The limit of such links, in a database that has one for requests without. */
export function wholeLimitOf({ definition }: ManagedDatabase): Pick<Page, "wholeLimit"> {
  return definition.limit === undefined ? {} : { wholeLimit: String(Number.MAX_SAFE_INTEGER) };
}
