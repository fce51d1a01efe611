/**
 * The members of a database's definition, and the reader of databases.cfg.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import type { DatabaseDefinition, ForeignKey, Json, PoolSettings } from "@/core/model.ts";
import { type Block, block, integer, seconds } from "@/plugins/kit/members.ts";
import { complain, inside, type Loading, type Place } from "./configuration.ts";
import {
  FILLED,
  FLAG,
  listOf,
  mapOf,
  type Member,
  type MemberTable,
  type MemberType,
  named,
  NAMES,
  objectOf,
  orNull,
  plain,
  readByTable,
  rightsMembers,
  SOME_NAMES,
  TEXT,
} from "./definition_members.ts";
import { readEntries } from "./entries.ts";

const PORT = plain(integer(1, 65535), { type: "integer", minimum: 1, maximum: 65535 });
const POSITIVE = plain(integer(1), { type: "integer", minimum: 1 });
const SECONDS = plain(seconds, { type: "number", exclusiveMinimum: 0 });

const LOGIN = objectOf<DatabaseDefinition["autoloadUser"]>({
  dbuser: { type: TEXT, initial: "" },
  dbpass: { type: TEXT, initial: "", secret: true },
});
const POOL = objectOf<PoolSettings>({
  max: { type: POSITIVE, initial: 10 },
  idleTimeout: { type: SECONDS, initial: 30 },
  acquireTimeout: { type: SECONDS, initial: 5 },
  statementTimeout: { type: SECONDS, initial: 30 },
});
const REPLICA = objectOf<DatabaseDefinition["replicas"][number]>({
  dbHost: { type: FILLED, initial: "", required: true },
  dbPort: { type: { ...PORT, schema: orNull(PORT.schema) } },
  maxLag: { type: { ...SECONDS, schema: orNull(SECONDS.schema) } },
});
const KEY = objectOf<ForeignKey>({
  columns: { type: SOME_NAMES, initial: [], required: true },
  table: { type: FILLED, initial: "", required: true },
  references: { type: SOME_NAMES, initial: [], required: true },
});
const FOREIGN_KEY: MemberType<ForeignKey> = { ...KEY, read: foreignKey };
const SCHEMAS: MemberType<readonly string[]> = {
  ...NAMES,
  read: (value, place) => {
    if (Array.isArray(value)) return NAMES.read(value, place);
    const name = FILLED.read(value, place);
    return name === undefined ? undefined : [name];
  },
  schema: { anyOf: [FILLED.schema, NAMES.schema, { type: "null" }] },
};

/** Members of `ssl` that are no secret; everything else in it may be a key or its password. */
const SHOWN_OF_SSL: ReadonlySet<string> = new Set([
  "rejectUnauthorized",
  "verifyIdentity",
  "verify",
  "strict",
  "server_name",
  "minVersion",
  "maxVersion",
  "ciphers",
]);
const SSL: MemberType<unknown> = {
  // Switches of the environment are texts, and no engine has a mode of these names.
  read: (value) => value === "true" || value === "false" ? value === "true" : value,
  schema: {},
  show: showSsl,
  isSecret: ([member = ""]) => !SHOWN_OF_SSL.has(member),
};

/** Anybody who may see the definition sees them: a dialect declares no secret ones. */
const OPTIONS: MemberType<DatabaseDefinition["options"]> = {
  read: block,
  schema: { type: "object", additionalProperties: true },
  // Values of YAML without aliases are JSON.
  show: (options) => options as Json,
};

const CONNECTION = "connection, see the page of the engine";
const POOLS = "[connections](operations.md#connections-to-databases) and the page of the engine";
const EXCLUSIONS = "columns by table, tables (with `*`); they are never read, written or listed";
const RIGHTS = "users who may see, change, connect the [definition](#rights)";

/** The members of databases.cfg, in the order of answers. */
export const DATABASE_MEMBERS = named<MemberTable<Omit<DatabaseDefinition, "id">>>({
  dbType: {
    type: FILLED,
    initial: "",
    required: true,
    leads: true,
    description: "sqlite, postgresql, mysql, mssql or the name of a plugin.",
    doc: "`sqlite`, `postgresql`, `mysql`, `mssql` or the name of a plugin",
  },
  description: { wire: "desc", type: TEXT, initial: "", keepsConnection: true, doc: "a description" },
  dbName: {
    type: FILLED,
    initial: "",
    required: true,
    leads: true,
    description: "The file for SQLite, the database's name otherwise.",
    doc: "name of the database, or file of SQLite relative to the configuration directory",
  },
  dbHost: { type: FILLED, leads: true, doc: CONNECTION },
  dbPort: { type: PORT, leads: true, doc: CONNECTION },
  dbSchema: { type: SCHEMAS, initial: [], doc: "one schema or a list" },
  dbEncoding: { type: FILLED, doc: "without effect: connections use Unicode" },
  ssl: { type: SSL, leads: true, description: "Keys in it are never shown.", doc: CONNECTION },
  autoconnect: { type: FLAG, initial: true, doc: "connects at start (default); else `/load-model` does" },
  autoloadUser: {
    type: LOGIN,
    initial: LOGIN.empty,
    description: "The login that reads the catalog.",
    doc: "login that reads the catalog",
  },
  alternateKey: {
    type: mapOf(SOME_NAMES),
    initial: new Map(),
    doc: "primary key of a view or table without one, unique by its data: `{ StockView: [id] }`",
  },
  foreignKeys: {
    type: mapOf(listOf(FOREIGN_KEY)),
    initial: new Map(),
    doc: "further relations: `{ StockView: [{ columns: [item_id], table: Item, references: [id] }] }`",
  },
  labels: {
    type: mapOf(SOME_NAMES),
    initial: new Map(),
    doc: "columns that tell people which record it is: `{ Customer: [FirstName, LastName] }`",
  },
  excludedColumns: { type: mapOf(NAMES), initial: new Map(), restricts: true, doc: EXCLUSIONS },
  excludedTables: { type: NAMES, initial: [], restricts: true, doc: EXCLUSIONS },
  limit: {
    type: POSITIVE,
    keepsConnection: true,
    doc: "rows of a list without the parameter `limit`; absent: `db.<db_id>.limit` of service.ini, if any",
  },
  replicas: { type: listOf(REPLICA), initial: [], leads: true, doc: POOLS },
  sticky: {
    type: SECONDS,
    description: "Seconds after a write in which its caller reads the primary instead of replicas.",
    doc: POOLS,
  },
  options: {
    type: OPTIONS,
    initial: {},
    leads: true,
    description: "Options of the dialect.",
    doc: "options that the dialect declares, see [settings](settings.md)",
  },
  prepare: { type: FLAG, initial: true, description: "Whether statements may be prepared.", doc: CONNECTION },
  pool: { type: POOL, initial: POOL.empty, doc: POOLS },
  ...rightsMembers("Users who may connect and disconnect it.", RIGHTS),
});

/** Every database by its id. A limit in databases.cfg takes precedence over service.ini. */
export function readDatabases(
  file: string,
  loading: Loading,
  limits: ReadonlyMap<string, number>,
): ReadonlyMap<string, DatabaseDefinition> {
  return readEntries(file, loading, {
    idMembers: ["db_id"],
    read: (id, members, place) => {
      const limit = limits.get(id);
      return { ...(limit === undefined ? {} : { limit }), ...readDatabase(id, members, place) };
    },
  });
}

/** One database. */
export function readDatabase(id: string, members: Block, place: Place): DatabaseDefinition {
  return { id, ...readByTable(members, place, DATABASE_MEMBERS) };
}

/** Whether a connection made for one definition serves the other. */
export function haveSameConnection(a: DatabaseDefinition, b: DatabaseDefinition): boolean {
  return areEqual(a, b, (member) => !member.keepsConnection);
}

/** Whether two definitions lead to the same database by the same route. */
export function haveSameTarget(a: DatabaseDefinition | undefined, b: DatabaseDefinition): boolean {
  return areEqual(a, b, (member) => member.leads === true);
}

function areEqual(
  a: DatabaseDefinition | undefined,
  b: DatabaseDefinition,
  counts: (member: Member) => boolean,
): boolean {
  const [first, second]: readonly Readonly<Record<string, unknown>>[] = [{ ...a }, { ...b }];
  return Object.entries<Member>(DATABASE_MEMBERS).every(([key, member]) =>
    !counts(member) || isDeepStrictEqual(first?.[key], second?.[key])
  );
}

/** A complete foreign key; undefined for one with a mistake. */
function foreignKey(value: unknown, place: Place): ForeignKey | undefined {
  const key = KEY.read(value, place);
  if (!key || key.table === "" || key.columns.length === 0 || key.references.length === 0) return undefined;
  if (key.columns.length === key.references.length) return key;
  return complain(
    inside(place, "references"),
    `Expected as many columns as "columns" has, ${key.columns.length}, found ${key.references.length}`,
  );
}

/** Shows only members that are known not to be secret. */
function showSsl(ssl: unknown): Json {
  if (typeof ssl === "boolean" || (typeof ssl === "string" && /^[a-z-]{1,20}$/.test(ssl))) return ssl;
  if (typeof ssl !== "object" || ssl === null) return null;
  const shown = Object.entries(ssl).filter(([name, value]) =>
    SHOWN_OF_SSL.has(name) && (typeof value === "string" || typeof value === "boolean")
  );
  return Object.fromEntries<Json>(shown);
}

/** The texts of a definition that no message may contain. */
export function secretsOf({ autoloadUser, ssl }: DatabaseDefinition): readonly string[] {
  return [autoloadUser.dbpass, ...textsOfSsl(ssl)];
}

/** Short texts outside a mapping are modes, such as `require`. */
function textsOfSsl(ssl: unknown): readonly string[] {
  if (typeof ssl === "string") return ssl.length > 20 ? [ssl] : [];
  if (typeof ssl !== "object" || ssl === null) return [];
  return Object.values(ssl).flatMap((item) => typeof item === "string" ? [item] : textsOfSsl(item));
}
