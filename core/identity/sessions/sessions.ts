/**
 * Opens, resumes and ends sessions according to the settings, in any store.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Settings } from "@/config/settings.ts";
import { badRequest, quote } from "@/core/errors.ts";
import type { User } from "@/core/model.ts";
import type { SessionDetails, SessionOptions } from "@/plugins/contract.ts";
import type { Fingerprints } from "./fingerprint.ts";
import { randomToken } from "./secret.ts";
import type { Change, Session, SessionStore } from "./store.ts";

/** Limits in milliseconds. */
export interface SessionPolicy {
  /** Inactivity after which a session ends. */
  readonly idle: number;
  /** Age at which it ends in any case. */
  readonly absolute: number;
  /** Age at which its ticket is replaced. */
  readonly reissue: number;
}

/** The idle limit is the smaller of `session.timeout` and `cookie_timeout`. */
export function sessionPolicy(settings: Settings): SessionPolicy {
  return {
    idle: 1000 * Math.min(settings["session.timeout"], settings.cookie_timeout),
    absolute: 1000 * settings["session.cookie_expires"],
    reissue: 1000 * settings.cookie_reissue_time,
  };
}

/** The parts of the session service. `findUser` is called each time, because users change. */
export interface SessionsOptions {
  readonly store: SessionStore;
  readonly policy: SessionPolicy;
  readonly fingerprints: Fingerprints;
  /** The user with this login, if the user may have sessions at this moment. */
  findUser(login: string): User | undefined;
  /**
   * Refreshes the users when a session does not match its user: another process may just have changed
   * them. It must be cheap if nothing has changed, because an old cookie can trigger it again and
   * again. Absent: users never change.
   */
  readonly refreshUsers?: (() => Promise<void>) | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

interface ResumedSession {
  readonly session: Session;
  readonly user: User;
  /** Must be sent as the new cookie. */
  readonly renewedTicket?: string;
}

/** The origin of a new session. */
export interface Opening extends SessionOptions {
  /** The authentication method that has identified the user. */
  readonly method: string;
  /** Whether the user has logged in; absent: the request had credentials. */
  readonly isLogin?: boolean;
  /** The ticket of the session that the browser had before. */
  readonly previous?: string | undefined;
}

/** Largest details in bytes of JSON: a whole cookie may have 4,096. */
const MOST_DETAILS = 2048;

/** All sessions of the service. */
export class Sessions implements AsyncDisposable {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * Opens a session for a user whom `method` has identified, with the ticket for its cookie. It is always a
   * new one; the browser's session before it (`previous`, its ticket) ends.
   */
  async open(
    user: User,
    { method, isLogin = false, details, previous, subject, endsAt }: Opening,
  ): Promise<{ readonly session: Session; readonly ticket: string }> {
    const { store, policy, fingerprints, now } = this.#options;
    if (endsAt !== undefined && !isTime(endsAt)) throw new TypeError("The end of a session is no time");
    if (previous !== undefined) await store.remove(previous);
    const at = now();
    const end = endsAt === undefined ? {} : { endsAt };
    const session: Session = {
      id: randomToken(16),
      login: user.login,
      method,
      createdAt: at,
      lastSeenAt: at,
      issuedAt: at,
      expiresAt: expiryOf({ createdAt: at, lastSeenAt: at, ...end }, policy),
      csrfToken: randomToken(32),
      fingerprint: fingerprints.of(user, { isLogin }),
      isLogin,
      ...end,
      ...(details === undefined ? {} : { details: checked(details) }),
      ...(subject === undefined ? {} : { subject: subjectName(method, subject) }),
    };
    return { session, ticket: await store.create(session) };
  }

  /**
   * The session of a ticket. Undefined if it has ended: the request then has no session,
   * and the caller clears its cookie.
   */
  async resume(ticket: string): Promise<ResumedSession | undefined> {
    const { store, now } = this.#options;
    const session = await store.load(ticket);
    if (!session) return undefined;
    const user = this.#isOver(session, now()) ? undefined : await this.#userOf(session);
    if (!user) {
      await store.remove(ticket);
      return undefined;
    }
    if (!this.#changeDue(session, user, now())) return { session, user };
    const updated = await store.update(ticket, (current) => this.#changeDue(current, user, now()));
    if (!updated) return undefined;
    const { session: current, ticket: renewedTicket } = updated;
    return { session: current, user, ...(renewedTicket === undefined ? {} : { renewedTicket }) };
  }

  /** Ends one session. */
  async close(ticket: string): Promise<void> {
    await this.#options.store.remove(ticket);
  }

  /**
   * Ends all sessions of a user, at once and in every process. Sessions inside cookies cannot be ended this
   * way; they end when the user's password changes or the user is removed.
   */
  async revoke(login: string): Promise<void> {
    await this.#options.store.removeAllOf(login);
  }

  /**
   * Ends and returns the sessions that a method opened for a subject and that match, in every process.
   * Undefined: sessions are inside cookies, and only browsers can end them.
   */
  async endFor(
    { method, subject }: { readonly method: string; readonly subject: string },
    isMeant: (session: Session) => boolean,
  ): Promise<readonly Session[] | undefined> {
    return await this.#options.store.removeFor(subjectName(method, subject), isMeant);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.store[Symbol.asyncDispose]();
  }

  /** Also a session from the future: after the clock was set back it would live longer than it may. */
  #isOver(session: Session, at: number): boolean {
    const { createdAt, lastSeenAt, issuedAt } = session;
    return at >= expiryOf(session, this.#options.policy) ||
      Math.max(createdAt, lastSeenAt, issuedAt) - at > SKEW;
  }

  async #userOf(session: Session): Promise<User | undefined> {
    const user = this.#findUser(session);
    if (user || !this.#options.refreshUsers) return user;
    await this.#options.refreshUsers();
    return this.#findUser(session);
  }

  #findUser(session: Session): User | undefined {
    const user = this.#options.findUser(session.login);
    return user && this.#options.fingerprints.fits(session.fingerprint, user, session) ? user : undefined;
  }

  /** The change to store because the session is used now; usually none. */
  #changeDue(session: Session, user: User, at: number): Change | undefined {
    const { policy, store, fingerprints } = this.#options;
    const renew = at - session.issuedAt >= policy.reissue;
    if (!renew && at - session.lastSeenAt < policy.idle * store.noteShare) return undefined;
    const seen = { ...session, lastSeenAt: at, fingerprint: fingerprints.of(user, session) };
    const issued = renew ? { ...seen, issuedAt: at } : seen;
    return { session: { ...issued, expiresAt: expiryOf(issued, policy) }, renew };
  }
}

/** Whether a value is a moment, in milliseconds since 1970: a session whose end is not a number has none. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && !Number.isNaN(value);
}

/** Milliseconds by which the clocks of nodes may differ. */
const SKEW = 60_000;

/** When a session ends without further use. */
function expiryOf(
  { createdAt, lastSeenAt, endsAt = Infinity }: Pick<Session, "createdAt" | "lastSeenAt" | "endsAt">,
  { idle, absolute }: SessionPolicy,
): number {
  return Math.min(createdAt + absolute, lastSeenAt + idle, endsAt);
}

/** A name of fixed length that is valid as a file name. */
function subjectName(method: string, subject: string): string {
  return hash("sha256", `${method} ${subject}`);
}

function checked(details: SessionDetails): SessionDetails {
  const size = new TextEncoder().encode(JSON.stringify(details)).length;
  if (size <= MOST_DETAILS) return details;
  throw badRequest(
    `Cannot keep ${quote(Object.keys(details).join(", "))} in the session: more than ${MOST_DETAILS} bytes`,
  );
}
