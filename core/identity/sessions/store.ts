/**
 * Where sessions are kept: the contract of the three kinds.
 *
 * @module
 */

import type { Session } from "./session.ts";

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
