/**
 * Creates the host of each authentication method.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";
import { localPath } from "@/core/base/local_path.ts";
import { pluginLog, runningLog } from "@/core/base/named_log.ts";
import { quote } from "@/core/errors.ts";
import { requireLicence } from "@/core/identity/licence.ts";
import { accountOf, seenIfThere, seenUser } from "@/core/identity/seen_user.ts";
import { browserSessions } from "@/core/identity/sessions/browser_sessions.ts";
import { createSealedCookie, createSeals } from "@/core/identity/sessions/seal.ts";
import { findUsersBy } from "@/core/identity/users.ts";
import type { Service } from "@/core/service.ts";
import type { AuthHost, AuthSessions, AuthThrottle, Log } from "@/plugins/contract.ts";
import { CachedDocument } from "./cached_document.ts";
import { createOutgoing } from "./guarded_fetch.ts";
import { logOut } from "./log_out.ts";

/** The parts of the service that hosts have from the beginning, and the service itself. */
export interface HostSurroundings {
  /** The present snapshot. Throws while methods are set up. */
  service(): Service;
  readonly settings: Settings;
  readonly prefix: string;
  readonly log: Log;
  /** The configuration directory. */
  readonly directory: string;
  /** Reports a mistake in the policy file to the operator: its key below the root, and a sentence. */
  complain(key: string, message: string): void;
}

/** The service of hosts before there is one. */
export function refuseService(): never {
  const works = "log, now, setting, complain, keepDocument, directory and prefix";
  throw new Error(`the service does not run during setup(): only ${works} of the host work`);
}

/** The host of one method; sessions that it opens belong to this method. */
export function createAuthHost(method: string, surroundings: HostSurroundings): AuthHost {
  const { service, settings, prefix, directory } = surroundings;
  const log = pluginLog(runningLog(surroundings.log), "authentication method", method);
  const now = () => Date.now();
  const seals = () => createSeals(method, service().secrets("state"), now);
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
    findUser: (login) => seenIfThere(service().users.get(login)),
    findUserByApiKey: (key) => seenIfThere(service().findUserByApiKey(key)),
    findUsersBy: (attribute, value, options) =>
      findUsersBy(attribute, value, { ...options, users: service().users }).map(seenUser),
    checkPassword: async (login, password) => seenIfThere(await service().passwords.check(login, password)),
    throttle: throttleOf(service),
    sessions: sessionsOf(method, service),
    localPath: (text) => localPath(text, prefix),
    once: (name, seconds) => service().oneTime(`${method} ${name}`, seconds),
    keepDocument: (options) => new CachedDocument(options, asking),
    sealedCookie: (name, seconds) => createSealedCookie(name, seconds, sealing),
    logOut: (request) => logOut(request, { ...service(), log: runningLog(surroundings.log) }),
  };
}

/** An object of its own: methods may take their host apart during `setup`, before there is a service. */
function throttleOf(service: () => Service): AuthThrottle {
  return {
    beginForm: (network, login) => service().throttle.beginForm(network, login),
    beginPassword: (network, login) => service().throttle.beginPassword(network, login),
    requireTurn: (client) => service().throttle.requireTurn(client),
    countMessage: (network) => service().throttle.countMessage(network),
  };
}

/** The sessions of a method; those that it opens are logins. */
function sessionsOf(method: string, service: () => Service): AuthSessions {
  const sessions = () => browserSessions(method, service());
  return {
    open: async (shown, sender, options) => {
      const { login } = shown;
      const user = service().users.get(login);
      if (!user) throw new Error(`No session is opened for ${quote(login)}, who is not there or disabled`);
      requireLicence({ user }, service());
      // Bound to the password that was checked: a new one ends it, also if that came in between.
      return await sessions().open(accountOf(shown) ?? user, sender, { ...options, isLogin: true });
    },
    resume: (sender) => sessions().resume(sender),
    close: (sender) => sessions().close(sender),
    endFor: (subject, isMeant) => sessions().endFor(subject, isMeant),
  };
}
