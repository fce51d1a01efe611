/**
 * Tokens for forms before a login: a cookie with random bytes, and in the form a MAC of them
 * that only this service can compute.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import type { Sender } from "@/plugins/contract.ts";
import { type Cookie, createCookie } from "./cookies.ts";
import { isSame, randomToken, type Secrets } from "./secret.ts";

const NONCE = /^[A-Za-z0-9_-]{22}$/;

/** Issues and checks tokens without storing them, so that any worker can check the tokens of another. */
export class FormTokens {
  readonly #secrets: Secrets;
  readonly #cookie: Cookie;

  /** `prefix` is the path of `--base-url`. */
  constructor(secrets: Secrets, prefix: string) {
    this.#secrets = secrets;
    this.#cookie = createCookie({ name: "auth_csrf", prefix });
  }

  /**
   * A token for a form that is shown to this browser, and values of `Set-Cookie`: none if the browser has the
   * cookie already, so that two pages can be open.
   */
  issue(sender: Sender): { readonly token: string; readonly cookies: readonly string[] } {
    const known = this.#nonceOf(sender);
    const nonce = known ?? randomToken(16);
    const token = sign(nonce, this.#secrets[0]);
    return { token, cookies: known === undefined ? [this.#cookie.give(nonce, sender.client)] : [] };
  }

  /** Whether a token was issued to this browser. */
  fits(token: string | undefined, sender: Sender): boolean {
    const nonce = this.#nonceOf(sender);
    if (token === undefined || nonce === undefined) return false;
    return this.#secrets.some((key) => isSame(token, sign(nonce, key)));
  }

  #nonceOf(sender: Sender): string | undefined {
    const value = this.#cookie.read(sender);
    return value !== undefined && NONCE.test(value) ? value : undefined;
  }
}

function sign(nonce: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(`form ${nonce}`).digest("base64url");
}
