/**
 * Where sessions are kept in a test, as data, so that another process can open the same place.
 *
 * @module
 */

import { userOf } from "@/tests/conformance/users.ts";
import { join } from "node:path";
import { createCookieStore } from "@/core/identity/sessions/cookie_store.ts";
import { createFingerprints } from "@/core/identity/sessions/fingerprint.ts";
import { type DeriveSecrets, loadSecrets } from "@/core/identity/sessions/secret.ts";
import { openSessionFiles } from "@/core/identity/sessions/session_files.ts";
import { type SessionPolicy, Sessions, type SessionsOptions } from "@/core/identity/sessions/sessions.ts";
import type { SessionStore } from "@/core/identity/sessions/store.ts";
import { TicketStore } from "@/core/identity/sessions/ticket_store.ts";
import type { User } from "@/core/model.ts";
import type { SessionDetails } from "@/plugins/contract.ts";
import { type CacheName, openCache } from "@/tests/support/shared_caches.ts";

/** A place by its kind. */
export type Place =
  | { readonly kind: "cookie" }
  | { readonly kind: "file"; readonly directory: string }
  | { readonly kind: "cache"; readonly name: CacheName; readonly location: string };

/** An hour, a day and six minutes, in milliseconds. */
export const POLICY: SessionPolicy = { idle: 3_600_000, absolute: 86_400_000, reissue: 360_000 };

/** A secret and, where it has been changed, the one before. */
export interface GivenSecrets {
  readonly secret: string;
  readonly previous?: string;
}

/** Every process of a test has this secret. */
export const SECRET: GivenSecrets = { secret: "the-secret-that-all-processes-of-a-test-share" };

/** These tests log nothing. */
const LOG = {
  info: () => {},
  warn: () => {},
  error: (line: string, cause?: unknown) => {
    throw new Error(line, { cause });
  },
};

/** A time that passes only when it is told to. */
export class Clock {
  #now = Date.UTC(2026, 0, 1);

  readonly now = (): number => this.#now;

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** A user with a password, as the configuration has them. */
export function userNamed(login: string, changes: Partial<User> = {}): User {
  return userOf(login, {
    name: login,
    password: `$argon2id$v=19$m=8,t=1,p=1$c2FsdA$${login}`,
    apikeyHash: `hash of the key of ${login}`,
    ...changes,
  });
}

/** The keys that a service has with these secrets. */
export async function deriveFrom({ secret, previous }: GivenSecrets): Promise<DeriveSecrets> {
  return await loadSecrets({ "session.secret": secret, "session.secret_previous": previous }, "/nowhere");
}

/** Opens the store of a place as one process does. */
async function openStore(
  place: Place,
  derive: DeriveSecrets,
  now: () => number,
): Promise<SessionStore> {
  switch (place.kind) {
    case "cookie":
      return createCookieStore(derive("cookie"));
    case "file": {
      const cache = await openSessionFiles({
        dataDirectory: join(place.directory, "data"),
        lockDirectory: join(place.directory, "lock"),
        now,
        log: LOG,
      });
      return new TicketStore({ cache, now, absolute: POLICY.absolute });
    }
    case "cache": {
      const cache = openCache(place.name, { location: place.location, log: LOG, purpose: "sessions" });
      return new TicketStore({ cache, now, absolute: POLICY.absolute });
    }
    default:
      return place satisfies never;
  }
}

/** Options of opening, as opposed to those of the place. */
export interface OpenOptions {
  readonly users: ReadonlyMap<string, User>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: {@link POLICY}. */
  readonly policy?: SessionPolicy;
  /** Default: {@link SECRET}. */
  readonly secrets?: GivenSecrets;
  readonly refreshUsers?: () => Promise<void>;
}

/** Sessions whose details a test changes in their store. */
export class TestSessions extends Sessions {
  readonly #store: SessionStore;

  constructor(options: SessionsOptions) {
    super(options);
    this.#store = options.store;
  }

  /** Returns the ticket for a new cookie, if one is needed. */
  async update(
    ticket: string,
    change: (details: SessionDetails) => SessionDetails,
  ): Promise<string | undefined> {
    const updated = await this.#store.update(ticket, (session) => ({
      session: { ...session, details: change(session.details ?? {}) },
      renew: false,
    }));
    return updated?.ticket;
  }
}

/** Opens the sessions of a place as one process does. */
export async function openSessionsAt(place: Place, options: OpenOptions): Promise<TestSessions> {
  const { users, now, policy = POLICY, secrets = SECRET, refreshUsers } = options;
  const derive = await deriveFrom(secrets);
  return new TestSessions({
    store: await openStore(place, derive, now),
    policy,
    fingerprints: createFingerprints(derive("fingerprint")),
    findUser: (login) => users.get(login),
    ...(refreshUsers === undefined ? {} : { refreshUsers }),
    now,
  });
}
