/**
 * The connections of databases: their state, and orders to connect and disconnect them.
 *
 * @module
 */

import { type Configuration, ConfigurationError, FileFailure } from "@/config/mod.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { objectSchema, TEXT } from "@/core/documents/document_schemas.ts";
import {
  anyColumn,
  cellOf,
  describe,
  type Described,
  describeMembers,
  keyColumn,
  textColumn,
} from "@/core/documents/documents.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import type { Document, Json, JsonObject, User } from "@/core/model.ts";
import type { NameComplaint } from "@/core/schema/definition_names.ts";
import type { ConnectionOrder, Service } from "@/core/service.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { showDefinition } from "./documents.ts";
import { complaintsAboutAccount, complaintsAboutQuery } from "./name_complaints.ts";
import { scrub } from "./scrub.ts";

/** Milliseconds that an answer waits for a connection; then it reports that connecting continues. */
const PATIENCE = 10_000;

/**
 * Whether a user may see the state of a database's connection: users who have a mapping to it,
 * see its definition or connect it.
 */
export function mayKnow(user: User, { definition }: ManagedDatabase): boolean {
  const resource = { kind: "dbdef", definition } as const;
  return user.databases.has(definition.id) || mayDo(user, "view", resource) ||
    mayDo(user, "execute", resource);
}

/** The state of all databases that are visible to the user. */
export function statesDocument(user: User, service: Service): Described {
  const known = [...service.databases.values()].filter((managed) => mayKnow(user, managed));
  const columns = [
    keyColumn("db_id"),
    textColumn("model"),
    textColumn("state"),
    anyColumn("reason"),
    anyColumn("complaints"),
  ];
  const states = known.map((managed) => ({
    db_id: managed.definition.id,
    ...stateOf(user, managed, service),
  }));
  return describe({ name: "database", schema: STATES, columns }, {
    tree: Object.fromEntries<Json>(states.map(({ db_id, ...state }) => [db_id, state])),
    rows: states.map(({ db_id, model, state, reason, complaints }) => {
      return [db_id, model, state, reason, cellOf(complaints)];
    }),
  });
}

/** The state of one database, with the tables that are visible to the user. */
export function stateDocument(user: User, managed: ManagedDatabase, service: Service): Described {
  const names = tablesOf(user, managed);
  const tables = names.map((name) => ({ table_name: name }));
  return describe({ name: "table", schema: STATE_OF_ONE, columns: [keyColumn("table_name")] }, {
    tree: { ...stateOf(user, managed, service), tables },
    rows: names.map((name) => [name]),
  });
}

const STATE = {
  required: ["model", "state", "reason", "complaints"],
  properties: {
    model: { enum: ["Connected", "Disconnected"], type: "string" },
    state: { enum: ["connecting", "connected", "failed", "disconnected"], type: "string" },
    reason: { type: ["string", "null"], description: "Why it failed, for who may connect or change it." },
    complaints: {
      type: "array",
      items: TEXT,
      description:
        "Names in its definition and in `access` that lead to no table or column, or to several, " +
        "and types of parameters that its queries do not have.",
    },
  },
} as const;

/** The schema of `/settings/reflect-status/{db}`. */
export const STATE_OF_ONE: JsonObject = {
  ...STATE,
  title: "table",
  type: "object",
  properties: { ...STATE.properties, tables: { type: "array", items: objectSchema({ table_name: TEXT }) } },
};

/** The schema of `/settings/reflect-status`. */
export const STATES: JsonObject = {
  title: "database",
  type: "object",
  additionalProperties: { ...STATE, type: "object" },
};

/** Connects or disconnects a database, in the other processes that share the directory, too. */
export async function changeConnection(
  order: ConnectionOrder,
  user: User,
  managed: ManagedDatabase,
  service: Service,
): Promise<Document> {
  const { id } = managed.definition;
  await service.files.order(id, order).catch((error: unknown) => {
    if (!(error instanceof FileFailure || error instanceof ConfigurationError)) throw error;
    service.log.warn(`Cannot ${order} database ${id}: ${error.message}`);
    throw new ServiceError(
      "unavailable",
      `Cannot ${order} database ${quote(id)}: the order cannot be stored; the log tells why`,
    );
  });
  await settlesWithin(order === "connect" ? managed.load() : managed.unload(), PATIENCE);
  return connectedDocument(user, managed, service);
}

/** The definition, as far as the user may see it, and the state of its connection. */
export function connectedDocument(user: User, managed: ManagedDatabase, service: Service): Document {
  const { definition, status } = managed;
  const shown = showDefinition(user, { kind: "dbdef", definition }, service) ?? { db_id: definition.id };
  const tree = { ...shown, status, ...stateOf(user, managed, service) };
  return describeMembers("database", { type: "object" }, tree).document;
}

function stateOf(user: User, managed: ManagedDatabase, { configuration }: Service) {
  const { definition, status, state, reason } = managed;
  const resource = { kind: "dbdef", definition } as const;
  const mayHear = mayDo(user, "edit", resource) || mayDo(user, "execute", resource);
  return {
    model: status,
    state,
    reason: mayHear && reason !== undefined ? scrub(reason, definition, configuration) : null,
    complaints: [
      ...(mayDo(user, "view", resource) ? managed.complaints.map(tell(definition.id)) : []),
      ...complaintsAboutUse(user, managed, configuration),
    ],
  };
}

/** Complaints about the accounts and queries that the actor may see. */
function complaintsAboutUse(actor: User, managed: ManagedDatabase, { users, queries }: Configuration) {
  const databases = new Map([[managed.definition.id, managed]]);
  return [
    ...[...users.values()].filter((definition) => mayDo(actor, "view", { kind: "userdef", definition }))
      .flatMap((user) => complaintsAboutAccount(user, databases).map(tell(user.login))),
    ...[...queries.values()].filter((definition) => mayDo(actor, "view", { kind: "querydef", definition }))
      .flatMap((query) => complaintsAboutQuery(query, databases).map(tell(query.id))),
  ];
}

function tell(id: string): (complaint: NameComplaint) => string {
  return ({ key, message }) => `${id}.${key}: ${message}`;
}

/**
 * A user with a mapping sees the tables that it allows; a user who only sees the definition sees all names.
 */
function tablesOf(user: User, managed: ManagedDatabase): readonly string[] {
  if (managed.status === "Disconnected") return [];
  const { definition, connection } = managed;
  const mapping = mappingOf(user, managed);
  if (mapping) return connection.views.find(mapping).schema.tables.names;
  return mayDo(user, "view", { kind: "dbdef", definition }) ? connection.schema.tables.names : [];
}
