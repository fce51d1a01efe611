/**
 * Ties a session to the credentials of its user, so that it ends when they change, in whatever store it is.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import type { User } from "@/core/model.ts";
import { passwordSalt } from "@/core/identity/passwords.ts";
import { isSame, type Secrets } from "./secret.ts";

/** Fingerprints of users' credentials; without the service's secret nothing can be learned from one. */
export interface Fingerprints {
  /**
   * Of the password and, for sessions that `apikey` opened, of the key. A password that was only hashed anew is the same,
   * so that raising the cost of hashes ends no session.
   */
  of(user: User, method: string): string;
  /** Whether it is the user's own now, also if it was made with the secret before the current one. */
  fits(fingerprint: string, user: User, method: string): boolean;
}

/** `secrets` are those for this purpose. */
export function createFingerprints({ current, previous }: Secrets): Fingerprints {
  const of = remembered(current);
  const before = previous && remembered(previous);
  return {
    of,
    fits: (fingerprint, user, method) =>
      [user, ...(user.former ? [user.former] : [])].some((each) =>
        isSame(fingerprint, of(each, method)) ||
        (before !== undefined && isSame(fingerprint, before(each, method)))
      ),
  };
}

/** A user never changes, a new one takes its place; so each request with a session need not compute this again. */
function remembered(key: Uint8Array): Fingerprints["of"] {
  const kept = { byKey: new WeakMap<User, string>(), otherwise: new WeakMap<User, string>() };
  return (user, method) => {
    const isByKey = method === "apikey";
    const known = isByKey ? kept.byKey : kept.otherwise;
    const found = known.get(user);
    if (found !== undefined) return found;
    const made = make(key, user, isByKey);
    known.set(user, made);
    return made;
  };
}

function make(key: Uint8Array, { login, password = "", apikeyHash = "" }: User, isByKey: boolean): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([login, passwordSalt(password), ...(isByKey ? [apikeyHash] : [])]))
    .digest("base64url");
}
