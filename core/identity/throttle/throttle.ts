/**
 * Slows down guessing of passwords and keys: each bucket holds `login_throttle.burst` attempts and regains
 * `login_throttle.rate` per minute.
 *
 * @module
 */

import { counted } from "@/core/base/counted.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Audit } from "@/core/storage/audit.ts";
import type { Attempt, AuthThrottle } from "@/plugins/contract.ts";
import { customerOf } from "@/core/identity/client_address.ts";
import { type Bucket, type BucketStore, giveBack, type Limits, take } from "./buckets.ts";

/** Failures for one login, from all networks together, that are allowed at once and per hour. */
const ANYWHERE: Limits = { burst: 100, interval: 36_000 };
/** Factor on a customer's waiting time between two attempts for a login above that limit. */
const SLOWER = 5;
/** Number of waiting networks in memory; above it the oldest one is forgotten. */
const MOST_WAITING = 10_000;

/** The audit log for refusals, and a clock in milliseconds. */
interface ThrottleSurroundings {
  readonly audit: Audit;
  /** A clock that is never set back. */
  now?(): number;
}

/** The throttle of all guessable credentials. Its methods throw 429 with `Retry-After`. */
export class Throttle implements AuthThrottle, AsyncDisposable {
  readonly #store: BucketStore;
  readonly #limits: Limits;
  readonly #audit: Audit;
  readonly #now: () => number;
  /** The end of each network's waiting time after wrong credentials. */
  readonly #waiting = new Map<string, number>();

  constructor(
    store: BucketStore,
    limits: Limits,
    { audit, now = () => performance.now() }: ThrottleSurroundings,
  ) {
    this.#store = store;
    this.#limits = limits;
    this.#audit = audit;
    this.#now = now;
  }

  async beginForm(network: string, login: string): Promise<Attempt> {
    return await this.#beginLogin({ kind: "form", network }, login, []);
  }

  async beginPassword(network: string, login: string): Promise<Attempt> {
    const bucket: Bucket = { kind: "credentials", network };
    return await this.#beginLogin(bucket, login, [bucket]);
  }

  /**
   * Call before the current password of a user who is logged in is checked, or a new one is rated, which
   * takes long: wrong and weak passwords count for the user.
   */
  async beginChange(kind: "current" | "rating", login: string): Promise<Attempt> {
    return await this.#begin([{ kind, login }], this.#limits);
  }

  async countFailure(network: string): Promise<void> {
    const buckets: readonly Bucket[] = [{ kind: "credentials", network }];
    const wait = await take(this.#store, buckets, this.#limits);
    if (wait === 0) return;
    this.#letWait(network, wait);
    this.#refuse(buckets, wait);
  }

  /** A refusal after the look-up of a key would distinguish right keys from wrong ones. */
  requireTurn(client: { readonly network: string }): void {
    // The network is computed on first use, and usually no network waits.
    if (this.#waiting.size === 0) return;
    const { network } = client;
    const wait = (this.#waiting.get(network) ?? -Infinity) - this.#now();
    if (wait > 0) throw tooMany(wait);
    this.#waiting.delete(network);
  }

  async countMessage(network: string): Promise<Attempt> {
    return await this.#begin([{ kind: "message", network }], this.#limits);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  /**
   * `first` counts for the network; on success the buckets in `forgiven` are given back. A login that fails
   * too often over all networks is not refused, or strangers could lock its owner out: each customer then has
   * one attempt and waits longer for the next.
   */
  async #beginLogin(
    first: Extract<Bucket, { network: string }>,
    login: string,
    forgiven: readonly Bucket[],
  ): Promise<Attempt> {
    const { network } = first;
    const guess: Bucket = { kind: "guess", network, login };
    const anywhere: Bucket = { kind: "login", login };
    await this.#begin([first, guess], this.#limits);
    const isSlowed = await take(this.#store, [anywhere], ANYWHERE) > 0;
    const slower = { burst: 1, interval: SLOWER * this.#limits.interval };
    const overall = isSlowed
      ? await this.#begin([{ kind: "slowed", network: customerOf(network), login }], slower)
      : this.#forgiving([anywhere], ANYWHERE);
    return {
      succeeded: async () => {
        await giveBack(this.#store, [...forgiven, guess], this.#limits);
        await overall.succeeded();
      },
    };
  }

  /** Takes one attempt from each bucket; a success gives it back. */
  async #begin(buckets: readonly Bucket[], limits: Limits): Promise<Attempt> {
    const wait = await take(this.#store, buckets, limits);
    if (wait > 0) this.#refuse(buckets, wait);
    return this.#forgiving(buckets, limits);
  }

  #forgiving(buckets: readonly Bucket[], limits: Limits): Attempt {
    return { succeeded: () => giveBack(this.#store, buckets, limits) };
  }

  /**
   * One line per minute and network: a flood of attempts must not rotate older lines out of the audit log.
   */
  #refuse(buckets: readonly Bucket[], wait: number): never {
    const [network] = buckets.flatMap((bucket) => "network" in bucket ? [bucket.network] : []);
    const [user] = buckets.flatMap((bucket) => "login" in bucket ? [bucket.login] : []);
    this.#audit.recordSeldom({
      action: "throttle",
      outcome: "refused",
      reason: "too many attempts",
      address: network,
      user,
    }, `throttle ${network ?? user}`);
    throw tooMany(wait);
  }

  #letWait(network: string, wait: number): void {
    this.#waiting.delete(network);
    this.#waiting.set(network, this.#now() + wait);
    const [oldest] = this.#waiting.size > MOST_WAITING ? this.#waiting.keys() : [];
    if (oldest !== undefined) this.#waiting.delete(oldest);
  }
}

function tooMany(wait: number): ServiceError {
  const seconds = Math.ceil(wait / 1000);
  return new ServiceError(
    "too-many-requests",
    `Too many attempts: try again in ${counted(seconds, "second")}`,
    { headers: { "Retry-After": String(seconds) } },
  );
}
