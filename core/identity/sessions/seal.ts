/**
 * Authenticated encryption of texts that pass through browsers, such as the state of a login at an identity
 * provider: browsers can neither read nor change them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { AuthHost, SealedCookie } from "@/plugins/contract.ts";
import { createCookie } from "./cookies.ts";
import type { Secrets } from "./secret.ts";

const CIPHER = "aes-256-gcm";
const NONCE = 12;
const TAG = 16;

/**
 * Seals a text into characters for URLs and cookies. The purpose is authenticated and required to open it.
 */
export function sealText(text: string, [key]: Secrets, purpose: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
}

/** Opens a text that was sealed with one of the keys for this purpose; undefined for everything else. */
export function openSealed(sealed: string, keys: Secrets, purpose: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  // The decoder skips invalid base64; only the exact spelling of a sealed text is accepted.
  if (bytes.length <= NONCE + TAG || bytes.toString("base64url") !== sealed) return undefined;
  for (const key of keys) {
    const text = decrypt(bytes, key, purpose);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Seals and opens texts of one method; texts of other methods cannot be opened. */
export function createSeals(
  method: string,
  keys: Secrets,
  now: () => number,
): Pick<AuthHost, "seal" | "unseal"> {
  const purpose = `rowhouse state of ${method} 1`;
  return {
    seal: (text, seconds) => sealText(`${Math.floor(now() + seconds * 1000)} ${text}`, keys, purpose),
    unseal(sealed) {
      const opened = openSealed(sealed, keys, purpose);
      const space = opened?.indexOf(" ") ?? -1;
      if (opened === undefined || !(now() < Number(opened.slice(0, space)))) return undefined;
      return opened.slice(space + 1);
    },
  };
}

/** A cookie with sealed content that expires, such as a login that has begun. */
export function createSealedCookie(
  name: string,
  seconds: number,
  host: Pick<AuthHost, "seal" | "unseal" | "prefix">,
): SealedCookie {
  /** Distinguishes its content from other sealed texts of the same method. */
  const mark = `cookie ${name} `;
  const cookie = createCookie({ name, prefix: host.prefix, maxAge: seconds });
  return {
    give: (text, { client }) => cookie.give(host.seal(mark + text, seconds), client),
    clear: ({ client }) => cookie.clear(client),
    read(sender) {
      const opened = host.unseal(cookie.read(sender) ?? "");
      return opened?.startsWith(mark) ? opened.slice(mark.length) : undefined;
    },
  };
}

function decrypt(bytes: Uint8Array, key: Uint8Array, purpose: string): string | undefined {
  const end = bytes.length - TAG;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(end));
  const text = decipher.update(bytes.subarray(NONCE, end));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch (error) {
    // Only the authentication tag can be wrong here: another key or purpose, or a changed text.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
