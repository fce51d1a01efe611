/**
 * Sessions of browsers: the cookie of a request, and `Set-Cookie` of the answer.
 *
 * @module
 */

import { seenUser } from "@/core/identity/seen_user.ts";
import type { User } from "@/core/model.ts";
import type { AuthSessions, ResumedSession, Sender } from "@/plugins/contract.ts";
import type { Cookie } from "./cookies.ts";
import type { Opening, Sessions } from "./sessions.ts";

/** The store of sessions, and the format of their cookie. */
export interface SessionPlace {
  readonly sessions: Sessions;
  readonly sessionCookie: Cookie;
}

/** {@link AuthSessions} for whole accounts: a session is bound to their secrets. */
interface BrowserSessions extends Omit<AuthSessions, "open"> {
  open(
    user: User,
    request: Sender,
    options: Omit<Opening, "method" | "previous">,
  ): Promise<readonly string[]>;
}

/** The sessions for one method, by its name. */
export function browserSessions(method: string, place: SessionPlace): BrowserSessions {
  const { sessions, sessionCookie } = place;
  return {
    async open(user, sender, options) {
      const previous = sessionCookie.read(sender);
      const { ticket } = await sessions.open(user, { ...options, method, previous });
      return [sessionCookie.give(ticket, sender.client)];
    },
    resume: (sender) => resumeSession(sender, place),
    async close(sender) {
      const ticket = sessionCookie.read(sender);
      if (ticket !== undefined) await sessions.close(ticket);
      return [sessionCookie.clear(sender.client)];
    },
    async endFor(subject, isMeant) {
      const ended = await sessions.endFor({ method, subject }, ({ details }) => isMeant(details));
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
  const {
    session: { id, csrfToken, method, createdAt: openedAt, isLogin = false, details },
    user,
    renewedTicket,
  } = resumed;
  const cookies = renewedTicket === undefined ? [] : [sessionCookie.give(renewedTicket, client)];
  return {
    session: {
      id,
      user: seenUser(user),
      csrfToken,
      method,
      openedAt,
      isLogin,
      ...(details ? { details } : {}),
    },
    cookies,
  };
}
