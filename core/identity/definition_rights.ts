/**
 * Decides every action on the configuration. Pure. Rights on data are in permissions.ts.
 *
 * @module
 */

import type { DatabaseDefinition, DatabaseMapping, QueryDefinition, User } from "@/core/model.ts";
import type { TableLookup } from "@/core/schema/definition_names.ts";
import { accessSignature, ADMIN, grantsOf, OTHERS, PUBLIC } from "./permissions.ts";

/**
 * The rights in `dbdef`, `userdef` and `querydef` of users.cfg; "execute" is for databases and saved queries.
 */
type ConfigurationAction = "view" | "create" | "edit" | "delete" | "execute";

/**
 * The object of an action. Without a definition it stands for all definitions
 * of the kind, present and future.
 */
export type ConfigurationResource =
  | { readonly kind: "dbdef"; readonly definition?: DatabaseDefinition | undefined }
  | { readonly kind: "querydef"; readonly definition?: QueryDefinition | undefined }
  | {
    readonly kind: "userdef";
    readonly definition?: User | undefined;
    /** One member of the account; absent: all members. */
    readonly member?: string | undefined;
  }
  | { readonly kind: "licence" }
  | { readonly kind: "requests" };

/** Members of their own account that users without rights see. */
export const OWN_VIEW: readonly string[] = ["user_id", "login", "name", "email"];
/** Members of their own account that users without rights may change. */
const OWN_EDIT: readonly string[] = ["name", "email", "password", "apikey"];

/**
 * Whether a user may perform an action on a part of the configuration. `admin` may do everything except
 * remove itself; a right (`dbdef: [create, view]`) covers all definitions of a kind; the lists of a
 * definition grant actions on that one; `public` cannot change its own account.
 */
export function mayDo(actor: User, action: ConfigurationAction, resource: ConfigurationResource): boolean {
  if (resource.kind === "userdef") return mayDoToUser(actor, action, resource);
  if (actor.login === ADMIN) return true;
  if (resource.kind === "licence" || resource.kind === "requests") return false;
  if (actor[resource.kind].includes(action)) return true;
  return resource.definition !== undefined && mayDoToDefinition(actor, action, resource.definition);
}

type Definition = DatabaseDefinition | QueryDefinition;

/** The lists of a definition that grant an action. */
const LISTS: { readonly [Action in ConfigurationAction]: readonly ("read" | "write" | "execute")[] } = {
  view: ["read", "write"],
  create: [],
  edit: ["write"],
  delete: ["write"],
  execute: ["execute"],
};

function mayDoToDefinition({ login }: User, action: ConfigurationAction, definition: Definition): boolean {
  if (action === "create") return false;
  return definition.creator === login || LISTS[action].some((list) => definition[list].includes(login));
}

/** Whether a user may do everything with a definition that one of its lists grants. */
export function mayGrant(
  actor: User,
  list: "read" | "write" | "execute",
  { kind, definition }: { readonly kind: "dbdef" | "querydef"; readonly definition: Definition },
): boolean {
  return (["view", "edit", "delete", "execute"] as const).every((action) =>
    !LISTS[action].includes(list) || actor[kind].includes(action) ||
    mayDoToDefinition(actor, action, definition)
  );
}

function mayDoToUser(
  actor: User,
  action: ConfigurationAction,
  { definition: user, member }: Extract<ConfigurationResource, { kind: "userdef" }>,
): boolean {
  const changes = action !== "view";
  if (user?.login === ADMIN && action === "delete") return false;
  if (actor.login === ADMIN) return action !== "execute";
  const isPublicItself = actor.login === PUBLIC && user?.login === PUBLIC;
  if (changes && (user?.login === ADMIN || isPublicItself)) return false;
  // No right covers changing all accounts: setting the password of a user with more
  // rights would grant these rights.
  if ((action === "view" || action === "create") && actor.userdef.includes(action)) return true;
  if (user === undefined) return false;
  return isListed(actor, action, user) || isOwn(actor, action, { user, member });
}

function isListed({ login }: User, action: ConfigurationAction, { view, edit }: User): boolean {
  if (action === "view") return view.includes(login) || edit.includes(login);
  return (action === "edit" || action === "delete") && edit.includes(login);
}

function isOwn(
  actor: User,
  action: ConfigurationAction,
  { user, member }: { readonly user: User; readonly member: string | undefined },
): boolean {
  if (actor.login !== user.login || actor.login === PUBLIC || member === undefined) return false;
  if (action === "view") return OWN_VIEW.includes(member);
  return action === "edit" && OWN_EDIT.includes(member);
}

/** Whether a user may change a definition, or some members of it. */
export function mayEdit(actor: User, resource: ConfigurationResource): boolean {
  const mayEditOwn = resource.kind === "userdef" &&
    OWN_EDIT.some((member) => mayDo(actor, "edit", { ...resource, member }));
  return mayEditOwn || mayDo(actor, "edit", resource);
}

/**
 * Whether a mapping has the same database login as another one and allows nothing more, both by the
 * names in `access` and on every table of the database. Without `tables` (the database is
 * disconnected) the access must be equal.
 */
export function isWithin(mapping: DatabaseMapping, bound: DatabaseMapping, tables?: KnownTables): boolean {
  if (mapping.dbuser !== bound.dbuser || mapping.dbpass !== bound.dbpass) return false;
  if (bound.access === undefined) return true;
  if (mapping.access === undefined) return false;
  if (accessSignature(mapping) === accessSignature(bound)) return true;
  return tables !== undefined && isNamedWithin(mapping.access, bound.access) &&
    isGrantedWithin(mapping, bound, tables);
}

/** The tables of a connected database. */
export interface KnownTables {
  readonly names: readonly string[];
  readonly named: TableLookup;
}

type Access = NonNullable<DatabaseMapping["access"]>;

/** Includes the names of tables that do not exist yet. */
function isNamedWithin(access: Access, bound: Access): boolean {
  const operations = (from: Access, table: string) => from.get(table) ?? from.get(OTHERS) ?? new Set();
  return [...access.keys(), ...bound.keys()].every((table) =>
    operations(access, table).isSubsetOf(operations(bound, table))
  );
}

/** All operations on records. */
export const OPERATIONS = ["read", "create", "update", "delete"] as const;

function isGrantedWithin(mapping: DatabaseMapping, bound: DatabaseMapping, tables: KnownTables): boolean {
  const [may, mayBound] = [grantsOf(mapping, tables.named), grantsOf(bound, tables.named)];
  return tables.names.every((table) =>
    OPERATIONS.every((operation) => !may(table, operation) || mayBound(table, operation))
  );
}
