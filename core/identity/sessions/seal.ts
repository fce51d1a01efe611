/**
 * Authenticated encryption of texts that go through browsers: nobody can read or change them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE = 12;
const TAG = 16;

/** The text, sealed and good for URLs and cookies. The purpose is authenticated with it and must be given to open it. */
export function sealText(text: string, key: Uint8Array, purpose: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
}

/** What was sealed with one of the keys for this purpose; undefined for everything else. */
export function openSealed(
  sealed: string,
  keys: readonly Uint8Array[],
  purpose: string,
): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  // The decoder skips what is no base64; a sealed text has exactly one spelling.
  if (bytes.length <= NONCE + TAG || bytes.toString("base64url") !== sealed) return undefined;
  for (const key of keys) {
    const text = decrypt(bytes, key, purpose);
    if (text !== undefined) return text;
  }
  return undefined;
}

function decrypt(bytes: Uint8Array, key: Uint8Array, purpose: string): string | undefined {
  const end = bytes.length - TAG;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(end));
  const text = decipher.update(bytes.subarray(NONCE, end));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch (error) {
    // Only the tag can be wrong here: another key or purpose, or a changed text.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
