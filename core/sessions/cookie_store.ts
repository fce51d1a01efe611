/**
 * Sessions in the cookie itself: sealed with authenticated encryption, so that nobody can read or change them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Secrets } from "./secret.ts";
import type { Session } from "./session.ts";
import type { Change, SessionStore, Updated } from "./store.ts";

const CIPHER = "aes-256-gcm";
const NONCE = 12;
const TAG = 16;
/** Authenticated with each ticket: what was sealed for something else is none. */
const PURPOSE = Buffer.from("rowhouse session 1");

/** Tickets are accepted that were sealed with the current or the previous secret; new ones have the current. */
export function createCookieStore(secrets: Secrets): SessionStore {
  const keys = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  const store: SessionStore = {
    noteShare: 1 / 10,
    create: (session) => Promise.resolve(seal(session, secrets.current)),
    load: (ticket) => Promise.resolve(open(ticket, keys)),
    update: (ticket, change) => Promise.resolve(update(open(ticket, keys), change, secrets)),
    remove: () => Promise.resolve(),
    removeAllOf: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return store;
}

function update(
  session: Session | undefined,
  change: (session: Session) => Change | undefined,
  { current }: Secrets,
): Updated | undefined {
  const wanted = session && change(session);
  if (!wanted) return session && { session };
  return { session: wanted.session, ticket: seal(wanted.session, current) };
}

function seal(session: Session, key: Uint8Array): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(PURPOSE);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(session), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
}

function open(ticket: string, keys: readonly Uint8Array[]): Session | undefined {
  const bytes = Buffer.from(ticket, "base64url");
  // The decoder skips what is no base64; a ticket has exactly one spelling.
  if (bytes.length <= NONCE + TAG || bytes.toString("base64url") !== ticket) return undefined;
  for (const key of keys) {
    const text = decrypt(bytes, key);
    // Whatever was sealed with the key is a session.
    if (text !== undefined) return JSON.parse(text) as Session;
  }
  return undefined;
}

function decrypt(bytes: Uint8Array, key: Uint8Array): string | undefined {
  const end = bytes.length - TAG;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(PURPOSE).setAuthTag(bytes.subarray(end));
  const text = decipher.update(bytes.subarray(NONCE, end));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch (error) {
    // Only the tag can be wrong here: another key, or a changed ticket.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
