/**
 * The refusals of changes of definitions. Users can neither grant rights that they lack, nor reach
 * data that they may not read. Pure.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import {
  type Configuration,
  DEFINITION_FILES,
  type DefinitionKind,
  haveSameTarget,
  type Members,
} from "@/config/mod.ts";
import { unknownName } from "@/core/base/nearest.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import { forbidden, quote, ServiceError } from "@/core/errors.ts";
import { isWithin, type KnownTables, mayGrant } from "@/core/identity/definition_rights.ts";
import { ADMIN, PUBLIC } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, QueryDefinition, User } from "@/core/model.ts";
import type { Service } from "@/core/service.ts";
import type { AuthSession } from "@/plugins/contract.ts";
import { findDefinition } from "./documents.ts";

/** The context of a change. */
export interface ChangeInput {
  readonly kind: DefinitionKind;
  readonly actor: User;
  readonly service: Service;
  readonly session: AuthSession | undefined;
}

/** The members that a request sends for one definition. */
export interface Sent {
  readonly id: string;
  readonly members: Members;
}

/** Reasons why the actor may not make this change. */
export function refusalsOf(
  { kind, actor, service }: ChangeInput,
  { id, members }: Sent,
  current: Configuration,
  next: Configuration,
): readonly string[] {
  const changed = findDefinition(kind, id, next);
  switch (changed?.kind) {
    case undefined:
      return [];
    case "userdef":
      return refuseUser(actor, {
        before: current.users.get(id),
        after: changed.definition,
        current,
        tablesOf: (database) => service.databases.get(database)?.tables,
      });
    case "dbdef": {
      const login = members["autoload_user"];
      return refuseDatabase(actor, {
        before: current.databases.get(id),
        after: changed.definition,
        current,
        sendsPassword: typeof login === "object" && login !== null && "dbpass" in login,
        hasLogins: service.dialects.loaded(changed.definition.dbType)?.hasLogins === true,
      });
    }
    case "querydef":
      return refuseQuery(actor, { before: current.queries.get(id), after: changed.definition }, service);
    default:
      return changed satisfies never;
  }
}

/** The reasons whose condition is true. */
function reasonsOf(...reasons: readonly (readonly [boolean, string])[]): readonly string[] {
  return reasons.flatMap(([applies, reason]) => applies ? [reason] : []);
}

/** A change of one account; `before` is absent for a new one. */
interface AccountChange {
  readonly before: User | undefined;
  readonly after: User;
  readonly current: Configuration;
  /** The tables of a database; undefined while it is disconnected. */
  tablesOf(database: string): KnownTables | undefined;
}

function refuseUser(actor: User, change: AccountChange): readonly string[] {
  const { before, after, current } = change;
  const { login } = after;
  if (login === ADMIN && !after.enabled) {
    return ['"admin" cannot be disabled: nobody could administer the service any more'];
  }
  if (login === ADMIN && hasCredentials(before) && !hasCredentials(after)) {
    return ['"admin" needs a password or an API key: nobody could administer the service any more'];
  }
  if (actor.login === ADMIN) return [];
  const isReserved = login === ADMIN || login === PUBLIC;
  return [
    ...wordsBeyond(actor, before, after),
    ...mappingsBeyond(actor, change),
    ...reasonsOf(
      // Like creating `public`: requests then need no credentials any more.
      [login === PUBLIC && after.enabled && before?.enabled === false, 'only admin can enable "public"'],
      [!before && isReserved, `only admin can create ${quote(login)}`],
      [
        !before && !isReserved && isNamed(login, current),
        `${quote(login)} is named in rights that are there already: only admin can create it`,
      ],
    ),
  ];
}

function hasCredentials(user: User | undefined): boolean {
  return user?.password !== undefined || user?.apikeyHash !== undefined;
}

function wordsBeyond(actor: User, before: User | undefined, after: User): readonly string[] {
  return (["dbdef", "querydef", "userdef"] as const).flatMap((kind) =>
    after[kind].filter((word) => !before?.[kind].includes(word) && !actor[kind].includes(word))
      .map((word) => `you do not have the right ${quote(word)} in "${kind}" yourself`)
  );
}

function mappingsBeyond(actor: User, { before, after, tablesOf }: AccountChange): readonly string[] {
  return [...after.databases].flatMap(([id, mapping]) => {
    const tables = tablesOf(id);
    const bounds = [before?.databases.get(id), actor.databases.get(id)];
    if (bounds.some((bound) => bound && isWithin(mapping, bound, tables))) return [];
    // Without a mapping, it would tell whether there is such a database.
    const isUnsure = !tables && bounds.some(Boolean);
    const hint = isUnsure ? " (while it is disconnected, only equal access can be handed on)" : "";
    return [`you do not have this login for database ${quote(id)} with this access yourself${hint}`];
  });
}

/** Lists may still contain the login of a removed account; its next owner would get the rights in them. */
function isNamed(login: string, { users, databases, queries }: Configuration): boolean {
  const inDefinition = ({ creator, read, write, execute }: DatabaseDefinition | QueryDefinition) =>
    creator === login || [read, write, execute].some((list) => list.includes(login));
  return [...users.values()].some(({ view, edit }) => view.includes(login) || edit.includes(login)) ||
    [...databases.values()].some(inDefinition) || [...queries.values()].some(inDefinition);
}

/** A change of one database's definition; `before` is absent for a new one. */
interface DatabaseChange {
  readonly before: DatabaseDefinition | undefined;
  readonly after: DatabaseDefinition;
  readonly current: Configuration;
  /** The request contains the password of `autoload_user`. */
  readonly sendsPassword: boolean;
  /** The engine has its own users. */
  readonly hasLogins: boolean;
}

/** Its address decides which server gets the passwords of logins, and which data all mapped users read. */
function refuseDatabase(actor: User, change: DatabaseChange): readonly string[] {
  const { before, after } = change;
  if (actor.login === ADMIN) return [];
  return [
    ...refuseToGiveAway(actor, "dbdef", before, after),
    ...(before ? refuseToWiden(before, after) : []),
    ...(haveSameTarget(before, after) ? [] : refuseToMove(change)),
  ];
}

/** Whoever changes the SQL of a query may let others run it. */
const BOUNDED = { dbdef: ["read", "write", "execute"], querydef: ["read", "write"] } as const;

function refuseToGiveAway(
  actor: User,
  kind: "dbdef" | "querydef",
  before: DatabaseDefinition | QueryDefinition | undefined,
  after: DatabaseDefinition | QueryDefinition,
): readonly string[] {
  const isGivenAway = after.creator !== (before?.creator ?? actor.login);
  const beyond = BOUNDED[kind].filter((list) =>
    after[list].some((login) => !before?.[list].includes(login)) &&
    !mayGrant(actor, list, { kind, definition: before ?? after })
  );
  return [
    ...reasonsOf([isGivenAway, "only admin changes the creator"]),
    ...beyond.map((list) => `you do not have every right yourself that "${list}" gives`),
  ];
}

/** Reasons why another user than admin may not lead a database to another place. */
export function refuseToMove(
  { before, after, current, sendsPassword, hasLogins }: DatabaseChange,
): readonly string[] {
  const isOtherFile = !hasLogins && (before?.dbName !== after.dbName || before.dbType !== after.dbType);
  const isHeldUp = [...current.users.values()].some(({ databases }) => databases.has(after.id));
  return reasonsOf(
    [
      after.autoloadUser.dbpass !== "" && !sendsPassword,
      "the database is another one: send autoload_user with its password, too",
    ],
    [isHeldUp, "accounts are mapped to this database: only admin can lead them to another one"],
    [isOtherFile, 'only admin sets "db_name" of a database that is a file'],
  );
}

/** Another schema brings other tables, and other names for those in `access`. */
function refuseToWiden(before: DatabaseDefinition, after: DatabaseDefinition): readonly string[] {
  const keepsColumns = [...before.excludedColumns].every(([table, columns]) => {
    return columns.every((column) => after.excludedColumns.get(table)?.includes(column));
  });
  const keepsTables = before.excludedTables.every((pattern) => after.excludedTables.includes(pattern));
  return reasonsOf(
    [!isDeepStrictEqual(before.dbSchema, after.dbSchema), 'only admin changes "db_schema"'],
    [!keepsColumns, 'only admin takes something out of "excluded_columns"'],
    [!keepsTables, 'only admin takes something out of "excluded_tables"'],
  );
}

/**
 * Reasons why an actor may not change a saved query this way: it runs with all rights of a database login.
 */
export function refuseQuery(
  actor: User,
  { before, after }: { readonly before: QueryDefinition | undefined; readonly after: QueryDefinition },
  service: Pick<Service, "databases">,
): readonly string[] {
  if (actor.login === ADMIN) return [];
  const databases = new Set([after.database, ...(before ? [before.database] : [])]);
  const refused = [...databases].filter((id) => {
    const managed = service.databases.get(id);
    const mapping = managed ? mappingOf(actor, managed) : actor.databases.get(id);
    return !mapping || mapping.access !== undefined;
  });
  return [
    ...refuseToGiveAway(actor, "querydef", before, after),
    ...refused.map((id) => `a query for database ${quote(id)} needs a login for it without "access"`),
  ];
}

/** 403; the message does not reveal whether the definition exists. */
export function notPermitted(actor: User, what: string, kind: DefinitionKind, id?: string): ServiceError {
  const target = id === undefined ? `/${kind}` : `/${kind}/${id}`;
  return forbidden(`User ${quote(actor.login)} may not ${what} ${quote(target)}`);
}

/** 403 for a definition that the actor may not delete; `admin` may delete all but itself. */
export function notToBeDeleted(actor: User, kind: DefinitionKind, id: string): ServiceError {
  return actor.login === ADMIN
    ? notToBeGranted(actor, ['"admin" cannot be deleted: nobody could administer the service any more'])
    : notPermitted(actor, "delete", kind, id);
}

/** 403 with all rights that the actor would grant without having them. No other login helps `admin`. */
export function notToBeGranted(actor: User, refusals: readonly string[]): ServiceError {
  const errors = refusals.map((refusal) => `User ${quote(actor.login)} may not do this: ${refusal}`);
  const [first = ""] = errors;
  return new ServiceError("forbidden", actor.login === ADMIN ? first : forbidden(first).message, { errors });
}

/** 409 for an id that is taken. */
export function alreadyThere(kind: DefinitionKind, id: string): ServiceError {
  const sentence = "it is there already";
  return new ServiceError("conflict", `Cannot create ${quote(`/${kind}/${id}`)}: ${sentence}`, {
    complaints: [{ record: 0, column: DEFINITION_FILES[kind].idMember, sentence }],
  });
}

/** 404 for callers who may know that the definition does not exist; `ids`: those that they may see. */
export function definitionNotFound(
  kind: DefinitionKind,
  id: string,
  ids: Iterable<string> = [],
): ServiceError {
  return unknownName(`Cannot find ${quote(`/${kind}/${id}`)}`, id, ids);
}
