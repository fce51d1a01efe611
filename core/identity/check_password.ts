/**
 * Checks logins with passwords: an unknown login, a user without password and a wrong password take the same way and
 * the same time.
 *
 * @module
 */

import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Log } from "@/plugins/contract.ts";
import type { User } from "@/core/model.ts";
import {
  dearestCost,
  type HashCost,
  hashPassword,
  isPasswordHash,
  remainingCost,
  strengthenHash,
  verifyPassword,
  workOf,
} from "./passwords.ts";

/** Where users and what their passwords cost come from. */
export interface PasswordCheckerOptions {
  /** The users as configured at this moment; a change makes another map. */
  users(): ReadonlyMap<string, User>;
  /** Of new hashes. */
  readonly cost: HashCost;
  readonly log: Log;
  /** Stores a user's hash of higher cost in place of the one that was verified. */
  strengthen?(user: User, hash: string): Promise<void>;
}

/** One for the whole service, so that hashes are raised one after the other. */
export class PasswordChecker {
  readonly #options: PasswordCheckerOptions;
  readonly #strengthening = new Map<string, Promise<void>>();
  #dummy: { readonly cost: HashCost; readonly hash: Promise<string> } | undefined;
  #priced: { readonly users: ReadonlyMap<string, User>; readonly cost: HashCost } | undefined;
  #work = 0;

  constructor(options: PasswordCheckerOptions) {
    this.#options = options;
  }

  /** What all checks have cost so far, in KiB times passes: each costs the same, whatever comes of it. */
  get work(): number {
    return this.#work;
  }

  /** Waits until every hash that is being raised is stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#strengthening.values());
  }

  /** The user whose login and password these are. */
  async check(login: string, password: string): Promise<User | undefined> {
    const stored = this.#findUser(login)?.password;
    const isHash = stored !== undefined && isPasswordHash(stored);
    const cost = this.#cost();
    const dummy = await this.#dummyHash(cost);
    const verified = isHash ? stored : dummy;
    const fits = await verifyPassword(verified, password);
    const rest = remainingCost(verified, cost);
    if (rest) await hashPassword(password, rest);
    this.#work += workOf(verified) + (rest ? rest.memoryCost * rest.timeCost : 0);
    if (stored === undefined) return undefined;
    if (isHash ? !fits : !isSame(stored, password)) return undefined;
    // In the meantime the user may have been disabled or removed; another hash may be of the same password.
    const now = this.#findUser(login);
    if (now && now.password !== stored) return await this.check(login, password);
    if (now && isHash) this.#strengthen(now, stored, password);
    return now;
  }

  #findUser(login: string): User | undefined {
    return this.#options.users().get(login);
  }

  /** What each check costs: as much as the dearest one, or the time would tell who has an account. */
  #cost(): HashCost {
    const users = this.#options.users();
    if (this.#priced?.users !== users) {
      const stored = users.values().map(({ password }) => password);
      this.#priced = { users, cost: dearestCost(this.#options.cost, stored) };
    }
    return this.#priced.cost;
  }

  /** Made when it is first needed at this cost, before the first verification of whatever user. */
  async #dummyHash(cost: HashCost): Promise<string> {
    if (this.#dummy?.cost !== cost) {
      this.#dummy = { cost, hash: hashPassword(randomBytes(16).toString("hex"), cost) };
    }
    return await this.#dummy.hash;
  }

  /** The answer does not wait for it, or a login would take longer the first time. */
  #strengthen(user: User, stored: string, password: string): void {
    const { cost, strengthen, log } = this.#options;
    if (!strengthen || this.#strengthening.has(stored)) return;
    const work = strengthenHash(stored, password, cost)
      .then(async (raised) => raised === undefined ? undefined : await strengthen(user, raised))
      .catch((error) => log.error(`The password hash of ${user.login} cannot be raised`, error))
      .finally(() => this.#strengthening.delete(stored));
    this.#strengthening.set(stored, work);
  }
}

/** Compares texts without telling by the time how much of them is the same. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}
