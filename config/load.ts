/**
 * Loads the whole configuration into one value, or reports all mistakes in it.
 *
 * @module
 */

import { join, resolve, sep } from "node:path";
import { didYouMean } from "@/core/base/nearest.ts";
import { quote } from "@/core/errors.ts";
import { readAuthPolicies } from "./auth_policies.ts";
import {
  complain,
  type Complaint,
  type Configuration,
  ConfigurationError,
  type Directories,
  type Environment,
  inside,
  type Loading,
  type Place,
} from "./configuration.ts";
import { readDatabases } from "./databases.ts";
import { placeOf, readText } from "./entries.ts";
import { withBuiltIns } from "./expand.ts";
import { readQueries } from "./queries.ts";
import { readServiceIni } from "./service_ini.ts";
import { isFirstRun } from "./set_password.ts";
import { FORMAT, type Settings } from "./settings.ts";
import { missingLocation } from "./shared_caches.ts";
import { readUsers } from "./users.ts";

/**
 * Reads every file in `directories.config` and at the places that the settings name.
 * Throws {@link ConfigurationError}.
 */
export function loadConfiguration(directories: Directories, environment: Environment): Configuration {
  const { configuration, complaints } = inspectConfiguration(directories, environment);
  if (complaints.length > 0) throw new ConfigurationError(complaints);
  return configuration;
}

/** Like {@link loadConfiguration}, but returns the readable part of wrong files, and all complaints. */
export function inspectConfiguration(
  { home, config, state, log }: Directories,
  environment: Environment,
): { readonly configuration: Configuration; readonly complaints: readonly Complaint[] } {
  const loading = startLoading({
    ...(home === undefined ? {} : { home: resolve(home) }),
    config: resolve(config),
    state: resolve(state),
    log: resolve(log),
  }, environment);
  const configuration = read(loading);
  const newer = newerFormat(configuration);
  if (newer) return { configuration, complaints: [newer] };
  // The first run creates the user.
  if (!isFirstRun(configuration.settings)) requireAdmin(configuration, loading);
  return { configuration, complaints: loading.complaints };
}

/**
 * Reads databases, users and queries again; everything else stays as at the start. `texts` replace files, by
 * their path. Throws {@link ConfigurationError}.
 */
export function reloadConfiguration(
  previous: Configuration,
  environment: Environment,
  texts: ReadonlyMap<string, string>,
): Configuration {
  const loading = startLoading(previous.directories, environment, texts);
  const configuration = readResources(previous, loading);
  if (previous.users.has("admin")) requireAdmin(configuration, loading);
  if (loading.complaints.length > 0) throw new ConfigurationError(loading.complaints);
  return configuration;
}

function startLoading(
  directories: Directories,
  environment: Environment,
  texts: Loading["texts"] = new Map(),
): Loading {
  const known = withBuiltIns(environment, directories);
  return { directories, environment: known, complaints: [], warnings: [], read: new Map(), texts };
}

function read(loading: Loading): Configuration {
  const { directories } = loading;
  const iniPlace = placeOf(resolve(directories.config, "service.ini"), loading);
  const authPlace = placeOf(resolve(directories.config, "auth.cfg"), loading);
  const ini = readServiceIni(readText(iniPlace) ?? "", iniPlace, loading);
  const authentication = readAuthPolicies(authPlace, loading);
  const { settings } = ini;
  checkSessions(settings, iniPlace);
  checkSecrets(settings, iniPlace, loading.warnings);
  checkStaticFiles(settings, directories, iniPlace);
  return readResources({ ...ini, directories, authentication }, loading);
}

/** The parts that are read once at start: everything except databases, users and queries. */
type Fixed = Omit<Configuration, "databases" | "users" | "queries" | "texts" | "warnings">;

function readResources(fixed: Fixed, loading: Loading): Configuration {
  const { settings, limits, directories } = fixed;
  const { warnings } = loading;
  const databases = readDatabases(settings.databases_path, loading, limits);
  const users = readUsers(settings.users_path, loading, settings.allow_empty_password);
  const queries = readQueries(settings.querydefs_path, loading);
  const configuration: Configuration = { ...fixed, databases, users, queries, texts: loading.read, warnings };
  const iniPlace = placeOf(resolve(directories.config, "service.ini"), loading);
  // A file with a mistake may define the names that seem to be missing.
  const isWhole = (file: string) => !loading.complaints.some((complaint) => complaint.file === file);
  if (isWhole(settings.databases_path)) {
    for (const id of limits.keys()) {
      if (!databases.has(id)) complain(inside(iniPlace, `db.${id}.limit`), unknownDatabase(id, databases));
    }
    warnAboutDatabases(configuration, warnings);
  }
  if (isWhole(settings.users_path)) warnAboutLogins(configuration, warnings);
  // It may be intended; over HTTP such a change is refused.
  if (users.get("admin")?.enabled === false) {
    warnings.push(`${settings.users_path}: admin.enabled: Is false, so nobody can administer the service`);
  }
  const { password, apikeyHash } = users.get("public") ?? {};
  if (password !== undefined || apikeyHash !== undefined) {
    warnings.push(
      `${settings.users_path}: public: Its password or API key is without effect: nobody logs in as "public"`,
    );
  }
  return configuration;
}

function checkSessions(settings: Settings, place: Place): void {
  const type = settings["session.type"];
  if (settings["session.secret"] === undefined && type !== "file") {
    complain(inside(place, "session.secret"), `Is required with session.type ${quote(type)}, found nothing`);
  }
  const isAddressWrong = place.complaints.some(({ key }) =>
    key === "memcached_server" || key === "session.url"
  );
  const missing = missingLocation(settings);
  if (missing !== undefined && !isAddressWrong) complain(inside(place, "session.url"), missing);
}

/**
 * The only complaint about files that are newer than the program: it would misunderstand the rest of them.
 */
function newerFormat({ settings, directories }: Configuration): Complaint | undefined {
  const { config_format: format } = settings;
  if (!(format > FORMAT)) return undefined;
  const message =
    `The files have format ${format}, and this version of the program knows formats up to ${FORMAT}: ` +
    "use the newer version, or restore the backup that was made before the upgrade";
  return { file: resolve(directories.config, "service.ini"), key: "config_format", message };
}

const SHORTEST_SECRET = 32;

/**
 * A guessable secret allows forged sessions. The previous secret may be short, because it is being replaced.
 */
function checkSecrets(settings: Settings, place: Place, warnings: string[]): void {
  const isShort = (secret: string | undefined) => secret !== undefined && secret.length < SHORTEST_SECRET;
  if (isShort(settings["session.secret"])) {
    complain(
      inside(place, "session.secret"),
      `Expected ${SHORTEST_SECRET} or more random characters, found fewer`,
    );
  }
  if (isShort(settings["session.secret_previous"])) {
    warnings.push(
      `${place.file}: session.secret_previous: Is short enough to be guessed: remove it after a day`,
    );
  }
}

/** Everybody may read the files of `static_path`. */
function checkStaticFiles(
  { static_path: path, users_path, databases_path, "session.data_dir": sessions }: Settings,
  { config, state, log }: Directories,
  place: Place,
): void {
  if (path === undefined) return;
  const secret = [config, state, log, users_path, databases_path, sessions];
  const shown = secret.find((each) => join(each, sep).startsWith(join(path, sep)));
  if (shown === undefined) return;
  complain(
    inside(place, "static_path"),
    `Expected a directory of its own, found one that would show ${quote(shown)} to everybody`,
  );
}

function warnAboutDatabases(
  { databases, users, queries, settings }: Configuration,
  warnings: string[],
): void {
  // Thousands of users may name the same database.
  const told = new Map<string, string>();
  const check = (file: string, key: string, id: string) => {
    if (databases.has(id)) return;
    warnings.push(`${file}: ${key}: ${told.getOrInsertComputed(id, () => unknownDatabase(id, databases))}`);
  };
  for (const { login, databases: mappings } of users.values()) {
    for (const id of mappings.keys()) check(settings.users_path, `${login}.databases.${id}`, id);
  }
  for (const { id, database } of queries.values()) check(settings.querydefs_path, `${id}.database`, database);
}

/** A misspelled login is granted nothing. `public` in a list means everybody, even without that user. */
function warnAboutLogins({ databases, users, queries, settings }: Configuration, warnings: string[]): void {
  const check = (file: string, id: string, lists: Readonly<Record<string, readonly string[]>>) => {
    for (const [list, logins] of Object.entries(lists)) {
      const unknown = logins.filter((login) => login !== "public" && !users.has(login));
      for (const login of unknown) {
        warnings.push(`${file}: ${id}.${list}: Cannot find user ${quote(login)} in users.cfg`);
      }
    }
  };
  for (const { login, view, edit } of users.values()) check(settings.users_path, login, { view, edit });
  for (const { id, read, write, execute } of databases.values()) {
    check(settings.databases_path, id, { read, write, execute });
  }
  for (const { id, read, write, execute } of queries.values()) {
    check(settings.querydefs_path, id, { read, write, execute });
  }
}

/** A file without `admin` was emptied or cut off, and no user could repair it over HTTP. */
function requireAdmin({ users, settings, texts }: Configuration, { complaints, warnings }: Loading): void {
  const file = settings.users_path;
  if (users.has("admin") || complaints.some((complaint) => complaint.file === file)) return;
  if (!texts.has(file)) {
    const remedy = "put it back, or correct users_path in service.ini";
    warnings.push(`${file}: Is not there, so nobody can use the service: ${remedy}`);
    return;
  }
  const found = users.size === 0 ? "nobody at all" : "only others";
  complaints.push({ file, key: "", message: `Expected a user "admin", found ${found}` });
}

/** The complaint about a database that is not defined; `databases`: those whose names may be told. */
export function unknownDatabase(id: string, databases: ReadonlyMap<string, unknown>): string {
  return `Cannot find database ${quote(id)} in databases.cfg${didYouMean(id, databases.keys())}`;
}
