/**
 * Checks logins with passwords: an unknown login, a user without password and a wrong password take the same way and
 * the same time.
 *
 * @module
 */

import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Log } from "@/plugins/contract.ts";
import type { User } from "./model.ts";
import {
  type HashCost,
  hashPassword,
  isPasswordHash,
  remainingCost,
  strengthenHash,
  verifyPassword,
} from "./passwords.ts";

/** Where users and what their passwords cost come from. */
export interface PasswordCheckerOptions {
  /** The user as configured at this moment. */
  findUser(login: string): User | undefined;
  readonly cost: HashCost;
  readonly log: Log;
  /** Stores a user's hash of higher cost in place of the one that was verified. */
  strengthen?(user: User, hash: string): Promise<void>;
}

/** One for the whole service, so that hashes are raised one after the other. */
export class PasswordChecker {
  readonly #options: PasswordCheckerOptions;
  readonly #strengthening = new Map<string, Promise<void>>();
  #dummy: Promise<string> | undefined;
  #verifications = 0;

  constructor(options: PasswordCheckerOptions) {
    this.#options = options;
  }

  /** How many hashes have been verified: one for each check, whatever came of it. */
  get verifications(): number {
    return this.#verifications;
  }

  /** Waits until every hash that is being raised is stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#strengthening.values());
  }

  /** The user whose login and password these are. */
  async check(login: string, password: string): Promise<User | undefined> {
    const user = this.#options.findUser(login);
    const stored = user?.password;
    const isHash = stored !== undefined && isPasswordHash(stored);
    const dummy = await this.#dummyHash();
    this.#verifications++;
    const verified = isHash ? stored : dummy;
    const fits = await verifyPassword(verified, password);
    const rest = remainingCost(verified, this.#options.cost);
    if (rest) await hashPassword(password, rest);
    if (stored === undefined) return undefined;
    if (isHash ? !fits : !isSame(stored, password)) return undefined;
    // In the meantime the user may have been disabled or removed; another hash may be of the same password.
    const now = this.#options.findUser(login);
    if (now && now.password !== stored) return await this.check(login, password);
    if (now && isHash) this.#strengthen(now, stored, password);
    return now;
  }

  /** Made when it is first needed, before the first verification of whatever user. */
  async #dummyHash(): Promise<string> {
    this.#dummy ??= hashPassword(randomBytes(16).toString("hex"), this.#options.cost);
    return await this.#dummy;
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
