/**
 * Tests a database definition without storing it.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import {
  ConfigurationError,
  formatComplaint,
  haveSameTarget,
  type Members,
  readDefinition,
} from "@/config/mod.ts";
import { describeMembers } from "@/core/documents/documents.ts";
import { refuseMembers } from "./read_body.ts";
import { shownMembers } from "./documents.ts";
import { mayNot } from "./refusals.ts";
import type { DatabaseDefinition, Document, User } from "@/core/model.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import { requireDialect } from "./prepare_definition.ts";
import { scrub } from "./redact.ts";
import type { Service } from "@/core/service.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { SentMembers } from "./read_body.ts";
import { requireWithinReach } from "./written_database.ts";
import type { Database, Dialect, Log } from "@/plugins/contract.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";

/** Milliseconds that a connection may take. */
const PATIENCE = 5000;

/**
 * Connects as a definition says, closes the connection, and reports the outcome. An existing definition supplies absent
 * members; its password is used only while the members lead to the same place. Throws 403 for a user who could not store
 * the definition.
 */
export async function checkConnection(
  { id, members }: SentMembers,
  actor: User,
  service: Service,
): Promise<Document> {
  const existing = typeof id === "string" ? service.databases.get(id)?.definition : undefined;
  const may = mayDo(actor, existing ? "edit" : "create", {
    kind: "dbdef",
    ...(existing ? { definition: existing } : {}),
  });
  if (!may) throw mayNot(actor, "try connections of", "dbdef");
  const definition = define(members, existing);
  const dialect = await requireDialect(definition.dbType, service);
  const isSameFile = definition.dbName === existing?.dbName && definition.dbType === existing.dbType;
  // Other users would learn which files exist.
  if (!dialect?.hasLogins && !isSameFile && actor.login !== ADMIN) {
    throw mayNot(actor, "try files of", "dbdef");
  }
  await requireWithinReach(members, { before: existing, dialect, actor, service });
  const reason = await tryToConnect(definition, service);
  const tree = {
    connected: reason === undefined,
    reason: reason === undefined ? null : scrub(reason, definition, service.configuration),
  };
  return describeMembers("connection", { type: "object" }, tree).document;
}

function define(members: Members, existing: DatabaseDefinition | undefined): DatabaseDefinition {
  const shown: Members = existing ? shownMembers({ kind: "dbdef", definition: existing }) : {};
  const read = readOrRefuse(existing?.id ?? "check", { ...shown, ...members });
  if (!existing) return read;
  // Hidden members of `ssl` are kept if the visible ones are sent back unchanged.
  const isSameSsl = members["ssl"] === undefined || isDeepStrictEqual(members["ssl"], shown["ssl"]);
  const definition = isSameSsl && existing.ssl !== undefined ? { ...read, ssl: existing.ssl } : read;
  const { dbuser, dbpass } = existing.autoloadUser;
  const keeps = haveSameTarget(existing, definition) && definition.autoloadUser.dbpass === "" &&
    definition.autoloadUser.dbuser === dbuser;
  return keeps ? { ...definition, autoloadUser: { dbuser, dbpass } } : definition;
}

function readOrRefuse(id: string, members: Members): DatabaseDefinition {
  try {
    return readDefinition(id, members);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw refuseMembers("definition", error.complaints.map(formatComplaint));
  }
}

/** The reason of a failure; undefined if the connection works. */
async function tryToConnect(
  definition: DatabaseDefinition,
  { dialects, log }: Service,
): Promise<string | undefined> {
  try {
    const dialect = await dialects.get(definition.dbType);
    await withConnection(definition, { dialect, log }, () => {});
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Connects for the duration of `use`. Passes on errors of the dialect, and throws if the database does not answer in
 * time.
 */
export async function withConnection<T>(
  definition: DatabaseDefinition,
  { dialect, log }: { readonly dialect: Dialect; readonly log: Log },
  use: (database: Database) => T | Promise<T>,
): Promise<T> {
  const connecting = dialect.connect(definition, definition.autoloadUser);
  if (!await settlesWithin(connecting, PATIENCE)) {
    // The connection may still be established later.
    connecting.then(close).catch((error: unknown) => {
      log.info(`A connection that was tried came to nothing after its time: ${String(error)}`);
    });
    throw new Error(`It does not answer within ${PATIENCE / 1000} seconds`);
  }
  const database = await connecting;
  try {
    return await use(database);
  } finally {
    await close(database);
  }
}

async function close(database: Database): Promise<void> {
  await database[Symbol.asyncDispose]();
}
