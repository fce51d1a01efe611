/**
 * Sessions inside the cookie: authenticated encryption keeps them unreadable and unchangeable.
 *
 * @module
 */

import { openSealed, sealText } from "./seal.ts";
import type { Secrets } from "./secret.ts";
import type { Change, Session, SessionStore, Updated } from "./store.ts";

/** Text that was sealed for another purpose is not a ticket. */
const PURPOSE = "rowhouse session 1";

/** Accepts tickets sealed with the current or the previous secret; new ones use the current. */
export function createCookieStore(secrets: Secrets): SessionStore {
  const keys = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])];
  const store: SessionStore = {
    noteShare: 1 / 10,
    create: (session) => Promise.resolve(seal(session, secrets.current)),
    load: (ticket) => Promise.resolve(open(ticket, keys)),
    update: (ticket, change) => Promise.resolve(update(open(ticket, keys), change, secrets)),
    remove: () => Promise.resolve(),
    removeAllOf: () => Promise.resolve(),
    removeFor: () => Promise.resolve(undefined),
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
  return sealText(JSON.stringify(session), key, PURPOSE);
}

function open(ticket: string, keys: readonly Uint8Array[]): Session | undefined {
  const text = openSealed(ticket, keys, PURPOSE);
  // The key and the purpose guarantee that the text is a session.
  return text === undefined ? undefined : JSON.parse(text) as Session;
}
