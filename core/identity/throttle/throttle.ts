/**
 * Slows down guessing of passwords and keys: each bucket holds `login_throttle.burst` attempts and regains
 * `login_throttle.rate` per minute.
 *
 * @module
 */

import { type Audit, NO_AUDIT } from "@/core/storage/audit.ts";
import type { Limits } from "./token_bucket.ts";
import { ServiceError } from "@/core/errors.ts";

/**
 * The counters. Form logins, failed credentials and messages of identity providers have separate buckets per network.
 * Failures for a login count per network, so that a stranger cannot lock its owner out; `login` counts them over all
 * networks, `slowed` limits each network while there are too many of those. `rating` counts new passwords that were too
 * weak.
 */
export type Bucket =
  | { readonly kind: "form" | "credentials" | "message"; readonly network: string }
  | { readonly kind: "guess" | "slowed"; readonly network: string; readonly login: string }
  | { readonly kind: "login" | "rating"; readonly login: string };

/** Stores buckets for all processes that share them. */
export interface BucketStore extends AsyncDisposable {
  /**
   * Takes one attempt from each bucket or, if one of them is empty, from none. Returns 0, or the milliseconds until it
   * can succeed.
   */
  take(buckets: readonly Bucket[], limits: Limits): Promise<number>;
  /** Puts one attempt back into each bucket. */
  putBack(buckets: readonly Bucket[], limits: Limits): Promise<void>;
}

/** An attempt that is counted before its outcome is known, so that concurrent attempts all count. */
export interface Attempt {
  /** Gives back the tokens that only a failure costs. */
  succeeded(): Promise<void>;
}

/** Failures for one login, from all networks together, that are allowed at once and per hour. */
const ANYWHERE: Limits = { burst: 100, interval: 36_000 };
/** Factor on a network's waiting time between two attempts for a login above that limit. */
const SLOWER = 5;
/** Number of waiting networks in memory; above it the oldest one is forgotten. */
const MOST_WAITING = 10_000;

/** The audit log for refusals, and a clock in milliseconds. */
export interface ThrottleSurroundings {
  readonly audit?: Audit;
  /** A clock that is never set back. */
  now?(): number;
}

/** The throttle of all guessable credentials. */
export class Throttle implements AsyncDisposable {
  readonly #store: BucketStore;
  readonly #limits: Limits;
  readonly #audit: Audit;
  readonly #now: () => number;
  /** The end of each network's waiting time after wrong credentials. */
  readonly #waiting = new Map<string, number>();

  constructor(store: BucketStore, limits: Limits, surroundings: ThrottleSurroundings = {}) {
    const { audit = NO_AUDIT, now = () => performance.now() } = surroundings;
    this.#store = store;
    this.#limits = limits;
    this.#audit = audit;
    this.#now = now;
  }

  /**
   * Call before a login form is checked: every attempt counts for the network, and a failure also for the login in it.
   * Throws 429 with `Retry-After`.
   */
  async beginForm(network: string, login: string): Promise<Attempt> {
    return await this.#beginLogin({ kind: "form", network }, login, []);
  }

  /**
   * Call before a password that came with a request is checked: a failure counts for the network and for the login in
   * it. Throws 429 with `Retry-After`.
   */
  async beginPassword(network: string, login: string): Promise<Attempt> {
    const bucket: Bucket = { kind: "credentials", network };
    return await this.#beginLogin(bucket, login, [bucket]);
  }

  /**
   * Call before a new password is rated, which takes long: passwords that are too weak count. Throws 429 with
   * `Retry-After`.
   */
  async beginRating(login: string): Promise<Attempt> {
    const bucket: Bucket = { kind: "rating", login };
    await this.#take([bucket], this.#limits);
    return this.#forgiving([bucket], this.#limits);
  }

  /**
   * Call after a credential without a login, such as an API key, was wrong. Throws 429 with `Retry-After` after too
   * many.
   */
  async countFailure(network: string): Promise<void> {
    const buckets: readonly Bucket[] = [{ kind: "credentials", network }];
    const wait = await this.#store.take(buckets, this.#limits);
    if (wait === 0) return;
    this.#letWait(network, wait);
    this.#refuse(buckets, wait);
  }

  /**
   * Throws 429 with `Retry-After` while this process knows that a network has to wait because of wrong credentials.
   * Call before a key is looked up: a later refusal would still distinguish right keys from wrong ones.
   */
  requireTurn(client: { readonly network: string }): void {
    // The network is computed on first use, and usually no network waits.
    if (this.#waiting.size === 0) return;
    const { network } = client;
    const wait = (this.#waiting.get(network) ?? -Infinity) - this.#now();
    if (wait > 0) throw tooMany(wait);
    this.#waiting.delete(network);
  }

  /**
   * Counts a message that a browser brings from an identity provider; call before the message is processed. Any page
   * can make a browser bring one, so logins by password or key do not wait because of it. Throws 429 with `Retry-After`
   * after too many.
   */
  async countMessage(network: string): Promise<Attempt> {
    const bucket: Bucket = { kind: "message", network };
    await this.#take([bucket], this.#limits);
    return this.#forgiving([bucket], this.#limits);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  /**
   * `first` counts for the network; on success the buckets in `forgiven` are given back. A login that fails too often
   * over all networks is not refused, or strangers could lock its owner out: each network then has one attempt and
   * waits longer for the next.
   */
  async #beginLogin(
    first: Extract<Bucket, { network: string }>,
    login: string,
    forgiven: readonly Bucket[],
  ): Promise<Attempt> {
    const { network } = first;
    const guess: Bucket = { kind: "guess", network, login };
    const anywhere: Bucket = { kind: "login", login };
    await this.#take([first, guess], this.#limits);
    const own = this.#forgiving([...forgiven, guess], this.#limits);
    const isSlowed = await this.#store.take([anywhere], ANYWHERE) > 0;
    const slower = { burst: 1, interval: SLOWER * this.#limits.interval };
    const [bucket, limits]: [Bucket, Limits] = isSlowed
      ? [{ kind: "slowed", network, login }, slower]
      : [anywhere, ANYWHERE];
    if (isSlowed) await this.#take([bucket], limits);
    const overall = this.#forgiving([bucket], limits);
    return {
      succeeded: async () => {
        await own.succeeded();
        await overall.succeeded();
      },
    };
  }

  async #take(buckets: readonly Bucket[], limits: Limits): Promise<void> {
    const wait = await this.#store.take(buckets, limits);
    if (wait > 0) this.#refuse(buckets, wait);
  }

  #forgiving(buckets: readonly Bucket[], limits: Limits): Attempt {
    return { succeeded: () => this.#store.putBack(buckets, limits) };
  }

  /** One line per minute and network: a flood of attempts must not rotate older lines out of the audit log. */
  #refuse(buckets: readonly Bucket[], wait: number): never {
    const [network] = buckets.flatMap((bucket) => "network" in bucket ? [bucket.network] : []);
    const [user] = buckets.flatMap((bucket) => "login" in bucket ? [bucket.login] : []);
    this.#audit.recordSeldom({
      action: "throttle",
      outcome: "refused",
      reason: "too many attempts",
      ...(network === undefined ? {} : { address: network }),
      ...(user === undefined ? {} : { user }),
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
    `Too many attempts to log in: try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}`,
    { headers: { "Retry-After": String(seconds) } },
  );
}
