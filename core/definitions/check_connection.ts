/**
 * Tests the definition of a database that is sent over HTTP, without storing it.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { haveSameTarget, type Members, readDatabase } from "@/config/mod.ts";
import { didYouMean } from "@/core/base/nearest.ts";
import { startDeadline } from "@/core/base/in_time.ts";
import { close, connectInTime } from "@/core/database/connect_in_time.ts";
import type { LoadedDialect } from "@/core/database/guard_dialect.ts";
import { describeMembers } from "@/core/documents/documents.ts";
import { messageIn, quote } from "@/core/errors.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, Document, User } from "@/core/model.ts";
import type { Service } from "@/core/service.ts";
import type { Database, Dialect, Log } from "@/plugins/contract.ts";
import { BUILT_IN_ROOT, discoverPlugins } from "@/plugins/discover.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { shownMembers } from "./documents.ts";
import { readOrRefuse, refuseMember, type SentMembers } from "./read_body.ts";
import { notPermitted, notToBeGranted, refuseToMove } from "./refusals.ts";
import { scrub } from "./scrub.ts";
import { requireWithinReach } from "./within_reach.ts";

/**
 * Connects as a definition says, closes the connection, and reports the outcome. An existing
 * definition supplies absent members; its password is used only while the members lead to the same
 * place, or by admin, who may send it elsewhere by storing the definition. Throws 403 for a user
 * who could not store the definition.
 */
export async function checkConnection(
  { id, members }: SentMembers,
  actor: User,
  service: Service,
): Promise<Document> {
  const existing = typeof id === "string" ? service.databases.get(id)?.definition : undefined;
  const may = mayDo(actor, existing ? "edit" : "create", { kind: "dbdef", definition: existing });
  if (!may) throw notPermitted(actor, "try connections of", "dbdef");
  const definition = define(members, existing, actor);
  const dialect = await findDialect(definition.dbType, service);
  // Other users would learn which files and servers there are.
  if (actor.login !== ADMIN && !haveSameTarget(existing, definition)) {
    const refusals = refuseToMove({
      before: existing,
      after: definition,
      current: service.configuration,
      sendsPassword: true,
      hasLogins: dialect.hasLogins === true,
    });
    if (refusals.length > 0) throw notToBeGranted(actor, refusals);
  }
  await requireWithinReach(members, { before: existing, dialect, actor, service });
  const reason = await withConnection(definition, { dialect, log: service.log }, () => undefined)
    .catch(messageIn);
  const tree = {
    connected: reason === undefined,
    reason: reason === undefined ? null : scrub(reason, definition, service.configuration),
  };
  return describeMembers("connection", { type: "object" }, tree).document;
}

function define(members: Members, existing: DatabaseDefinition | undefined, actor: User): DatabaseDefinition {
  const shown: Members = existing ? shownMembers({ kind: "dbdef", definition: existing }) : {};
  const read = readOrRefuse(readDatabase, existing?.id ?? "", { ...shown, ...members });
  if (!existing) return read;
  // Hidden members of `ssl` are kept if the visible ones are sent back unchanged.
  const isSameSsl = members["ssl"] === undefined || isDeepStrictEqual(members["ssl"], shown["ssl"]);
  const definition = isSameSsl && existing.ssl !== undefined ? { ...read, ssl: existing.ssl } : read;
  const { dbuser, dbpass } = existing.autoloadUser;
  const mayKeep = actor.login === ADMIN || haveSameTarget(existing, definition);
  const keeps = mayKeep && definition.autoloadUser.dbpass === "" && definition.autoloadUser.dbuser === dbuser;
  return keeps ? { ...definition, autoloadUser: { dbuser, dbpass } } : definition;
}

/**
 * Connects for the duration of `use`. Passes on errors of the dialect, and throws if the
 * database does not answer in time.
 */
export async function withConnection<T>(
  definition: DatabaseDefinition,
  { dialect, log }: { readonly dialect: Dialect; readonly log: Log },
  use: (database: Database) => T | Promise<T>,
): Promise<T> {
  const { autoloadUser: login } = definition;
  using deadline = startDeadline(NEVER, "It does not answer within 5 seconds");
  const attempt = { definition, dialect, login, signal: deadline.signal, seconds: 0, log };
  const database = await connectInTime(attempt);
  try {
    return await use(database);
  } finally {
    await close(database, attempt);
  }
}

/**
 * The dialect of a type of database. Throws 400 for an unknown one, which
 * would make the whole file unreadable.
 */
export async function findDialect(
  name: string,
  { dialects, log }: Pick<Service, "dialects" | "log">,
): Promise<LoadedDialect> {
  try {
    return await dialects.get(name);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    log.warn(`A database definition needs dialect ${quote(name)}: ${error.message}`);
    const known = discoverPlugins([BUILT_IN_ROOT]).filter(({ kind }) => kind === "dialect")
      .map((plugin) => plugin.name);
    const hint = didYouMean(name, known) || `: use ${known.join(", ")} or the name of a plugin`;
    throw refuseMember("db_type", `there is no dialect ${quote(name)}${hint}`);
  }
}
