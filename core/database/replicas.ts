/**
 * Read replicas: reads are distributed over the reachable ones, everything else goes to the primary. Without
 * any, or if a replica fails because it applies conflicting changes or lacks a table, the primary answers.
 * Replicas may lag: those that lag too much are left out, and callers read the primary after a write.
 *
 * @module
 */

import type { Catalog } from "@/core/catalog.ts";
import type {
  BeginOptions,
  Database,
  DatabaseUsage,
  Failure,
  Log,
  Login,
  Prepared,
  ReadOptions,
  Row,
  Run,
  SqlTraits,
  StatementDescription,
  StatementText,
  StreamOptions,
  Transaction,
  WrittenStatement,
} from "@/plugins/contract.ts";
import { usageOfAll } from "./pool_usage.ts";
import type { RecentWriters, RequestCaller } from "./recent_writers.ts";
import { Replica, type ReplicaSource } from "./replica.ts";

interface Surroundings {
  readonly log: Log;
  /** It is disposed of with the database. */
  readonly writers: RecentWriters;
}

/** Requests never wait for a replica to be connected; an unreachable one is tried again at each check. */
export function withReplicas(
  primary: Database,
  sources: readonly ReplicaSource[],
  { log, writers }: Surroundings,
): Database {
  const replicas = sources.map((source) => new Replica(source, log));
  for (const replica of replicas) void replica.look();
  return new ReplicatedDatabase(primary, replicas, writers);
}

/** A statement, prepared on each database on its first run there. */
class ReplicatedStatement {
  readonly #statement: StatementText;
  readonly #prepared = new WeakMap<Database, Prepared>();

  constructor(statement: StatementText) {
    this.#statement = statement;
  }

  on(database: Database): Prepared {
    return this.#prepared.getOrInsertComputed(database, () => database.prepare(this.#statement));
  }
}

/** A replica under one login. */
interface Member {
  readonly replica: Replica;
  /** The replica under the login that reads the catalog. */
  readonly base: Database;
  readonly database: Database;
}

class ReplicatedDatabase implements Database {
  readonly sql: SqlTraits;
  readonly as?: (login: Login) => Database;
  readonly write?: NonNullable<Database["write"]>;
  readonly plan?: NonNullable<Database["plan"]>;
  readonly #primary: Database;
  readonly #replicas: readonly Replica[];
  readonly #writers: RecentWriters;
  readonly #login: Login | undefined;
  readonly #members = new Map<Replica, Member>();
  #turn = 0;

  constructor(primary: Database, replicas: readonly Replica[], writers: RecentWriters, login?: Login) {
    this.sql = primary.sql;
    this.#primary = primary;
    this.#replicas = replicas;
    this.#writers = writers;
    this.#login = login;
    if (primary.write) {
      this.write = (write, options) => {
        const work = primary.write?.(write, options);
        return work && this.#noted(options, work);
      };
    }
    const { plan } = primary;
    if (plan) this.plan = (statement, values) => plan.call(primary, statement, values);
    if (primary.as) {
      this.as = (other) => new ReplicatedDatabase(primary.as?.(other) ?? primary, replicas, writers, other);
    }
  }

  usage(): DatabaseUsage | undefined {
    return usageOfAll([this.#primary, ...this.#members.values().map(({ database }) => database)]);
  }

  catalog(): Promise<Catalog> {
    return this.#primary.catalog();
  }

  check(): Promise<"ok" | "changed" | "gone"> {
    for (const replica of this.#replicas) void replica.look();
    return this.#primary.check();
  }

  prepare(statement: StatementText): ReplicatedStatement {
    return new ReplicatedStatement(statement);
  }

  describe(statement: WrittenStatement): Promise<StatementDescription> {
    return this.#primary.describe(statement);
  }

  async read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    const member = this.#next(options);
    const readFrom = (database: Database) => {
      return database.read(runs.map((run) => runOn(run, database)), options);
    };
    try {
      return await readFrom(member?.database ?? this.#primary);
    } catch (error) {
      if (!member || !this.#mayPrimary(member, error)) throw error;
      return await readFrom(this.#primary);
    }
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    const member = this.#next(options);
    let isUnderWay = false;
    try {
      const database = member?.database ?? this.#primary;
      for await (const rows of database.stream(runOn(run, database), options)) {
        isUnderWay = true;
        yield rows;
      }
    } catch (error) {
      // Rows that were sent already cannot be sent again.
      if (!member || isUnderWay || !this.#mayPrimary(member, error)) throw error;
      yield* this.#primary.stream(runOn(run, this.#primary), options);
    }
  }

  async begin(options: BeginOptions): Promise<Transaction> {
    const transaction = await this.#primary.begin(options);
    if (options.readOnly) return transaction;
    return {
      run: (statement, parameters) => transaction.run(statement, parameters),
      commit: () => this.#noted(options, transaction.commit()),
      rollback: () => transaction.rollback(),
      [Symbol.asyncDispose]: () => transaction[Symbol.asyncDispose](),
    };
  }

  classify(error: unknown): Failure | undefined {
    return this.#primary.classify(error);
  }

  explain(error: unknown): string {
    return this.#primary.explain(error);
  }

  place(error: unknown): number | undefined {
    return this.#primary.place?.(error);
  }

  refusedParameter(error: unknown): number | undefined {
    return this.#primary.refusedParameter?.(error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open: AsyncDisposable[] = [this.#primary];
    if (this.#login) open.push(...[...this.#members.values()].map(({ database }) => database));
    else {
      this.#writers[Symbol.dispose]();
      open.push(...this.#replicas);
    }
    await Promise.all(open.map((each) => each[Symbol.asyncDispose]()));
  }

  #mayPrimary({ replica }: Member, error: unknown): boolean {
    const failure = this.#primary.classify(error);
    // Lost or only busy: the check will tell.
    const isServer = failure === "unavailable" || failure === "storage" || failure === "corrupt";
    if (isServer) void replica.look();
    return isServer || failure === "contention" || failure === "changed";
  }

  /** Notes who writes, now and when it is done. */
  #noted<T>(writer: RequestCaller, work: Promise<T>): Promise<T> {
    this.#writers.note(writer);
    return work.then((result) => {
      this.#writers.note(writer);
      return result;
    });
  }

  /** The next reachable replica. Undefined: the primary is read. */
  #next(reader: RequestCaller): Member | undefined {
    if (this.#writers.has(reader)) return undefined;
    for (let tries = 0; tries < this.#replicas.length; tries++) {
      const replica = this.#replicas[this.#turn++ % this.#replicas.length];
      const base = replica?.database;
      if (replica && base) return this.#member(replica, base);
    }
    return undefined;
  }

  #member(replica: Replica, base: Database): Member {
    const known = this.#members.get(replica);
    if (known?.base === base) return known;
    // Pools under this login to a lost replica are useless.
    if (known && this.#login) void known.database[Symbol.asyncDispose]();
    const database = this.#login && base.as ? base.as(this.#login) : base;
    const member = { replica, base, database };
    this.#members.set(replica, member);
    return member;
  }
}

function runOn({ prepared, parameters }: Run, database: Database): Run {
  if (prepared instanceof ReplicatedStatement) return { prepared: prepared.on(database), parameters };
  throw new TypeError("The statement was not prepared by this database");
}
