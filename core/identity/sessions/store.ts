/**
 * A session, and where sessions are kept: the contract of the three kinds of stores.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";

/** Small facts that belong to a session: the last page, a provider's session index. */
export type SessionData = Readonly<Record<string, Json>>;

/** One login of one user. Times are milliseconds since 1970. It holds no ticket: whoever sees it cannot use it. */
export interface Session {
  /** Names the session in logs and stores. */
  readonly id: string;
  readonly login: string;
  /** The authentication method that opened it: `login_form`. */
  readonly method: string;
  readonly createdAt: number;
  /** The last use that was noted; not every use is. */
  readonly lastSeenAt: number;
  /** When its ticket was made. */
  readonly issuedAt: number;
  /** Until when a store has to keep it, as far as is known now. */
  readonly expiresAt: number;
  /** What forms of this session carry, so that no other site can send them. */
  readonly csrfToken: string;
  /** Stands for the credentials that the user had when the session was opened; it ends when they change. */
  readonly fingerprint: string;
  /** When an identity provider says that its login ends; absent: the limits of this service are all there are. */
  readonly endsAt?: number;
  /** Stands for whom an identity provider logged in, so that the provider can end all sessions of that person. */
  readonly subject?: string;
  readonly data: SessionData;
}

/**
 * Keeps sessions under tickets, which are the content of the cookie. A ticket that is unknown, expired or tampered with
 * gives undefined. Every method throws a {@link ServiceError} `unavailable` while a shared cache cannot be reached.
 */
export interface SessionStore extends AsyncDisposable {
  /**
   * Shortest time between two notes of {@link Session.lastSeenAt} as a part of the idle limit. A note is a write, and where
   * the cookie itself holds the session a new cookie.
   */
  readonly noteShare: number;
  /** Keeps a new session and gives the first ticket for it. */
  create(session: Session): Promise<string>;
  load(ticket: string): Promise<Session | undefined>;
  /**
   * Changes a session while no other process can; `change` gets what is kept at that moment and gives undefined to
   * leave it as it is. Undefined when there is no such session.
   */
  update(ticket: string, change: (session: Session) => Change | undefined): Promise<Updated | undefined>;
  /** Ends a session; an unknown one is fine. */
  remove(ticket: string): Promise<void>;
  /** Ends all sessions of a user. Where the cookie itself holds the session there is nothing to do this with. */
  removeAllOf(login: string): Promise<void>;
  /**
   * Ends the sessions of a {@link Session.subject} that are meant, and gives them. Undefined where the cookie itself holds
   * the session: there is nothing to do this with.
   */
  removeFor(
    subject: string,
    isMeant: (session: Session) => boolean,
  ): Promise<readonly Session[] | undefined>;
}

/** What becomes of a session, and whether it gets a new ticket; the one before stays good for requests under way. */
export interface Change {
  readonly session: Session;
  readonly renew: boolean;
}

/** A session after {@link SessionStore.update}, with the ticket that the browser has to be given, if it is another. */
export interface Updated {
  readonly session: Session;
  readonly ticket?: string;
}
