/**
 * Sessions of browsers.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import type { Onward } from "./auth_route.ts";
import type { User } from "./auth_user.ts";
import type { Sender } from "./sender.ts";

/**
 * Sessions of browsers, identified by their cookie. Its methods throw an error that the core answers with 503
 * while the store of sessions is unreachable; methods must not catch it.
 */
export interface AuthSessions {
  /**
   * Opens a new session for a user and ends the one that the request may have. Returns
   * values of `Set-Cookie` for the answer.
   */
  open(user: User, request: Sender, options?: SessionOptions): Promise<readonly string[]>;
  /** The session of a request's cookie, and the cookies for the answer. */
  resume(request: Sender): Promise<ResumedSession>;
  /**
   * Ends the session of a request, if it has one. Returns the values of `Set-Cookie` that clear its cookie.
   */
  close(request: Sender): Promise<readonly string[]>;
  /**
   * Ends the sessions that this method opened for a subject and whose details match, in all
   * browsers; returns the logins of their users. Undefined: the sessions are stored in the cookies
   * themselves, so only {@link close} ends one.
   */
  endFor(
    subject: string,
    isMeant: (details: SessionDetails | undefined) => boolean,
  ): Promise<readonly string[] | undefined>;
}

/** Facts about a new session. */
export interface SessionOptions {
  /** Stored with the session, 1,500 bytes of JSON at most. */
  readonly details?: SessionDetails | undefined;
  /** The user's name at the provider; {@link AuthSessions.endFor} finds the session by it. */
  readonly subject?: string | undefined;
  /** End of the provider's login, in milliseconds since 1970: the session ends then at the latest. */
  readonly endsAt?: number | undefined;
}

/** The outcome of a request's session cookie. */
export interface ResumedSession {
  /** Absent: the session is unknown or has ended. */
  readonly session?: AuthSession;
  /** Values of `Set-Cookie` for the answer: a renewed cookie, or one that clears an invalid cookie. */
  readonly cookies: readonly string[];
}

/** Facts that the method which opened a session needs later, such as a provider's name for the user. */
export type SessionDetails = Readonly<Record<string, Json>>;

/** A session as methods see it. */
export interface AuthSession {
  /** The name of the session in logs. It does not grant access to the session. */
  readonly id: string;
  /** The session's user. */
  readonly user: User;
  /** The method that opened it. */
  readonly method: string;
  /** In milliseconds since 1970. */
  readonly openedAt: number;
  /**
   * Whether a login opened it. Absent, like false: credentials that came with a request for a page opened it.
   */
  readonly isLogin?: boolean;
  /** The details that the method stored with it. */
  readonly details?: SessionDetails;
  /** A token in the forms of this session, so that other sites cannot submit them. */
  readonly csrfToken: string;
}

/** The result of ending a session. */
export interface LoggedOut {
  /** The session that has ended. */
  readonly session?: AuthSession;
  /** Values of `Set-Cookie` for the answer. */
  readonly cookies: readonly string[];
  /** The next address of the browser, as the method that opened the session decides. */
  readonly onward?: Onward;
}
