/**
 * Slows down whoever guesses passwords or keys: each bucket holds `login_throttle.burst` attempts and gets
 * `login_throttle.rate` a minute back.
 *
 * @module
 */

import { type Audit, NO_AUDIT } from "@/core/storage/audit.ts";
import type { Limits } from "./token_bucket.ts";
import { ServiceError } from "@/core/errors.ts";

/**
 * What attempts are counted by. Form logins, failed credentials and messages of identity providers have buckets of their
 * own per network. Failures for a login count per network, so that a stranger locks nobody out, however they came; `login`
 * counts them over all networks, `slowed` what one network does while there are too many of those. `rating` counts new
 * passwords that were too weak.
 */
export type Bucket =
  | { readonly kind: "form" | "credentials" | "message"; readonly network: string }
  | { readonly kind: "guess" | "slowed"; readonly network: string; readonly login: string }
  | { readonly kind: "login" | "rating"; readonly login: string };

/** Keeps buckets where every process that shares them can see them. */
export interface BucketStore extends AsyncDisposable {
  /**
   * Takes one attempt from each bucket or, when one of them is empty, from none. Gives 0, or the milliseconds after
   * which it can succeed.
   */
  take(buckets: readonly Bucket[], limits: Limits): Promise<number>;
  /** Puts one attempt back into each bucket. */
  putBack(buckets: readonly Bucket[], limits: Limits): Promise<void>;
}

/** An attempt that has been counted before its outcome is known, so that many at once count as many. */
export interface Attempt {
  /** Gives back what only failures cost. */
  succeeded(): Promise<void>;
}

/** Failures for one login, from wherever they come, that are let through at once and in an hour. */
const ANYWHERE: Limits = { burst: 100, interval: 36_000 };
/** How many times longer a network waits between two attempts for a login that fails more often than that. */
const SLOWER = 5;
/** Networks that are remembered as waiting; the first one is forgotten when there are more. */
const MOST_WAITING = 10_000;

/** Where refusals are recorded, and a clock in milliseconds. */
export interface ThrottleSurroundings {
  readonly audit?: Audit;
  /** Any clock that is never set back. */
  now?(): number;
}

/** The throttle of everything that can be guessed. */
export class Throttle implements AsyncDisposable {
  readonly #store: BucketStore;
  readonly #limits: Limits;
  readonly #audit: Audit;
  readonly #now: () => number;
  /** Until when a network waits after wrong credentials. */
  readonly #waiting = new Map<string, number>();

  constructor(store: BucketStore, limits: Limits, surroundings: ThrottleSurroundings = {}) {
    const { audit = NO_AUDIT, now = () => performance.now() } = surroundings;
    this.#store = store;
    this.#limits = limits;
    this.#audit = audit;
    this.#now = now;
  }

  /**
   * Before a login form is checked: every attempt counts for the network, failures count for the login in this network,
   * too. Throws 429 with `Retry-After`.
   */
  async beginForm(network: string, login: string): Promise<Attempt> {
    return await this.#beginLogin({ kind: "form", network }, login, []);
  }

  /**
   * Before a password that came with a request is checked: failures count for the network, and for the login in it. Throws
   * 429 with `Retry-After`.
   */
  async beginPassword(network: string, login: string): Promise<Attempt> {
    const bucket: Bucket = { kind: "credentials", network };
    return await this.#beginLogin(bucket, login, [bucket]);
  }

  /** Before a new password is rated, which takes long: those that are too weak count. Throws 429 with `Retry-After`. */
  async beginRating(login: string): Promise<Attempt> {
    const bucket: Bucket = { kind: "rating", login };
    await this.#take([bucket], this.#limits);
    return this.#forgiving([bucket], this.#limits);
  }

  /**
   * After a credential without a login, such as an API key, was found to be wrong. Throws 429 with `Retry-After` when there
   * have been too many.
   */
  async countFailure(network: string): Promise<void> {
    const buckets: readonly Bucket[] = [{ kind: "credentials", network }];
    const wait = await this.#store.take(buckets, this.#limits);
    if (wait === 0) return;
    this.#letWait(network, wait);
    this.#refuse(buckets, wait);
  }

  /**
   * Throws 429 with `Retry-After` while this process knows that a network has to wait for its wrong credentials. To be
   * asked before a key is looked up: a refusal that comes afterwards would still tell a right key from wrong ones.
   */
  requireTurn(client: { readonly network: string }): void {
    // The network is worked out when it is first asked for, and hardly ever does anybody wait.
    if (this.#waiting.size === 0) return;
    const { network } = client;
    const wait = (this.#waiting.get(network) ?? -Infinity) - this.#now();
    if (wait > 0) throw tooMany(wait);
    this.#waiting.delete(network);
  }

  /**
   * Counts a message that a browser brings from an identity provider, at best before anything is done with it. Every page
   * can make a browser bring one, so those who have passwords and keys need not wait for it. Throws 429 with
   * `Retry-After` when there have been too many.
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
   * `first` counts for the network; of that, what is in `forgiven` is given back on success. A login that fails too often
   * over all networks is not refused, or strangers would lock its owner out: each network has one attempt then, and waits
   * longer for the next one.
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

  /** One line a minute and network: a flood of attempts must not wash older lines out of the audit log. */
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
