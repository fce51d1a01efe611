/**
 * Sessions inside the cookie: authenticated encryption keeps them unreadable and unchangeable.
 *
 * @module
 */

import { openSealed, sealText } from "./seal.ts";
import type { Secrets } from "./secret.ts";
import type { Session, SessionStore } from "./store.ts";

/** Text that was sealed for another purpose is not a ticket. */
const PURPOSE = "rowhouse session 2";

/** Accepts tickets sealed with the current or the previous secret; new ones use the current. */
export function createCookieStore(secrets: Secrets): SessionStore {
  const seal = (session: Session) => sealText(JSON.stringify(session), secrets, PURPOSE);
  const open = (ticket: string): Session | undefined => {
    const text = openSealed(ticket, secrets, PURPOSE);
    // The key and the purpose guarantee that the text is a session.
    return text === undefined ? undefined : JSON.parse(text);
  };
  return {
    noteShare: 1 / 10,
    create: (session) => Promise.resolve(seal(session)),
    load: (ticket) => Promise.resolve(open(ticket)),
    update(ticket, change) {
      const session = open(ticket);
      const wanted = session && change(session);
      const updated = wanted
        ? { session: wanted.session, ticket: seal(wanted.session) }
        : session && { session };
      return Promise.resolve(updated);
    },
    remove: () => Promise.resolve(),
    removeAllOf: () => Promise.resolve(),
    removeFor: () => Promise.resolve(undefined),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
