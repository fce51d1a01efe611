/**
 * Who may do what: the one place that decides. Pure.
 *
 * @module
 */

import { complaintAbout, type NameComplaint, type TableLookup } from "@/core/schema/definition_names.ts";
import type { DatabaseMapping, Operation, User } from "@/core/model.ts";
import type { AuthSession } from "@/plugins/contract.ts";

/** Who is asking. */
export interface Caller {
  readonly user: User;
  /** True when the request carries no credentials: the user is `public`. */
  readonly anonymous: boolean;
  /** The session whose cookie says who it is; absent where the request itself carries the credentials, or none. */
  readonly session?: AuthSession;
  /** The request came with the cookie of a session that is over; it is one without credentials. */
  readonly sessionEnded?: true;
}

/** What the caller is told then. */
export const SESSION_ENDED = "Your session has ended: log in again";

/** The identity of requests without credentials. */
export const PUBLIC = "public";

/** The user who administers everything. */
export const ADMIN = "admin";

/** Whether a caller may do something with a table, by the name that the catalog has for it. */
export type Grants = (table: string, operation: Operation) => boolean;

/** The entry of `access` for every table without one of its own. */
const OTHERS = "*";

/**
 * What a mapping allows: a table's own entries decide, else `*`; without `access` everything. A table with several entries
 * has what all of them allow, and an ambiguous name allows nothing.
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

/** The names in `access` that do not mean one table. */
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

/** The same text for two mappings that allow the same, so that what is built for one serves the other. */
export function accessSignature(mapping: DatabaseMapping): string {
  if (!mapping.access) return "";
  const entries = [...mapping.access].map(([table, operations]) =>
    [table, [...operations].toSorted()] as const
  );
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
