/**
 * Hosts for authentication methods under test, as literals: users in a map, sessions by their ticket.
 *
 * @module
 */

import { CachedDocument } from "@/core/login/cached_document.ts";
import { createOutgoing } from "@/core/login/guarded_fetch.ts";
import { createSealedCookie, createSeals } from "@/core/identity/sessions/seal.ts";
import { findUsersBy } from "@/core/identity/users.ts";
import { seenIfThere, seenUser } from "@/core/identity/seen_user.ts";
import type { User } from "@/core/model.ts";
import type { AuthHost, AuthMethod, AuthPlugin, AuthSession } from "@/plugins/contract.ts";
import { userOf } from "@/tests/conformance/users.ts";

/** A test's options of its host. */
export interface HostOptions {
  readonly users?: readonly User[];
  readonly keys?: ReadonlyMap<string, User>;
  /** Sessions by the ticket in `auth_tkt`. */
  readonly tickets?: Readonly<Record<string, User>>;
  readonly settings?: Partial<typeof SETTINGS>;
  /** Every method of the host may be replaced. */
  readonly changes?: Partial<AuthHost>;
}

const SETTINGS = {
  appid_name: "appid",
  apikey_name: "apikey",
  allow_apikey_in_query_string: false,
  "sso.allow_private_addresses": true,
  clock_skew: 60,
};

/** Ends the session of a browser. */
export const CLEARED = "auth_tkt=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax";

/** A host that knows these users; their passwords are plain, and attempts are free. */
export function hostOf({ users = [], keys, tickets = {}, settings, changes }: HostOptions = {}): AuthHost {
  const known = new Map(users.map((user) => [user.login, user]));
  const configured = { ...SETTINGS, ...settings };
  const used = new Set<string>();
  const free = () => Promise.resolve({ succeeded: () => Promise.resolve() });
  const host: AuthHost = {
    log: { info: () => {}, warn: () => {}, error: () => {} },
    setting: ((key: keyof typeof SETTINGS) => configured[key]) as AuthHost["setting"],
    complain: (key, message) => {
      throw new Error(`${key}: ${message}`);
    },
    directory: Deno.cwd(),
    prefix: "",
    now: () => 0,
    findUser: (login) => seenIfThere(known.get(login)),
    findUserByApiKey: (key) => seenIfThere(keys?.get(key)),
    findUsersBy: (attribute, value, options) =>
      findUsersBy(attribute, value, { users: known, ...options }).map(seenUser),
    checkPassword: (login, password) => {
      const user = known.get(login);
      const isRight = user?.password !== undefined && user.password === password;
      return Promise.resolve(isRight ? seenUser(user) : undefined);
    },
    throttle: {
      beginForm: free,
      beginPassword: free,
      requireTurn: () => {},
      countMessage: free,
    },
    sessions: {
      open: (user) => Promise.resolve([`auth_tkt=ticket-of-${user.login}; Max-Age=60; Path=/; SameSite=Lax`]),
      resume: ({ headers }) => {
        const ticket = /auth_tkt=([^;]*)/.exec(headers.get("cookie") ?? "")?.[1];
        const user = ticket !== undefined && Object.hasOwn(tickets, ticket) ? tickets[ticket] : undefined;
        return Promise.resolve(user ? { session: sessionOf(user), cookies: [] } : { cookies: [CLEARED] });
      },
      close: () => Promise.resolve([CLEARED]),
      endFor: () => Promise.resolve([]),
    },
    localPath: (text) => /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) ? text : undefined,
    ...createSeals("test", [new Uint8Array(32)], changes?.now ?? (() => 0)),
    once: (name) => Promise.resolve(!used.has(name) && used.add(name).has(name)),
    fetch: createOutgoing({ allowPrivate: configured["sso.allow_private_addresses"] }),
    keepDocument: (options) => new CachedDocument(options, host),
    sealedCookie: (name, seconds) => createSealedCookie(name, seconds, host),
    logOut: async (request) => {
      const { session } = await host.sessions.resume(request);
      return { ...(session ? { session } : {}), cookies: await host.sessions.close(request) };
    },
    ...changes,
  };
  return host;
}

/** The setup of a method that asks for a turn before it sees a request with one of these headers. */
export function taking(method: AuthMethod, headers: readonly string[]): AuthPlugin["setup"] {
  return (_section, { throttle }) => ({
    ...method,
    authenticate(request) {
      if (headers.some((name) => request.headers.has(name))) throttle.requireTurn(request.client);
      return method.authenticate(request);
    },
  });
}

/** A session of a user. */
export function sessionOf(user: User = userOf("anna")): AuthSession {
  return {
    id: `session of ${user.login}`,
    user: seenUser(user),
    csrfToken: "0123456789abcdefghijklmn",
    method: "test",
    openedAt: 0,
  };
}
