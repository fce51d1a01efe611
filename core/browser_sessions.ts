/**
 * Sessions as browsers have them: a cookie comes with a request, and `Set-Cookie` goes with the answer.
 *
 * @module
 */

import type { User } from "./model.ts";
import type { SessionCookie } from "./sessions/cookie.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { AuthSessions, ResumedSession, Sender } from "@/plugins/contract.ts";

/** Where sessions are, and how their cookie is written. */
export interface SessionPlace {
  readonly sessions: Sessions;
  readonly sessionCookie: SessionCookie;
}

/** Sessions for one method, by its name. */
export function browserSessions(method: string, place: SessionPlace): AuthSessions {
  return {
    open: (user, sender) => openSession({ user, method }, sender, place),
    resume: (sender) => resumeSession(sender, place),
    close: (sender) => closeSession(sender, place),
  };
}

/** The session of a request's cookie; a cookie that leads to none is cleared. */
export async function resumeSession(
  { headers, client }: Sender,
  { sessions, sessionCookie }: SessionPlace,
): Promise<ResumedSession> {
  const ticket = sessionCookie.read(headers);
  if (ticket === undefined) return { cookies: [] };
  const resumed = await sessions.resume(ticket);
  if (!resumed) return { cookies: [sessionCookie.clear(client)] };
  const { session: { id, csrfToken }, user, renewedTicket } = resumed;
  const cookies = renewedTicket === undefined ? [] : [sessionCookie.give(renewedTicket, client)];
  return { session: { id, user, csrfToken }, cookies };
}

async function openSession(
  { user, method }: { readonly user: User; readonly method: string },
  { headers, client }: Sender,
  { sessions, sessionCookie }: SessionPlace,
): Promise<readonly string[]> {
  const { ticket } = await sessions.open(user, { method, previous: sessionCookie.read(headers) });
  return [sessionCookie.give(ticket, client)];
}

async function closeSession(
  { headers, client }: Sender,
  { sessions, sessionCookie }: SessionPlace,
): Promise<readonly string[]> {
  const ticket = sessionCookie.read(headers);
  if (ticket !== undefined) await sessions.close(ticket);
  return [sessionCookie.clear(client)];
}
