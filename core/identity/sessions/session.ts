/**
 * What the service remembers of someone who has logged in.
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
