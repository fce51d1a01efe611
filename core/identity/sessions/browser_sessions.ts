/**
 * Sessions of browsers: the cookie of a request, and `Set-Cookie` of the answer.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import type { Cookie } from "./cookies.ts";
import type { SessionData } from "./store.ts";
import type { Sessions } from "./sessions.ts";
import type { AuthSessions, ResumedSession, Sender, SessionDetails } from "@/plugins/contract.ts";

/** The store of sessions, and the format of their cookie. */
export interface SessionPlace {
  readonly sessions: Sessions;
  readonly sessionCookie: Cookie;
}

/** The member of a session's data that belongs to the method which opened it. */
const DETAILS = "details";

/** The sessions for one method, by its name. */
export function browserSessions(method: string, place: SessionPlace): AuthSessions {
  const { sessions, sessionCookie } = place;
  return {
    async open(user, sender, { details, ...opening } = {}) {
      const data = details === undefined ? {} : { [DETAILS]: details };
      const previous = sessionCookie.read(sender);
      const { ticket } = await sessions.open(user, { method, ...opening, data, previous });
      return [sessionCookie.give(ticket, sender.client)];
    },
    resume: (sender) => resumeSession(sender, place),
    async close(sender) {
      const ticket = sessionCookie.read(sender);
      if (ticket !== undefined) await sessions.close(ticket);
      return [sessionCookie.clear(sender.client)];
    },
    async endFor(subject, isMeant) {
      const ended = await sessions.endFor({ method, subject }, ({ data }) => isMeant(detailsIn(data)));
      return ended?.map(({ login }) => login);
    },
  };
}

/** The session of a request's cookie; an invalid cookie is cleared. */
export async function resumeSession(
  sender: Sender,
  { sessions, sessionCookie }: SessionPlace,
): Promise<ResumedSession> {
  const ticket = sessionCookie.read(sender);
  const { client } = sender;
  if (ticket === undefined) return { cookies: [] };
  const resumed = await sessions.resume(ticket);
  if (!resumed) return { cookies: [sessionCookie.clear(client)] };
  const { session: { id, csrfToken, method, createdAt: openedAt, data }, user, renewedTicket } = resumed;
  const details = detailsIn(data);
  const cookies = renewedTicket === undefined ? [] : [sessionCookie.give(renewedTicket, client)];
  return { session: { id, user, csrfToken, method, openedAt, ...(details ? { details } : {}) }, cookies };
}

function detailsIn({ [DETAILS]: details }: SessionData): SessionDetails | undefined {
  return typeof details === "object" && details !== null && !isList(details) ? details : undefined;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
