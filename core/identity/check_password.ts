/**
 * Checks logins with passwords: an unknown login, a user without password and a wrong password take the same
 * path and the same time. An account with a password of its own is decided by that alone; other accounts by
 * the authentication methods that check passwords elsewhere.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import type { User } from "@/core/model.ts";
import type { Log } from "@/plugins/contract.ts";
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
import { ADMIN, PUBLIC } from "./permissions.ts";
import { isSame } from "./sessions/secret.ts";

/** The source of users, and the cost of hashes. */
export interface PasswordCheckerOptions {
  /** The users of the present configuration; a change creates another map. */
  users(): ReadonlyMap<string, User>;
  /** The cost of new hashes. */
  readonly cost: HashCost;
  readonly log: Log;
  /** Whether an authentication method knows the password of this login. Rejects while one cannot tell. */
  askMethods(login: string, password: string): Promise<boolean>;
  /** Replaces the verified hash of a user by one of higher cost. */
  strengthen?(user: User, hash: string): Promise<void>;
}

/**
 * The cost of each check: that of the most expensive hash, because a different time would reveal whether an
 * account exists. Logins without a hash are checked against `dummy`.
 */
interface Priced {
  readonly users: ReadonlyMap<string, User>;
  readonly cost: HashCost;
  readonly dummy: Promise<string>;
}

/** One instance serves the whole service, so that hashes are raised one after another. */
export class PasswordChecker {
  readonly #options: PasswordCheckerOptions;
  readonly #strengthening = new Map<string, Promise<void>>();
  #priced: Priced | undefined;
  #work = 0;

  constructor(options: PasswordCheckerOptions) {
    this.#options = options;
  }

  /** Total cost of all checks, in KiB times passes; each check costs the same, whatever its outcome. */
  get work(): number {
    return this.#work;
  }

  /** Waits until every raised hash is stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#strengthening.values());
  }

  /** The user with this login and password. Rejects with 503 while it cannot be checked. */
  async check(login: string, password: string): Promise<User | undefined> {
    const stored = this.#findUser(login)?.password;
    const isHash = stored !== undefined && isPasswordHash(stored);
    const { cost, dummy } = this.#price();
    // The first login waits for it, whether the account exists or not.
    const unknown = await dummy;
    const verified = isHash ? stored : unknown;
    const fits = await verifyPassword(verified, password);
    const rest = remainingCost(verified, cost);
    const spent = rest ? workOf(await hashPassword(password, rest)) : 0;
    this.#work += workOf(verified) + spent;
    if (stored === undefined) return await this.#checkElsewhere(login, password);
    if (isHash ? !fits : !isSame(stored, password)) {
      // The password is wrong, whatever they say: only their time counts.
      await this.#askAboutNobody().catch(() => {});
      return undefined;
    }
    // Meanwhile the user may have been disabled or removed; a changed hash may belong to the same password.
    const now = this.#findUser(login);
    if (now && now.password !== stored) return await this.check(login, password);
    if (now && isHash) this.#strengthen(now, stored, password);
    return now;
  }

  /**
   * An empty password is refused: directories take it for a login without password. `admin` gets a password
   * in the first run, and a person of a directory does not become `admin` by that name.
   */
  async #checkElsewhere(login: string, password: string): Promise<User | undefined> {
    const mayAsk = login !== ADMIN && password !== "" && this.#findUser(login);
    if (!mayAsk) {
      await this.#askAboutNobody();
      return undefined;
    }
    if (!await this.#options.askMethods(login, password)) return undefined;
    const now = this.#findUser(login);
    return now && now.password !== undefined ? await this.check(login, password) : now;
  }

  /** Takes the time of a wrong password, and tells the methods nothing: neither a login nor a password. */
  async #askAboutNobody(): Promise<void> {
    const [login, password] = [randomBytes(8), randomBytes(16)].map((bytes) => bytes.toString("hex"));
    await this.#options.askMethods(`nobody-${login}`, password ?? "");
  }

  /** Nobody can be `public` by credentials: a session of it would be refused with every request. */
  #findUser(login: string): User | undefined {
    return login === PUBLIC ? undefined : this.#options.users().get(login);
  }

  #price(): Priced {
    const users = this.#options.users();
    const before = this.#priced;
    if (before?.users === users) return before;
    const cost = dearestCost(this.#options.cost, users.values().map(({ password }) => password));
    const dummy = before?.cost === cost ? before.dummy : hashPassword(randomBytes(16).toString("hex"), cost);
    return this.#priced = { users, cost, dummy };
  }

  /** The answer does not wait for it, because the first login would take longer. */
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
