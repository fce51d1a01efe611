/**
 * Decides every action on data. Pure.
 *
 * @module
 */

import type { DatabaseMapping, Operation, User } from "@/core/model.ts";
import { complaintAbout, type NameComplaint, type TableLookup } from "@/core/schema/definition_names.ts";
import type { AuthSession } from "@/plugins/contract.ts";

/** The caller of a request. */
export interface Caller {
  readonly user: User;
  /** True for a request without credentials: the user is `public`. */
  readonly anonymous: boolean;
  /** The method that found the credentials, or that opened the session. Absent without credentials. */
  readonly via?: string;
  /** The session that identifies the user; absent if the request itself has credentials, or none. */
  readonly session?: AuthSession;
  /** The credentials are added by themselves, see `AuthMethod.isAmbient`. */
  readonly isAmbient?: true;
  /** The request has the cookie of a session that has ended; it counts as one without credentials. */
  readonly sessionEnded?: true;
}

/** The message to the caller in this case. */
export const SESSION_ENDED = "Your session has ended: log in again";

/** The user of requests without credentials. */
export const PUBLIC = "public";

/** The user who administers everything. */
export const ADMIN = "admin";

/** Whether a caller may perform an operation on a table, by the name of the table in the catalog. */
export type Grants = (table: string, operation: Operation) => boolean;

/** The entry of `access` for all tables without their own entry. */
export const OTHERS = "*";

/**
 * The operations that a mapping allows: a table's own entries decide, else `*`; without
 * `access` everything. A table with several entries has the operations that all of them allow,
 * and an ambiguous name allows nothing.
 */
export function grantsOf({ access }: DatabaseMapping, tablesNamed: TableLookup): Grants {
  if (!access) return () => true;
  const own = new Map<string, ReadonlySet<Operation>>();
  for (const [name, operations] of namedIn(access)) {
    const tables = tablesNamed(name);
    const allowed = tables.length === 1 ? operations : new Set<Operation>();
    for (const table of tables) own.set(table, own.get(table)?.intersection(allowed) ?? allowed);
  }
  const others = access.get(OTHERS);
  return (table, operation) => (own.get(table) ?? others)?.has(operation) ?? false;
}

/** The unknown and ambiguous names in `access`. */
export function complaintsAboutAccess(
  { access }: DatabaseMapping,
  tablesNamed: TableLookup,
): readonly NameComplaint[] {
  return namedIn(access ?? new Map()).flatMap(([name]) => {
    const message = complaintAbout("table", name, tablesNamed(name).length);
    return message === undefined ? [] : [{ key: `access.${name}`, message }];
  });
}

function namedIn(access: NonNullable<DatabaseMapping["access"]>) {
  return [...access].filter(([name]) => name !== OTHERS);
}

/** Equal for two mappings that allow the same, so that they share one caller view. */
export function accessSignature(mapping: DatabaseMapping): string {
  if (!mapping.access) return "";
  const entries = [...mapping.access].map(([table, operations]) =>
    [table, [...operations].toSorted()] as const
  );
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
