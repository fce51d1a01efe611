/**
 * Binds a session to its user's credentials, so that it ends when they change, in every store.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import { passwordSalt } from "@/core/identity/passwords.ts";
import type { User } from "@/core/model.ts";
import { isSame, type Secrets } from "./secret.ts";
import type { Session } from "./store.ts";

type Opening = Pick<Session, "isLogin">;

/** Fingerprints of users' credentials; they reveal nothing without the service's secret. */
export interface Fingerprints {
  /**
   * Covers the password and, for sessions that no login opened, the API key. Hashing a password again does
   * not change it, so that raising the cost of hashes ends no session.
   */
  of(user: User, opening: Opening): string;
  /**
   * Whether the fingerprint belongs to the user's present credentials; also true if it
   * was made with the previous secret.
   */
  fits(fingerprint: string, user: User, opening: Opening): boolean;
}

/** `secrets`: the keys derived for fingerprints. */
export function createFingerprints([current, ...previous]: Secrets): Fingerprints {
  const of = remembered(current);
  const all = [of, ...previous.map(remembered)];
  return {
    of,
    fits: (fingerprint, user, opening) =>
      [user, ...(user.former ? [user.former] : [])].some((each) =>
        all.some((compute) => isSame(fingerprint, compute(each, opening)))
      ),
  };
}

/** User objects are immutable, so the fingerprint is computed once per object instead of in each request. */
function remembered(key: Uint8Array): Fingerprints["of"] {
  const [byLogin, otherwise] = [new WeakMap<User, string>(), new WeakMap<User, string>()];
  return (user, { isLogin }) => {
    const known = isLogin === true ? byLogin : otherwise;
    return known.getOrInsertComputed(user, ({ login, password = "", apikeyHash = "" }) => {
      const facts = [login, passwordSalt(password), ...(known === byLogin ? [] : [apikeyHash])];
      return createHmac("sha256", key).update(JSON.stringify(facts)).digest("base64url");
    });
  };
}
