/**
 * Watches the configuration files: changes by this process, another one or an editor are read and activated.
 * A file with a mistake changes nothing and is logged.
 *
 * @module
 */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type Configuration,
  ConfigurationError,
  endFirstRun,
  type Environment,
  firstOf,
  formatComplaint,
  hashPlainSecrets,
  Orders,
  reloadConfiguration,
  WatchedFiles,
} from "@/config/mod.ts";
import type { ConfigurationFiles, ConnectionOrder } from "@/core/service.ts";
import type { Log } from "@/plugins/contract.ts";
import { PluginError } from "@/plugins/discover.ts";
import type { LiveService } from "./snapshots.ts";

/** The services for watching the files; the configuration has their paths. */
interface LiveConfigurationOptions {
  /** The directory through which processes exchange orders. */
  readonly state: string;
  /** The values of `${NAME}` in the files. */
  readonly environment: Environment;
  readonly log: Log;
  /** When the process was started, in milliseconds since 1970. */
  readonly began: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: (() => number) | undefined;
  /** The snapshots to replace; a function, because the two objects refer to each other. */
  snapshots(): LiveService;
}

/**
 * Milliseconds between two checks. A change is active everywhere within two seconds,
 * one of which the file must rest.
 */
const INTERVAL = 250;
/** The question of {@link WorkerGroup.ask} that a worker answers when it has read what has changed. */
const CHANGED = "configuration";
/** Milliseconds that users.cfg must be unchanged before the service writes hashes into it. */
const REST_BEFORE_HASHING = 10_000;

/** Watches the files from {@link LiveConfiguration.watch} until disposed. Reloads never overlap. */
export class LiveConfiguration implements ConfigurationFiles, AsyncDisposable {
  readonly environment: Environment;
  complaints: readonly string[] = [];
  reloads = 0;
  readonly #log: Log;
  readonly #snapshots: () => LiveService;
  readonly #orders: Orders;
  readonly #now: () => number;
  /** Changed files that are still to be read. */
  readonly #waiting = new Set<string>();
  #mayHoldPlainSecrets = true;
  #files: Promise<WatchedFiles> | undefined;
  #work: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;

  constructor({ state, environment, log, began, now = Date.now, snapshots }: LiveConfigurationOptions) {
    this.#now = now;
    this.#orders = new Orders(join(state, "connections.yml"), began);
    this.environment = environment;
    this.#log = log;
    this.#snapshots = snapshots;
  }

  /** Checks the files periodically until disposed, beginning with changes made during the start. */
  async watch(): Promise<void> {
    this.#snapshots().service.group.answers(CHANGED, () => this.catchUp().then(() => true));
    const { paths } = await this.#watched();
    paths.forEach((path) => this.#waiting.add(path));
    await this.#turn(() => this.#take({ unlessSame: true }));
    await this.#turn(() => endFirstRun(this.#snapshots().service.configuration));
    await this.look();
    this.#again();
  }

  /** One periodic check. */
  look(): Promise<void> {
    return this.#turn(async () => {
      // A licence expires without a change of any file.
      this.#snapshots().noteLicence();
      await this.#take();
      await this.#hashWhenAtRest();
    });
  }

  /**
   * Reloads one after another: each sees everything that was written before the call. So do the other workers
   * of the process, unless they take longer than a second.
   */
  async refresh(): Promise<void> {
    await this.#turn(() => this.#take({ always: true }));
    await this.#snapshots().service.group.ask(CHANGED);
  }

  /** Like {@link refresh}, but does nothing unless a file changed; cheap enough for every request. */
  catchUp(): Promise<void> {
    const isFirst = this.#files === undefined;
    return this.#turn(() => this.#take({ always: isFirst }));
  }

  async order(database: string, order: ConnectionOrder): Promise<void> {
    await this.#orders.give(database, order);
    await this.#snapshots().service.group.ask(CHANGED);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  #turn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#log.error("The configuration files cannot be looked at", error);
    });
    return this.#work;
  }

  #again(): void {
    if (this.#disposed) return;
    this.#timer = setTimeout(() => {
      void this.look().then(() => this.#again());
    }, INTERVAL);
    this.#timer.unref();
  }

  /** Reads changed files that are complete; the others wait for the next check. */
  async #take({ always = false, unlessSame = false } = {}): Promise<void> {
    const files = await this.#watched();
    for (const path of await files.look()) this.#waiting.add(path);
    const open = await files.unsettled();
    const whole = new Set(this.#waiting).difference(new Set(open));
    whole.forEach((path) => this.#waiting.delete(path));
    const areOrders = whole.delete(this.#orders.path);
    if (always || whole.size > 0) await this.#load(open, unlessSame);
    if (areOrders) this.#follow();
  }

  /** Executes orders of other processes to connect or disconnect. The outcome is the database's status. */
  #follow(): void {
    const { databases } = this.#snapshots().service;
    for (const [id, order] of this.#orders.take()) {
      const database = databases.get(id);
      if (order === "connect") void database?.load();
      if (order === "disconnect") void database?.unload();
    }
  }

  /** Opened before anything is read, so that no change in between is missed. */
  #watched(): Promise<WatchedFiles> {
    const { databases_path, users_path, querydefs_path, license } = this.#snapshots().service.settings;
    const paths = [databases_path, users_path, querydefs_path, license, this.#orders.path];
    return this.#files ??= WatchedFiles.open(paths, this.#now);
  }

  /** Files that are still being written keep their old content. */
  async #load(open: readonly string[], unlessSame: boolean): Promise<void> {
    const live = this.#snapshots();
    const before = live.service.configuration;
    try {
      const texts = new Map(open.map((path) => [path, before.texts.get(path) ?? ""]));
      const next = reloadConfiguration(before, this.environment, texts);
      const files = await this.#watched();
      const begun = await files.look();
      if (begun.length > 0) {
        // Perhaps only a part of them was there to be read.
        begun.forEach((path) => this.#waiting.add(path));
        return await this.#load([...open, ...begun], unlessSame);
      }
      if (unlessSame && isSame(next, before)) return;
      requireSameFiles(next, before);
      await live.apply(next);
      this.#mayHoldPlainSecrets = true;
      this.reloads++;
      this.#report([], [...new Set(next.warnings).difference(new Set(before.warnings))]);
      await endFirstRun(next);
    } catch (error) {
      this.#report(complaintsOf(error));
    }
  }

  /** Replaces plain passwords and keys in the file by hashes, once it is no longer being written. */
  async #hashWhenAtRest(): Promise<void> {
    const { configuration, group } = this.#snapshots().service;
    const path = configuration.settings.users_path;
    const rests = (await this.#watched()).quietFor(path) >= REST_BEFORE_HASHING && !this.#waiting.has(path);
    // One worker does the work for all.
    if (!this.#mayHoldPlainSecrets || !rests || !group.isKeeper) return;
    this.#mayHoldPlainSecrets = false;
    try {
      const count = await hashPlainSecrets(configuration);
      if (count === 0) return;
      this.#log.info("Passwords and keys in users.cfg are hashed now");
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#log.warn(
        `The passwords and keys in users.cfg cannot be replaced by their hashes: ${error.message}`,
      );
      return;
    }
    await this.#take();
  }

  /** Every worker reads the files, and one of them logs the outcome. */
  #report(found: readonly string[], warnings: readonly string[] = []): void {
    const complaints = firstOf(found);
    const isNews = complaints.join("\n") !== this.complaints.join("\n");
    this.complaints = complaints;
    if (!this.#snapshots().service.group.isKeeper) return;
    for (const complaint of isNews ? complaints : []) {
      this.#log.error(`The changed configuration is not used: ${complaint}`);
    }
    if (isNews && complaints.length === 0) this.#log.info("The configuration is in order again");
    for (const warning of warnings) this.#log.warn(warning);
  }
}

/** Ignores warnings, because those of the start cover more files. */
function isSame(next: Configuration, before: Configuration): boolean {
  return (["users", "databases", "queries"] as const).every((name) =>
    isDeepStrictEqual(next[name], before[name])
  );
}

/**
 * A file that has disappeared, or that a copy onto a full disk has left empty, is a mistake, or an editor is
 * replacing it. Who means it writes `{}`.
 */
function requireSameFiles(
  { texts }: Configuration,
  { users, databases, queries, settings }: Configuration,
): void {
  const needed = [
    ...(users.size > 0 ? [settings.users_path] : []),
    ...(databases.size > 0 ? [settings.databases_path] : []),
    ...(queries.size > 0 ? [settings.querydefs_path] : []),
  ];
  const gone = needed.filter((path) => (texts.get(path) ?? "") === "");
  if (gone.length === 0) return;
  throw new ConfigurationError(gone.map((file) => ({ file, key: "", message: "The file is gone or empty" })));
}

/** The complaints of an error, for the log. Rethrows other errors. */
function complaintsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.complaints.map(formatComplaint);
  if (error instanceof PluginError) return error.complaints;
  throw error;
}
