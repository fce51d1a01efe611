/**
 * Creates the host of each authentication method.
 *
 * @module
 */

import { browserSessions, type SessionPlace } from "@/core/identity/sessions/browser_sessions.ts";
import { CachedDocument } from "./cached_document.ts";
import type { Entrance } from "@/core/service.ts";
import { localPath } from "@/core/base/local_path.ts";
import type { User } from "@/core/model.ts";
import { createOutgoing } from "./guarded_fetch.ts";
import { createSealedCookie, createSeals } from "@/core/identity/sessions/seal.ts";
import type { NamedMethod } from "@/core/service.ts";
import { findUsersBy } from "@/core/identity/users.ts";
import type { Settings } from "@/config/settings.ts";
import type { AuthHost, Log, LoggedOut, RouteRequest } from "@/plugins/contract.ts";

/** The services behind the hosts. */
export interface HostSurroundings extends Pick<AuthHost, "findUserByApiKey"> {
  /** Called when needed: it does not exist yet while methods are set up. */
  entrance(): Entrance;
  readonly settings: Settings;
  readonly prefix: string;
  readonly log: Log;
  /** The configuration directory. */
  readonly directory: string;
  /** The users of the present snapshot. */
  users(): ReadonlyMap<string, User>;
  /** All methods, once they are set up. */
  methods(): readonly NamedMethod[];
  /** Throws 402 for a user that the licence locks out. */
  requireLicence(user: User): void;
  /** Reports a mistake in the policy file to the operator: its key below the root, and a sentence. */
  complain(key: string, message: string): void;
}

/** The host of one method; sessions that it opens belong to this method. */
export function createAuthHost(method: string, surroundings: HostSurroundings): AuthHost {
  const { entrance, settings, prefix, log, directory, users, findUserByApiKey } = surroundings;
  const now = () => Date.now();
  const seals = () => createSeals(method, entrance().secrets("state"), now);
  const complain = (key: string, message: string) => surroundings.complain(`${method}.${key}`, message);
  const sealing: Pick<AuthHost, "seal" | "unseal" | "prefix"> = {
    prefix,
    seal: (text, seconds) => seals().seal(text, seconds),
    unseal: (sealed) => seals().unseal(sealed),
  };
  const asking = {
    log,
    now,
    directory,
    fetch: createOutgoing({ allowPrivate: settings["sso.allow_private_addresses"] }),
  };
  return {
    ...sealing,
    ...asking,
    // The overloads of the contract list the settings that methods may read, with the type of each.
    setting: ((key: "appid_name") => settings[key]) as AuthHost["setting"],
    complain,
    findUser: (login) => users().get(login),
    findUserByApiKey,
    findUsersBy: (attribute, value, options) => findUsersBy(attribute, value, { ...options, users: users() }),
    checkPassword: (login, password) => entrance().passwords.check(login, password),
    get throttle() {
      return entrance().throttle;
    },
    get sessions() {
      const sessions = browserSessions(method, entrance());
      return {
        ...sessions,
        open: async (...[user, ...rest]: Parameters<typeof sessions.open>) => {
          surroundings.requireLicence(user);
          return await sessions.open(user, ...rest);
        },
      };
    },
    localPath: (text) => localPath(text, prefix),
    once: (name, seconds) => entrance().oneTime(`${method} ${name}`, seconds),
    keepDocument: (options) => new CachedDocument(options, asking),
    sealedCookie: (name, seconds) => createSealedCookie(name, seconds, sealing),
    logOut: (request) => logOut(request, { place: entrance(), methods: surroundings.methods() }),
  };
}

/** Ends the session of a browser, then asks the method that opened it: a provider may have a session of its own. */
export async function logOut(
  request: RouteRequest,
  { place, methods }: { readonly place: SessionPlace; readonly methods: readonly NamedMethod[] },
): Promise<LoggedOut> {
  const sessions = browserSessions("logout", place);
  const { session } = await sessions.resume(request);
  const cookies = await sessions.close(request);
  if (!session) return { cookies };
  const opener = methods.find(({ name }) => name === session.method)?.method;
  const onward = await opener?.afterLogout?.(session, request);
  return { session, cookies, ...(onward ? { onward } : {}) };
}
