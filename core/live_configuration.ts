/**
 * The configuration files while the service runs: changes by this process, another one or an editor are read again
 * and put in force. A file that is broken leaves everything as it was, and says so in the log.
 *
 * @module
 */

import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type Configuration,
  type Environment,
  hashPlainSecrets,
  Orders,
  reloadConfiguration,
  WatchedFiles,
} from "@/config/mod.ts";
import type { Log } from "@/plugins/contract.ts";
import type { LiveService } from "./live_service.ts";
import type { User } from "./model.ts";
import { isPasswordHash } from "./passwords.ts";
import { complaintsOf, isSame, requireSameFiles } from "./reload_checks.ts";

/** What requests may ask of the configuration files. */
export interface ConfigurationFiles {
  /** What `${NAME}` in them stands for. */
  readonly environment: Environment;
  /** What is wrong with the files as they are now; what was read before is in force then. */
  readonly complaints: readonly string[];
  /** How often a changed configuration was put in force. */
  readonly reloads: number;
  /** Puts in force what is in the files now. Complaints are kept, not thrown. */
  refresh(): Promise<void>;
  /** Connects or disconnects a database in the other processes that share the directory, too. */
  order(database: string, order: ConnectionOrder): Promise<void>;
}

/** What all processes that share a directory shall do with a database. */
export type ConnectionOrder = "connect" | "disconnect";

/** What following the files needs beside the files, whose paths are in the configuration. */
export interface LiveConfigurationOptions {
  /** Directory for what processes tell each other. */
  readonly state: string;
  /** What `${NAME}` in the files stands for. */
  readonly environment: Environment;
  readonly log: Log;
  /** What is replaced; a function, because each of the two needs the other. */
  snapshots(): LiveService;
}

/** Milliseconds between two looks; a change is in force everywhere within two seconds. */
const INTERVAL = 500;
/** Milliseconds in which a file must not change before it is read: an editor may be writing it. */
const SETTLE = 50;
/** Looks after which a file is read although it goes on changing. */
const MAX_LOOKS = 10;

/** Follows the files from {@link LiveConfiguration.watch} until it is disposed. Reloads never overlap. */
export class LiveConfiguration implements ConfigurationFiles, AsyncDisposable {
  readonly environment: Environment;
  readonly #log: Log;
  readonly #snapshots: () => LiveService;
  readonly #orders: Orders;
  #files: Promise<WatchedFiles> | undefined;
  #work: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;
  #complaints: readonly string[] = [];
  #reloads = 0;

  constructor({ state, environment, log, snapshots }: LiveConfigurationOptions) {
    this.#orders = new Orders(join(state, "connections.yml"));
    this.environment = environment;
    this.#log = log;
    this.#snapshots = snapshots;
  }

  get complaints(): readonly string[] {
    return this.#complaints;
  }

  get reloads(): number {
    return this.#reloads;
  }

  /** Looks at the files from time to time until disposed. They may have changed while the service started. */
  async watch(): Promise<void> {
    await this.#watched();
    await this.#turn(() => this.#load({ unlessSame: true }));
    this.#again();
  }

  /** One reload after the other: each sees everything that was written before it was asked for. */
  refresh(): Promise<void> {
    return this.#turn(() => this.#read(() => true));
  }

  /** The same, save that nothing is read while nothing has changed: it may be asked for with every request. */
  catchUp(): Promise<void> {
    const isFirst = this.#files === undefined;
    return this.#turn(() => this.#read((changed) => isFirst || changed.length > 0));
  }

  async order(database: string, order: ConnectionOrder): Promise<void> {
    await this.#orders.give(database, order);
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
      void this.#turn(() => this.#look()).then(() => this.#again());
    }, INTERVAL);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    // A licence expires without anybody changing a file.
    this.#snapshots().noteLicence();
    const files = await this.#watched();
    const changed = new Set(await files.look());
    if (changed.size === 0) return;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      await wait(SETTLE);
      const again = await files.look();
      if (again.length === 0) break;
      again.forEach((path) => changed.add(path));
    }
    const areOrders = changed.delete(this.#orders.path);
    if (changed.size > 0) await this.#load();
    if (areOrders) this.#follow();
  }

  /** What is there now is what is read: the next look need not find it again. */
  async #read(isNeeded: (changed: readonly string[]) => boolean): Promise<void> {
    const changed = await (await this.#watched()).look();
    if (isNeeded(changed.filter((path) => path !== this.#orders.path))) await this.#load();
    if (changed.includes(this.#orders.path)) this.#follow();
  }

  /** Connects and disconnects as another process was told to. How it goes is a status. */
  #follow(): void {
    const { databases } = this.#snapshots().service;
    for (const [id, order] of this.#orders.take()) {
      const database = databases.get(id);
      if (order === "connect") void database?.load();
      if (order === "disconnect") void database?.unload();
    }
  }

  /** Looked at for the first time before anything is read, so that no change can be missed in between. */
  #watched(): Promise<WatchedFiles> {
    const { databases_path, users_path, querydefs_path, license } = this.#snapshots().service.settings;
    return this.#files ??= WatchedFiles.open([
      databases_path,
      users_path,
      querydefs_path,
      license,
      this.#orders.path,
    ]);
  }

  async #load({ unlessSame = false } = {}): Promise<void> {
    const live = this.#snapshots();
    const before = live.service.configuration;
    try {
      const next = reloadConfiguration(before, this.environment);
      if (unlessSame && isSame(next, before)) return;
      requireSameFiles(await this.#watched(), before);
      await live.apply(next);
      this.#reloads++;
      this.#report([]);
      for (const warning of next.warnings) if (!before.warnings.includes(warning)) this.#log.warn(warning);
      await this.#hashSecrets(next);
    } catch (error) {
      this.#report(complaintsOf(error));
    }
  }

  /** A password that an editor wrote plainly becomes its hash, as at the start, and is read once more. */
  async #hashSecrets(configuration: Configuration): Promise<void> {
    const isPlain = ({ password = "" }: User) => password !== "" && !isPasswordHash(password);
    if (!configuration.users.values().some(isPlain)) return;
    try {
      await hashPlainSecrets(configuration);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#log.warn(`The passwords in users.cfg cannot be replaced by their hashes: ${error.message}`);
    }
  }

  #report(complaints: readonly string[]): void {
    if (complaints.join("\n") === this.#complaints.join("\n")) return;
    for (const complaint of complaints) {
      this.#log.error(`The changed configuration is not used: ${complaint}`);
    }
    if (complaints.length === 0) this.#log.info("The configuration is in order again");
    this.#complaints = complaints;
  }
}
