/**
 * Sessions of browsers.
 *
 * @module
 */

import type { Json, User } from "@/core/model.ts";
import type { Sender } from "./sender.ts";
import type { Onward } from "./auth_route.ts";

/**
 * Sessions of browsers, which their cookie stands for. Its methods throw what answers with 503 while the sessions cannot
 * be reached; methods let that pass.
 */
export interface AuthSessions {
  /**
   * Opens a new session for a user; the one that the request may have ends. Gives the values of `Set-Cookie` that the
   * answer must have.
   */
  open(user: User, request: Sender, options?: SessionOptions): Promise<readonly string[]>;
  /** The session of a request's cookie, and what becomes of the cookie. */
  resume(request: Sender): Promise<ResumedSession>;
  /** Ends the session of a request, if there is one. Gives the values of `Set-Cookie` that clear its cookie. */
  close(request: Sender): Promise<readonly string[]>;
  /**
   * Ends the sessions that this method opened for a subject and whose details are meant, in whatever browser they are;
   * gives their users' logins. Undefined: the cookies hold the sessions themselves, so only {@link close} ends one.
   */
  endFor(
    subject: string,
    isMeant: (details: SessionDetails | undefined) => boolean,
  ): Promise<readonly string[] | undefined>;
}

/** What is known of a session when it is opened. */
export interface SessionOptions {
  /** Kept with the session, 1,500 bytes of JSON at most. */
  readonly details?: SessionDetails | undefined;
  /** Whom a provider logged in: what {@link AuthSessions.endFor} finds the session by. */
  readonly subject?: string | undefined;
  /** When the provider's login ends, in milliseconds since 1970: the session ends then, if not before. */
  readonly endsAt?: number | undefined;
}

/** What a request's cookie led to. */
export interface ResumedSession {
  /** Absent: there is no such session, or it is over. */
  readonly session?: AuthSession;
  /** Values of `Set-Cookie` for the answer: a new cookie, or one that clears a cookie that is good for nothing. */
  readonly cookies: readonly string[];
}

/** What the method that opened a session needs to know of it later: a provider's name for the user. */
export type SessionDetails = Readonly<Record<string, Json>>;

/** A session as methods see it. */
export interface AuthSession {
  /** Names the session in logs; whoever sees it cannot use it. */
  readonly id: string;
  /** Whose it is. */
  readonly user: User;
  /** The method that opened it. */
  readonly method: string;
  /** When, in milliseconds since 1970. */
  readonly openedAt: number;
  /** What that method keeps with it. */
  readonly details?: SessionDetails;
  /** What forms of this session carry, so that no other site can send them. */
  readonly csrfToken: string;
}

/** A session has been ended. */
export interface LoggedOut {
  /** The session that there was. */
  readonly session?: AuthSession;
  /** Values of `Set-Cookie` for the answer. */
  readonly cookies: readonly string[];
  /** Where the method that opened the session wants the browser to go on. */
  readonly onward?: Onward;
}
