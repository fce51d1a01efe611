/**
 * The configured databases: connecting, watching and reconnecting. A request uses one immutable {@link
 * Connection}, which is replaced as a whole.
 *
 * @module
 */

import { messageIn, quote, tryLater } from "@/core/errors.ts";
import type { KnownTables } from "@/core/identity/definition_rights.ts";
import type { DatabaseDefinition, DatabaseMapping } from "@/core/model.ts";
import type { NameComplaint } from "@/core/schema/definition_names.ts";
import type { Database, DatabaseUsage, SqlLexis } from "@/plugins/contract.ts";
import { silent } from "@/plugins/kit/database_failure.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { type Connection, type ConnectionOptions, openConnection } from "./connect.ts";
import { ANSWER, checkInTime, close, type Found, SILENCE } from "./connect_in_time.ts";
import { Faults, type Spread } from "./faults.ts";
import { Leases } from "./leases.ts";
import { usageOfAll } from "./pool_usage.ts";
import { StatementMeter } from "./statement_meter.ts";

/**
 * Milliseconds between two checks of a connected database, and the longest pause
 * between two attempts to connect.
 */
const WATCH_INTERVAL = 2000;
/** Milliseconds before the first attempt to reconnect; each further pause is twice as long. */
const FIRST_PAUSE = 250;

interface ManagedOptions extends Omit<ConnectionOptions, "meter" | "signal"> {
  /** Milliseconds from which a statement is logged. Absent: none is. */
  readonly slow?: number | undefined;
  readonly spread?: Spread;
  /** The database that it replaces: orders to that one count, unless `autoconnect` has changed. */
  readonly before?: ManagedDatabase | undefined;
  /** Called after the database has been connected and its catalog read. */
  connected?(): void;
}

/** One configured database over the life of the service. */
export class ManagedDatabase implements AsyncDisposable {
  readonly #options: Omit<ConnectionOptions, "signal"> & Pick<ManagedOptions, "connected">;
  #definition: DatabaseDefinition;
  #connection: Connection | undefined;
  #connecting: Promise<void> | undefined;
  /** Gives the present attempt to connect up. */
  #giveUp = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: string | undefined;
  /** Whether it should be connected: initially from the definition, later from orders. */
  #wanted: boolean;
  /** It was retired or disposed: it is neither watched nor connected again. */
  #ended = false;
  #looking: Promise<void> | undefined;
  #pause = FIRST_PAUSE;
  /** Failures that an operator has to mend. */
  readonly faults: Faults;
  readonly meter: StatementMeter;
  readonly #leases = new Leases((database) => close(database, this.#options));

  constructor({ slow = Infinity, spread, before, ...options }: ManagedOptions) {
    const { definition, log } = options;
    const subject = `Database ${definition.id}`;
    this.meter = new StatementMeter(subject, log, slow);
    this.#options = { ...options, meter: this.meter };
    this.#definition = definition;
    this.faults = new Faults(subject, log, spread);
    const { autoconnect } = definition;
    this.#wanted = before?.definition.autoconnect === autoconnect ? before.#wanted : autoconnect;
  }

  get definition(): DatabaseDefinition {
    return this.#definition;
  }

  /**
   * Takes a definition that differs only in members without effect on the
   * connection: rights, description, limit.
   */
  redefine(definition: DatabaseDefinition): void {
    this.#definition = definition;
  }

  get status(): "Connected" | "Disconnected" {
    return this.#connection ? "Connected" : "Disconnected";
  }

  /** Whether requests run under their user's database login. */
  get hasLogins(): boolean {
    return this.#options.dialect.hasLogins ?? false;
  }

  /** Its state, in more detail than {@link status}. */
  get state(): "connecting" | "connected" | "failed" | "disconnected" {
    if (this.#connection) return "connected";
    if (this.#connecting) return "connecting";
    return this.#reason === undefined ? "disconnected" : "failed";
  }

  /** The reason why it is disconnected, or why what is connected fails; for operators. */
  get reason(): string | undefined {
    return this.#reason ?? this.faults.reason;
  }

  /** Its connections under all logins; undefined while it is disconnected. */
  get usage(): DatabaseUsage | undefined {
    return this.#connection && usageOfAll(this.#connection.views.pools);
  }

  /** The connection. Throws 503 while disconnected. */
  get connection(): Connection {
    if (this.#connection) return this.#connection;
    throw tryLater(`Database ${quote(this.definition.id)} is disconnected: try again later`, 2);
  }

  /** Its tables; undefined while it is disconnected. */
  get tables(): KnownTables | undefined {
    const connection = this.#connection;
    return connection && { names: connection.schema.tables.names, named: connection.tablesNamed };
  }

  /** How to read its SQL; undefined while it is disconnected. */
  get lexis(): SqlLexis | undefined {
    return this.#connection?.database.sql.lexis;
  }

  /** Mistakes in the names of its definition; empty while disconnected, because they are unknown. */
  get complaints(): readonly NameComplaint[] {
    return this.#connection?.complaints ?? [];
  }

  /**
   * The parts of its catalog that the service does not offer, each with the reason; empty while disconnected.
   */
  get omitted(): readonly string[] {
    return this.#connection?.omitted ?? [];
  }

  /** Connects if configured to, then watches the database. Never throws: a failure becomes the status. */
  async start(): Promise<void> {
    await this.connect();
    this.#watch();
  }

  /** Connects and stays connected until ordered otherwise. */
  load(): Promise<void> {
    this.faults.clear();
    this.#wanted = true;
    return this.connect();
  }

  /** Disconnects after the last use has ended, and stays disconnected until ordered otherwise. */
  async unload(): Promise<void> {
    this.#wanted = false;
    this.#giveUp.abort(new Error("It is not wanted any more"));
    await this.#connecting;
    if (this.#wanted) return;
    this.#reason = undefined;
    await this.#replace(undefined);
  }

  /** Connects or reconnects, unless it should be disconnected; concurrent calls share one attempt. */
  connect(): Promise<void> {
    if (this.#ended || !this.#wanted) return Promise.resolve();
    this.#connecting ??= this.#open().finally(() => this.#connecting = undefined);
    return this.#connecting;
  }

  /**
   * Reads the catalog again after a statement that named what is not there. False if a statement failed in
   * the same words before the catalog was read: another time would not help.
   */
  readAgainFor(error: unknown): boolean {
    if (this.faults.outlasts(this.#connection, error)) return false;
    void this.connect();
    return true;
  }

  /** Checks the database at once: a failure suggests that it is gone. */
  lookSoon(): void {
    if (!this.#ended) void this.#look();
  }

  /** Keeps a database open during a use, even if it is replaced meanwhile. */
  lease(database: Database): Disposable {
    return this.#leases.take(database);
  }

  /** Closes the pools of database logins that no mapping has any more. */
  async retain(mappings: Iterable<DatabaseMapping>): Promise<void> {
    if (this.#connection) await this.#leases.retire(this.#connection.views.retain(mappings));
  }

  /** Stops watching. After the given time the connection is closed, as soon as its last use has ended. */
  async retire(milliseconds: number): Promise<void> {
    this.#ended = true;
    this.faults[Symbol.dispose]();
    clearTimeout(this.#timer);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#timer = setTimeout(resolve, milliseconds);
    this.#timer.unref();
    await promise;
    this.#giveUp.abort(new Error("It is not configured any more"));
    await this.#connecting;
    await this.#replace(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.faults[Symbol.dispose]();
    clearTimeout(this.#timer);
    this.#giveUp.abort(new Error("The service stops"));
    await this.#looking;
    await this.#connecting;
    const connection = this.#connection;
    this.#connection = undefined;
    await this.#leases.closeAll(connection?.views.pools ?? []);
  }

  async #open(): Promise<void> {
    const { definition: { id }, log } = this.#options;
    this.#giveUp = new AbortController();
    const { signal } = this.#giveUp;
    try {
      const connection = await openConnection({ ...this.#options, signal });
      if (this.#reason !== undefined) log.info(`Database ${id} is connected`);
      this.#reason = undefined;
      await this.#replace(connection);
      this.#options.connected?.();
    } catch (error) {
      const reason = messageIn(error);
      if (reason !== this.#reason && !signal.aborted) this.#tell(reason);
      this.#reason = reason;
      await this.#replace(undefined);
    }
  }

  async #replace(connection: Connection | undefined): Promise<void> {
    const previous = this.#connection;
    this.#connection = connection;
    if (previous) await this.#leases.retire(previous.views.pools);
  }

  #watch(): void {
    if (this.#ended) return;
    // The pauses between attempts to connect grow from short to the watch interval.
    this.#pause = this.#connection ? FIRST_PAUSE : Math.min(2 * this.#pause, WATCH_INTERVAL);
    this.#timer = setTimeout(() => {
      this.#look().finally(() => this.#watch());
    }, this.#connection ? WATCH_INTERVAL : this.#pause);
    this.#timer.unref();
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => this.#looking = undefined);
    return this.#looking;
  }

  async #lookNow(): Promise<void> {
    const { signal } = this.#giveUp;
    const found = await this.#check().catch((error: unknown) => {
      if (signal.aborted) return;
      this.#options.log.warn(`Database ${this.definition.id} cannot be checked: ${messageIn(error)}`);
    });
    if (found === "ok") return;
    const lost = this.#connection;
    if (found === "silent") await this.#lose(silent(SILENCE / 1000).message);
    // Another file, or a server that was away: damaged data may have been replaced.
    if (found === "gone") this.faults.forget();
    const connecting = this.connect();
    if (found === "gone" && !await settlesWithin(connecting, ANSWER) && this.#connection === lost) {
      await this.#lose("Its connections are lost");
    }
    await connecting;
  }

  /**
   * Its requests are refused until it is connected again, instead of waiting
   * for a server that does not answer.
   */
  async #lose(reason: string): Promise<void> {
    this.#reason = reason;
    this.#tell(reason);
    await this.#replace(undefined);
  }

  #tell(reason: string): void {
    const { id, dbType } = this.definition;
    this.#options.log.warn(`Database ${id} (${dbType}) is disconnected: ${reason}`);
  }

  #check(): Promise<Found | undefined> {
    const database = this.#connection?.database;
    if (!database) return Promise.resolve(undefined);
    const login = this.definition.autoloadUser;
    return checkInTime(database, { ...this.#options, login, signal: this.#giveUp.signal });
  }
}
