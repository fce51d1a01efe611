/**
 * What authentication methods may use, made for each of them.
 *
 * @module
 */

import { browserSessions } from "./browser_sessions.ts";
import type { Entrance } from "./entrance.ts";
import { localPath } from "./local_path.ts";
import type { User } from "./model.ts";
import type { Settings } from "@/config/settings.ts";
import type { AuthHost, Log } from "@/plugins/contract.ts";

/** What hosts are made of. */
export interface HostSurroundings extends Pick<AuthHost, "findUserByApiKey"> {
  /** Asked for when it is needed: while methods are set up it need not be there. */
  entrance(): Entrance;
  readonly settings: Settings;
  readonly prefix: string;
  readonly log: Log;
  /** The user of that login in the snapshot that is in force. */
  findUser(login: string): User | undefined;
}

/** The host of the method of that name: sessions that it opens are its own. */
export function createAuthHost(method: string, surroundings: HostSurroundings): AuthHost {
  const { entrance, settings, prefix, log, findUser, findUserByApiKey } = surroundings;
  return {
    log,
    // The overloads of the contract name the settings that a method may see; each has the type that is said there.
    setting: ((key: "appid_name") => settings[key]) as AuthHost["setting"],
    prefix,
    now: () => Date.now(),
    findUser,
    findUserByApiKey,
    checkPassword: (login, password) => entrance().passwords.check(login, password),
    throttle: {
      beginForm: (network, login) => entrance().throttle.beginForm(network, login),
      beginPassword: (network, login) => entrance().throttle.beginPassword(network, login),
    },
    sessions: {
      open: (user, sender) => browserSessions(method, entrance()).open(user, sender),
      resume: (sender) => browserSessions(method, entrance()).resume(sender),
      close: (sender) => browserSessions(method, entrance()).close(sender),
    },
    localPath: (text) => localPath(text, prefix),
  };
}
