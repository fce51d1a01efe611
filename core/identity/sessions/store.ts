/**
 * A session, and the contract of the three stores of sessions.
 *
 * @module
 */

import type { SessionDetails } from "@/plugins/contract.ts";

/**
 * One login of one user. Times are milliseconds since 1970. It contains no ticket, so
 * reading it does not allow using it.
 */
export interface Session {
  /** The name of the session in logs and stores. */
  readonly id: string;
  readonly login: string;
  /** The authentication method that opened it: `login_form`. */
  readonly method: string;
  readonly createdAt: number;
  /** The last recorded use; not every use is recorded. */
  readonly lastSeenAt: number;
  /** The time when its ticket was made. */
  readonly issuedAt: number;
  /** The time until which a store has to keep it, as presently known. */
  readonly expiresAt: number;
  /** A token in the forms of this session, so that other sites cannot submit them. */
  readonly csrfToken: string;
  /** A fingerprint of the user's credentials at the opening; the session ends when they change. */
  readonly fingerprint: string;
  /** Whether a login opened it; absent: credentials of a request, such as an API key. */
  readonly isLogin?: boolean;
  /** End of the identity provider's login; absent: only the limits of this service apply. */
  readonly endsAt?: number;
  /**
   * The subject that an identity provider logged in, so that the provider can
   * end all sessions of that person.
   */
  readonly subject?: string;
  /** Facts for the method that opened it. */
  readonly details?: SessionDetails;
}

/**
 * Stores sessions under tickets, which are the content of the cookie. A ticket that is unknown,
 * expired or forged gives undefined. Every method throws a {@link ServiceError} `unavailable`
 * while a shared cache is unreachable.
 */
export interface SessionStore extends AsyncDisposable {
  /**
   * Shortest interval between two updates of {@link Session.lastSeenAt}, as a fraction of the idle limit. An
   * update is a write, and a new cookie where the cookie holds the session.
   */
  readonly noteShare: number;
  /** Stores a new session and returns its first ticket. */
  create(session: Session): Promise<string>;
  load(ticket: string): Promise<Session | undefined>;
  /**
   * Changes a session, excluding other processes; `change` gets the stored state and returns undefined to
   * leave it unchanged. Undefined if the session does not exist.
   */
  update(ticket: string, change: (session: Session) => Change | undefined): Promise<Updated | undefined>;
  /** Ends a session; an unknown ticket is ignored. */
  remove(ticket: string): Promise<void>;
  /** Ends all sessions of a user. Without effect where the cookie holds the session. */
  removeAllOf(login: string): Promise<void>;
  /**
   * Ends and returns the sessions of a {@link Session.subject} that match. Undefined
   * where the cookie holds the session.
   */
  removeFor(subject: string, isMeant: (session: Session) => boolean): Promise<readonly Session[] | undefined>;
}

/**
 * The new state of a session, and whether it gets a new ticket; the old one
 * stays valid for requests under way.
 */
export interface Change {
  readonly session: Session;
  readonly renew: boolean;
}

/** A session after {@link SessionStore.update}, with the ticket for the browser if it has changed. */
export interface Updated {
  readonly session: Session;
  readonly ticket?: string;
}
