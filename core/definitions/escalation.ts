/**
 * Limits what a user may write into a definition: users can neither grant rights that they lack, nor reach data that they
 * may not read. Pure.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { haveSameTarget } from "@/config/mod.ts";
import type { DatabaseDefinition, QueryDefinition, User } from "@/core/model.ts";
import { quote } from "@/core/errors.ts";
import { ADMIN, PUBLIC } from "@/core/identity/permissions.ts";
import { isWithin, type KnownTables } from "@/core/identity/definition_rights.ts";

/** The tables of a database; undefined while it is disconnected. */
export type TablesOf = (database: string) => KnownTables | undefined;

/** The relevant part of the configuration. */
export interface Definitions {
  readonly users: ReadonlyMap<string, User>;
  readonly databases: ReadonlyMap<string, DatabaseDefinition>;
  readonly queries: ReadonlyMap<string, QueryDefinition>;
}

/** Reasons why an actor may not change an account this way; empty if it may. `before` is absent for a new account. */
export function refuseUser(
  actor: User,
  { before, after, current, tablesOf }: {
    readonly before: User | undefined;
    readonly after: User;
    readonly current: Definitions;
    readonly tablesOf: TablesOf;
  },
): readonly string[] {
  if (after.login === ADMIN && !after.enabled) return [ADMIN_STAYS];
  if (actor.login === ADMIN) return [];
  const refusals = [
    ...wordsBeyond(actor, before, after),
    ...mappingsBeyond(actor, { before, after, tablesOf }),
  ];
  if (before) return opensAccess(before, after) ? [...refusals, ONLY_ADMIN_OPENS] : refusals;
  if (after.login === ADMIN || after.login === PUBLIC) {
    return [...refusals, `only admin can create ${quote(after.login)}`];
  }
  return isNamed(after.login, current)
    ? [
      ...refusals,
      `${quote(after.login)} is named in rights that are there already: only admin can create it`,
    ]
    : refusals;
}

/** Like creating `public`: requests then need no credentials any more. */
function opensAccess(before: User, after: User): boolean {
  return after.login === PUBLIC && after.enabled && !before.enabled;
}

const ONLY_ADMIN_OPENS = 'only admin can enable "public"';
const ADMIN_STAYS = '"admin" cannot be disabled: nobody could administer the service any more';
const ONLY_ADMIN_GIVES_AWAY = "only admin changes the creator";
const WORDS = ["dbdef", "querydef", "userdef"] as const;

function wordsBeyond(actor: User, before: User | undefined, after: User): readonly string[] {
  return WORDS.flatMap((kind) =>
    after[kind].filter((word) => !before?.[kind].includes(word) && !actor[kind].includes(word))
      .map((word) => `you do not have the right ${quote(word)} in "${kind}" yourself`)
  );
}

function mappingsBeyond(
  actor: User,
  { before, after, tablesOf }: {
    readonly before: User | undefined;
    readonly after: User;
    readonly tablesOf: TablesOf;
  },
): readonly string[] {
  return [...after.databases].flatMap(([id, mapping]) => {
    const bounds = [before?.databases.get(id), actor.databases.get(id)].filter((bound) =>
      bound !== undefined
    );
    const tables = tablesOf(id);
    if (bounds.some((bound) => isWithin(mapping, bound, tables))) return [];
    const hint = tables ? "" : " (while it is disconnected, only equal access can be handed on)";
    return [`you do not have this login for database ${quote(id)} with this access yourself${hint}`];
  });
}

/** Lists may still contain the login of a removed account; its next owner would get the rights in them. */
function isNamed(login: string, { users, databases, queries }: Definitions): boolean {
  const inDefinition = ({ creator, read, write, execute }: DatabaseDefinition | QueryDefinition) =>
    creator === login || [read, write, execute].some((list) => list.includes(login));
  return [...users.values()].some(({ view, edit }) => view.includes(login) || edit.includes(login)) ||
    [...databases.values()].some(inDefinition) || [...queries.values()].some(inDefinition);
}

/** A change of one database's definition. */
export interface DatabaseChange {
  /** Absent: a new definition. */
  readonly before: DatabaseDefinition | undefined;
  readonly after: DatabaseDefinition;
  readonly current: Definitions;
  /** The request contains the password of `autoload_user`. */
  readonly sendsPassword: boolean;
  /** The engine has its own users. */
  readonly hasLogins: boolean;
}

/**
 * Reasons why an actor may not change a database definition this way. Its address decides which server gets the passwords
 * of logins, and which data all mapped users read.
 */
export function refuseDatabase(actor: User, change: DatabaseChange): readonly string[] {
  const { before, after } = change;
  if (actor.login === ADMIN) return [];
  return [
    ...(after.creator === (before?.creator ?? actor.login) ? [] : [ONLY_ADMIN_GIVES_AWAY]),
    ...(before ? refuseToWiden(before, after) : []),
    ...(haveSameTarget(before, after) ? [] : refuseToMove(change)),
  ];
}

function refuseToMove(
  { before, after, current, sendsPassword, hasLogins }: DatabaseChange,
): readonly string[] {
  const isOtherFile = !hasLogins && (before?.dbName !== after.dbName || before.dbType !== after.dbType);
  const isHeldUp = [...current.users.values()].some(({ databases }) => databases.has(after.id));
  return [
    ...(after.autoloadUser.dbpass === "" || sendsPassword
      ? []
      : ["the database is another one: send autoload_user with its password, too"]),
    ...(isHeldUp ? ["accounts are mapped to this database: only admin can lead them to another one"] : []),
    ...(isOtherFile ? ['only admin sets "db_name" of a database that is a file'] : []),
  ];
}

/** Another schema brings other tables, and other names for those in `access`. */
function refuseToWiden(before: DatabaseDefinition, after: DatabaseDefinition): readonly string[] {
  const keepsColumns = [...before.excludedColumns].every(([table, columns]) => {
    return columns.every((column) => after.excludedColumns.get(table)?.includes(column));
  });
  const keepsTables = before.excludedTables.every((pattern) => after.excludedTables.includes(pattern));
  return [
    ...(isDeepStrictEqual(before.dbSchema, after.dbSchema) ? [] : ['only admin changes "db_schema"']),
    ...(keepsColumns ? [] : ['only admin takes something out of "excluded_columns"']),
    ...(keepsTables ? [] : ['only admin takes something out of "excluded_tables"']),
  ];
}

/** Reasons why an actor may not change a saved query this way: it runs with all rights of a database login. */
export function refuseQuery(
  actor: User,
  { before, after }: { readonly before: QueryDefinition | undefined; readonly after: QueryDefinition },
): readonly string[] {
  if (actor.login === ADMIN) return [];
  const refusals = after.creator === (before?.creator ?? actor.login) ? [] : [ONLY_ADMIN_GIVES_AWAY];
  for (const id of new Set([after.database, ...(before ? [before.database] : [])])) {
    const mapping = actor.databases.get(id);
    if (mapping && mapping.access === undefined) continue;
    refusals.push(`a query for database ${quote(id)} needs a login for it without "access"`);
  }
  return refusals;
}
