/**
 * Slows down whoever guesses passwords or keys: each bucket holds `login_throttle.burst` attempts and gets
 * `login_throttle.rate` a minute back.
 *
 * @module
 */

import type { Limits } from "./bucket.ts";
import { ServiceError } from "./errors.ts";
import type { NoteLimit } from "./limit_notes.ts";

/**
 * What attempts are counted by. Form logins, failed credentials and messages of identity providers have buckets of their own
 * per address; failures for a login count together, however they came.
 */
export type Bucket =
  | { readonly kind: "form"; readonly network: string }
  | { readonly kind: "credentials"; readonly network: string }
  | { readonly kind: "message"; readonly network: string }
  | { readonly kind: "login"; readonly login: string };

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

/** The throttle of everything that can be guessed. */
export class Throttle implements AsyncDisposable {
  readonly #store: BucketStore;
  readonly #limits: Limits;
  readonly #note: NoteLimit;

  constructor(store: BucketStore, limits: Limits, note: NoteLimit = () => {}) {
    this.#store = store;
    this.#limits = limits;
    this.#note = note;
  }

  /**
   * Before a login form is checked: every attempt counts for the address, failures for the login, too. Throws 429 with
   * `Retry-After`.
   */
  async beginForm(network: string, login: string): Promise<Attempt> {
    const forLogin: Bucket = { kind: "login", login };
    return await this.#begin([{ kind: "form", network }, forLogin], [forLogin]);
  }

  /**
   * Before a password that came with a request is checked: failures count for the address and for the login. Throws 429
   * with `Retry-After`.
   */
  async beginPassword(network: string, login: string): Promise<Attempt> {
    const buckets: readonly Bucket[] = [{ kind: "credentials", network }, { kind: "login", login }];
    return await this.#begin(buckets, buckets);
  }

  /**
   * After a credential without a login, such as an API key, was found to be wrong. Throws 429 with `Retry-After` when there
   * have been too many.
   */
  async countFailure(network: string): Promise<void> {
    await this.#begin([{ kind: "credentials", network }], []);
  }

  /**
   * After a message that a browser brought from an identity provider was refused. Every page can make a browser bring one,
   * so those who have passwords and keys need not wait for it. Throws 429 with `Retry-After` when there have been too many.
   */
  async countMessage(network: string): Promise<void> {
    await this.#begin([{ kind: "message", network }], []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }

  async #begin(counted: readonly Bucket[], forgiven: readonly Bucket[]): Promise<Attempt> {
    const wait = await this.#store.take(counted, this.#limits);
    if (wait > 0) {
      this.#note(counted);
      throw tooMany(wait);
    }
    return { succeeded: () => this.#store.putBack(forgiven, this.#limits) };
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
