/**
 * Remembers right passwords for a minute, because verifying one takes long on purpose and the credentials come with every
 * request. What is kept is a hash with a key of this process, never the password.
 *
 * @module
 */

import { createHmac, randomBytes } from "node:crypto";
import type { AuthHost, User } from "@/plugins/contract.ts";
import type { Credentials } from "./credentials.ts";

/** Milliseconds. */
const LIFETIME = 60_000;
/** The oldest one is forgotten when there are more. */
const MOST = 10_000;

interface Entry {
  /** The user when the password was verified. */
  readonly user: User;
  readonly until: number;
}

/** Right passwords of the last minute, one store per process. Wrong ones are never remembered. */
export class Remembered {
  readonly #host: Pick<AuthHost, "findUser" | "now">;
  readonly #key = randomBytes(32);
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Promise<User | undefined>>();

  constructor(host: Pick<AuthHost, "findUser" | "now">) {
    this.#host = host;
  }

  /**
   * The user of these credentials if they are remembered, else what `verify` gives; requests that come at the same time
   * with the same credentials share one verification. Only the network that a password came from finds it again: nobody
   * else can try passwords here at a speed that the throttle would not allow.
   */
  async check(
    { login, password }: Credentials,
    network: string,
    verify: () => Promise<User | undefined>,
  ): Promise<User | undefined> {
    const key = createHmac("sha256", this.#key).update(JSON.stringify([network, login, password])).digest(
      "base64",
    );
    const known = this.#recall(key);
    if (known) return known;
    const running = this.#running.get(key) ?? verify().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    const user = await running;
    if (user) this.#remember(key, user);
    return user;
  }

  /** As the user is configured now; forgotten when the user is gone or has another password. */
  #recall(key: string): User | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const user = this.#host.findUser(entry.user.login);
    if (user && user.password === entry.user.password && this.#host.now() < entry.until) return user;
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
