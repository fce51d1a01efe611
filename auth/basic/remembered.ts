/**
 * Remembers verified passwords for a minute, because verifying one is slow on purpose and the credentials
 * come with every request. It stores a keyed hash, with a key of this process, never the password.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import type { AuthHost, User } from "@/plugins/contract.ts";

/** The login and password of a header. */
export interface Credentials {
  readonly login: string;
  readonly password: string;
}

/** Milliseconds. */
const LIFETIME = 60_000;
/** Number of remembered passwords; above it the oldest one is forgotten. */
const MOST = 10_000;

interface Entry {
  /** The user at the time of verification. */
  readonly user: User;
  readonly until: number;
}

/** Verified passwords of the last minute, one store per process. Wrong passwords are not remembered. */
export class Remembered {
  readonly #host: Pick<AuthHost, "findUser" | "now">;
  readonly #key = randomBytes(32);
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Promise<User | undefined>>();

  constructor(host: Pick<AuthHost, "findUser" | "now">) {
    this.#host = host;
  }

  /**
   * The user of remembered credentials, else the result of `verify`; concurrent requests with the same
   * credentials share one verification. Only the network that sent a password finds it again: other networks
   * cannot test passwords here faster than the throttle allows.
   */
  check(
    { login, password }: Credentials,
    network: string,
    verify: () => Promise<User | undefined>,
  ): User | Promise<User | undefined> {
    // An HMAC costs four times as much. It would only matter to a person who sees hashes.
    const hash = createHash("sha256").update(this.#key).update(JSON.stringify([network, login, password]));
    const key = hash.digest("base64");
    return this.#recall(key) ?? this.#verify(key, verify);
  }

  async #verify(key: string, verify: () => Promise<User | undefined>): Promise<User | undefined> {
    const running = this.#running.get(key) ?? verify().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    const user = await running;
    if (user) this.#remember(key, user);
    return user;
  }

  /** The present user; undefined if the account was removed or changed. */
  #recall(key: string): User | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const user = this.#host.findUser(entry.user.login);
    if (user && user === entry.user && this.#host.now() < entry.until) return user;
    this.#entries.delete(key);
    return undefined;
  }

  #remember(key: string, user: User): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.size >= MOST ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { user, until: this.#host.now() + LIFETIME });
  }
}
