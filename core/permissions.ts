/**
 * Who may do what: the one place that decides. Pure.
 *
 * @module
 */

import type { DatabaseMapping, Operation, User } from "./model.ts";
import type { AuthSession } from "@/plugins/contract.ts";

/** Who is asking. */
export interface Caller {
  readonly user: User;
  /** True when the request carries no credentials: the user is `public`. */
  readonly anonymous: boolean;
  /** The session whose cookie says who it is; absent where the request itself carries the credentials, or none. */
  readonly session?: AuthSession;
}

/** The identity of requests without credentials. */
export const PUBLIC = "public";

/** The user who administers everything. */
export const ADMIN = "admin";

/** Whether a mapping allows an operation on a table: the table's own entry decides, else `*`; no `access`: everything. */
export function mayAccess(mapping: DatabaseMapping, table: string, operation: Operation): boolean {
  const { access } = mapping;
  if (!access) return true;
  return (access.get(table) ?? access.get("*"))?.has(operation) ?? false;
}

/** The same text for two mappings that allow the same, so that what is built for one serves the other. */
export function accessSignature(mapping: DatabaseMapping): string {
  if (!mapping.access) return "";
  const entries = [...mapping.access].map(([table, operations]) =>
    [table, [...operations].toSorted()] as const
  );
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
