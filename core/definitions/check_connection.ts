/**
 * Checks definitions of databases that are sent over HTTP: they may access less of this machine than those
 * written by hand. Tests a definition without storing it.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import { type Configuration, haveSameTarget, type Members, readDatabase, secretsOf } from "@/config/mod.ts";
import { inTime } from "@/core/base/in_time.ts";
import { didYouMean } from "@/core/base/nearest.ts";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import { close, connectInTime } from "@/core/database/connect_in_time.ts";
import type { LoadedDialect } from "@/core/database/guard_dialect.ts";
import { describeMembers } from "@/core/documents/documents.ts";
import { ascii, quote } from "@/core/errors.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, Document, User } from "@/core/model.ts";
import type { Service } from "@/core/service.ts";
import type { Database, Dialect, Log } from "@/plugins/contract.ts";
import { BUILT_IN_ROOT, discoverPlugins } from "@/plugins/discover.ts";
import { shownMembers } from "./documents.ts";
import { readOrRefuse, refuseMembers, type SentMembers } from "./read_body.ts";
import { mayNot } from "./refusals.ts";

/** Milliseconds that a connection may take. */
const PATIENCE = 5000;

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
  if (!may) throw mayNot(actor, "try connections of", "dbdef");
  const definition = define(members, existing, actor);
  const dialect = await requireDialect(definition.dbType, service);
  const isSameFile = definition.dbName === existing?.dbName && definition.dbType === existing.dbType;
  // Other users would learn which files exist.
  if (!dialect.hasLogins && !isSameFile && actor.login !== ADMIN) {
    throw mayNot(actor, "try files of", "dbdef");
  }
  await requireWithinReach(members, { before: existing, dialect, actor, service });
  const reason = await withConnection(definition, { dialect, log: service.log }, () => undefined)
    .catch((error: unknown) => error instanceof Error ? error.message : String(error));
  const tree = {
    connected: reason === undefined,
    reason: reason === undefined ? null : scrub(reason, definition, service.configuration),
  };
  return describeMembers("connection", { type: "object" }, tree).document;
}

function define(
  members: Members,
  existing: DatabaseDefinition | undefined,
  actor: User,
): DatabaseDefinition {
  const shown: Members = existing ? shownMembers({ kind: "dbdef", definition: existing }) : {};
  const read = readOrRefuse(readDatabase, existing?.id ?? "check", { ...shown, ...members });
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
  const expired = `It does not answer within ${PATIENCE / 1000} seconds`;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(expired)), PATIENCE);
  const attempt = { definition, dialect, login, signal: late.signal, seconds: 0, log };
  try {
    const database = await connectInTime(attempt);
    try {
      return await use(database);
    } finally {
      await close(database, attempt);
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The dialect of a type of database. Throws 400 for an unknown one, which
 * would make the whole file unreadable.
 */
export async function requireDialect(
  name: string,
  { dialects, log }: Pick<Service, "dialects" | "log">,
): Promise<LoadedDialect> {
  try {
    return await dialects.get(name);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    log.warn(`A database definition needs dialect ${quote(name)}: ${error.message}`);
    const hint = didYouMean(name, builtInDialects());
    throw refuseMembers([`"db_type": there is no dialect ${quote(name)} to be used${hint}`]);
  }
}

function builtInDialects(): readonly string[] {
  return discoverPlugins([BUILT_IN_ROOT]).filter(({ kind }) => kind === "dialect").map(({ name }) => name);
}

/** Members of `ssl` that may name a file in definitions written by hand. */
const CERTIFICATES = ["ca", "cert", "key"];

interface Checking {
  readonly before: DatabaseDefinition | undefined;
  readonly dialect: LoadedDialect | undefined;
  readonly actor: User;
  readonly service: Pick<Service, "configuration">;
}

/**
 * Throws 400 for a file outside the directories of database files, for certificates that are not PEM text,
 * and for wrong options of the dialect.
 */
export async function requireWithinReach(members: Members, checking: Checking): Promise<void> {
  const complaints = [
    ...complaintsAboutCertificates(members["ssl"]),
    ...complaintsAboutOptions(members, checking),
    ...await complaintAboutFile(members, checking),
  ];
  if (complaints.length > 0) throw refuseMembers(complaints);
}

function complaintsAboutCertificates(ssl: unknown): readonly string[] {
  if (typeof ssl !== "object" || ssl === null) return [];
  return Object.entries(ssl).filter(([name, value]) => {
    return CERTIFICATES.includes(name) && typeof value === "string" && !value.includes("-----BEGIN ");
  }).map(([name]) =>
    `${quote(`ssl.${name}`)}: it is no PEM text; only a definition written by hand may name a file`
  );
}

/** Options with a path may be set by hand only. */
function complaintsAboutOptions(members: Members, { before, dialect }: Checking): readonly string[] {
  const options: unknown = members["options"] ?? before?.options ?? {};
  if (!dialect || typeof options !== "object" || options === null) return [];
  const paths = Object.entries(options).filter(([name, value]) => {
    const type = Object.hasOwn(dialect.options, name) ? dialect.options[name]?.type : undefined;
    return (type === "path" || type === "paths") && value !== null &&
      !isDeepStrictEqual(value, before?.options[name]);
  });
  return [
    ...paths.map(([name]) =>
      `${quote(`options.${name}`)}: only a definition written by hand may name a file`
    ),
    ...dialect.complaintsAbout({ options: { ...options } }).map(({ key, message }) =>
      `${quote(key)}: ${message}`
    ),
  ];
}

async function complaintAboutFile(
  { db_type: type, db_name: name }: Members,
  { before, dialect, actor, service: { configuration } }: Checking,
): Promise<readonly string[]> {
  const file = typeof name === "string" ? name : before?.dbName ?? "";
  const isSame = file === before?.dbName && (type === undefined || type === before.dbType);
  // Other users than admin may not name files; that is refused elsewhere.
  if (isSame || actor.login !== ADMIN || !dialect?.requireFileIn) return [];
  const directories = dialect.directories ?? [configuration.directories.state];
  try {
    const checking = Promise.resolve(dialect.requireFileIn(file, directories));
    const title = `dialect ${quote(dialect.name)} in requireFileIn()`;
    const seconds = configuration.settings["server.plugin_timeout"];
    await inTime(checking, seconds, () => new LatePlugin(title));
    return [];
  } catch (error) {
    if (!(error instanceof Error) || error instanceof LatePlugin) throw error;
    return [
      `"db_name": expected the whole path of a file in ${directories.map(quote).join(" or ")}; ` +
      `${quote(`${dialect.name}.directories`)} of service.ini allows other directories`,
    ];
  }
}

/** Characters of a message. */
const LONGEST = 300;

/** A driver's message for users who administer the database. */
export function scrub(message: string, definition: DatabaseDefinition, configuration: Configuration): string {
  // Only the secrets that were used to connect: a user who controls part of the message could otherwise test
  // guesses by whether they are hidden.
  const secrets = secretsOf(definition).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  // The longest first, because one may be part of another.
  const ordered = [...new Set(secrets)].filter((secret) => secret !== "").toSorted((a, b) =>
    b.length - a.length
  );
  const hidden = ordered.reduce((text, secret) => text.replaceAll(secret, () => "***"), message);
  const { home = "", config, state, log } = configuration.directories;
  const places = { "{config_dir}": config, "{state_dir}": state, "{log_dir}": log, "{home}": home };
  const placed = Object.entries(places).reduce(
    (text, [name, path]) => path === "" ? text : text.replaceAll(wholePath(path), () => name),
    hidden,
  );
  return ascii(placed.replace(/\s+/g, " ")).slice(0, LONGEST);
}

/** Finds a directory, but not the beginning of a sibling's name: `/srv/config` in `/srv/config-old/x.db`. */
function wholePath(path: string): RegExp {
  return new RegExp(`${RegExp.escape(path)}(?!\\.?[\\p{L}\\p{N}_-])`, "gu");
}
