/**
 * The present snapshot and its replacement: unchanged parts are carried over, so only databases
 * with a changed definition reconnect.
 *
 * @module
 */

import { hash } from "node:crypto";
import { type Configuration, ConfigurationError, formatComplaint, haveSameConnection } from "@/config/mod.ts";
import { type LoadedDialect, optionComplaints } from "@/core/database/guard_dialect.ts";
import { ManagedDatabase } from "@/core/database/managed_database.ts";
import { complaintsAboutNames } from "@/core/definitions/name_complaints.ts";
import { loadLicence, lockOf } from "@/core/identity/licence.ts";
import { departedLogins, enabledUsers, endSessions, withFormer } from "@/core/identity/users.ts";
import type { DatabaseDefinition, User } from "@/core/model.ts";
import type { DialectSource, Service, Snapshots } from "@/core/service.ts";
import { PluginError } from "@/plugins/discover.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";

/** The parts that stay the same while the process runs. */
type FixedParts = Omit<
  Service,
  "configuration" | "licence" | "users" | "databases" | "queries" | "findUserByApiKey"
>;

/**
 * Milliseconds that a change waits for new databases to connect, so that they
 * are usable when it takes effect.
 */
const FIRST_CONNECT = 1000;
/** Milliseconds that a database outlives its definition, for requests that are about to use it. */
const RETIREMENT = 10_000;

/** Owns the databases of the present snapshot, and those of earlier ones that requests still use. */
export class LiveService implements Snapshots, AsyncDisposable {
  readonly #fixed: FixedParts;
  readonly #retiring = new Set<ManagedDatabase>();
  #service: Service | undefined;
  /** The last logged reason why the licence locks users out. */
  #lock: string | undefined;
  /** The last logged complaints about names in the configuration. */
  #names: ReadonlySet<string> = new Set();

  constructor(fixed: FixedParts) {
    this.#fixed = fixed;
  }

  /** The present snapshot. Throws before {@link LiveService.start} has created the first. */
  get service(): Service {
    if (this.#service) return this.#service;
    throw new Error("The service is used before it has started");
  }

  /**
   * Creates the first snapshot and connects its databases. Databases that take longer than `patience`
   * milliseconds are connected later.
   */
  async start(configuration: Configuration, patience: number | undefined): Promise<void> {
    const service = await this.#make(configuration, new Map());
    this.#service = service;
    this.#fixed.group.hear((id, damage) => this.service.databases.get(id)?.faults.learn(damage));
    this.noteLicence();
    const started = Promise.all([...service.databases.values()].map((database) => database.start()));
    await (patience === undefined ? started : settlesWithin(started, patience));
  }

  /**
   * Activates a configuration. If a dialect cannot be loaded it throws, and
   * the old configuration stays active.
   */
  async apply(configuration: Configuration): Promise<void> {
    const { databases: before, users } = this.service;
    const next = await this.#make(configuration, before);
    const kept = new Set(before.values());
    const started = [...next.databases.values()].filter((database) => !kept.has(database))
      .map((database) => database.start());
    if (started.length > 0) await settlesWithin(Promise.all(started), FIRST_CONNECT);
    for (const [id, definition] of configuration.databases) next.databases.get(id)?.redefine(definition);
    this.#service = next;
    this.noteLicence();
    this.#noteNames();
    const inForce = new Set(next.databases.values());
    for (const database of before.values()) if (!inForce.has(database)) this.#retire(database);
    await retainLogins(next);
    await endSessions(departedLogins(users, next.users), next);
  }

  /**
   * Logs when the licence begins or ceases to lock users out: apart from the log,
   * only admin can learn the reason.
   */
  noteLicence(): void {
    const { log, group } = this.service;
    const lock = lockOf(this.service);
    if (lock === this.#lock) return;
    this.#lock = lock;
    if (!group.isKeeper) return;
    if (lock === undefined) log.info("The licence locks out nobody any more");
    else log.error(`The licence locks out everybody but admin: ${lock}`);
  }

  /** Logs new complaints about names of tables and columns. */
  #noteNames(): void {
    const { configuration, databases, log, group } = this.service;
    const names = new Set(complaintsAboutNames(configuration, databases).map(formatComplaint));
    const added = names.difference(this.#names);
    this.#names = names;
    if (group.isKeeper) { for (const complaint of added) log.warn(complaint); }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const databases = [...this.#service?.databases.values() ?? [], ...this.#retiring];
    await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
  }

  async #make(configuration: Configuration, before: ReadonlyMap<string, ManagedDatabase>): Promise<Service> {
    const { queries } = configuration;
    const users = await withFormer(enabledUsers(configuration.users), this.#service?.users ?? new Map());
    const databases = new Map<string, ManagedDatabase>();
    for (const [id, definition] of configuration.databases) {
      const known = before.get(id);
      const same = known && haveSameConnection(known.definition, definition) ? known : undefined;
      databases.set(id, same ?? await this.#manage(definition, known));
    }
    const findUserByApiKey = createKeyLookup(users);
    const licence = await loadLicence(this.#fixed.settings);
    return { ...this.#fixed, configuration, licence, users, queries, databases, findUserByApiKey };
  }

  async #manage(
    definition: DatabaseDefinition,
    before: ManagedDatabase | undefined,
  ): Promise<ManagedDatabase> {
    const { links, log, settings, dialects, group } = this.#fixed;
    const path = settings.databases_path;
    const dialect = await dialects.get(definition.dbType).catch((error: unknown) => {
      if (!(error instanceof PluginError)) throw error;
      const place = (each: string) =>
        each.startsWith(path) ? each : `${path}: ${definition.id}.db_type: ${each}`;
      throw new PluginError(error.complaints.map(place));
    });
    const complaints = optionComplaints(definition, dialect, path);
    if (complaints.length > 0) throw new ConfigurationError(complaints);
    return new ManagedDatabase({
      definition,
      before,
      dialect,
      links,
      automap: settings["orm_sdb.use_automap"],
      log,
      slow: settings["log.slow_statement"],
      seconds: settings["server.plugin_timeout"],
      connected: () => this.#noteNames(),
      spread: (damage) => group.tell(definition.id, damage),
    });
  }

  #retire(database: ManagedDatabase): void {
    this.#retiring.add(database);
    void database.retire(RETIREMENT).then(() => this.#retiring.delete(database));
  }
}

/** Closes the pools of database logins that no enabled user has any more. */
async function retainLogins({ users, databases }: Service): Promise<void> {
  for (const [id, database] of databases) {
    await database.retain([...users.values()].flatMap((user) => user.databases.get(id) ?? []));
  }
}

/** The loaded dialects; `load` loads others on first use. */
export function createDialects(
  loaded: ReadonlyMap<string, LoadedDialect>,
  load: (name: string) => Promise<LoadedDialect>,
): DialectSource {
  const dialects = new Map<string, LoadedDialect | Promise<LoadedDialect>>(loaded);
  return {
    loaded(name) {
      const dialect = dialects.get(name);
      return dialect instanceof Promise ? undefined : dialect;
    },
    async get(name) {
      const loading = dialects.getOrInsertComputed(name, load);
      try {
        const dialect = await loading;
        dialects.set(name, dialect);
        return dialect;
      } catch (error) {
        // The next attempt may succeed, once the operator has installed it or corrected the name.
        dialects.delete(name);
        throw error;
      }
    },
  };
}

/**
 * Finds users by the hash of a key. Keys that were found are remembered in plain form, so that later requests
 * cost no hash; wrong keys are not remembered, so the size is bounded by the number of users.
 */
function createKeyLookup(users: ReadonlyMap<string, User>): Service["findUserByApiKey"] {
  const byHash = new Map<string, User>();
  for (const user of users.values()) if (user.apikeyHash !== undefined) byHash.set(user.apikeyHash, user);
  const found = new Map<string, User>();
  return (key) => {
    const known = found.get(key);
    if (known) return known;
    const user = byHash.get(hash("sha256", key));
    if (user) found.set(key, user);
    return user;
  };
}
