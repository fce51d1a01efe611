/**
 * Passwords of a directory (LDAP), for the login form and for Basic: people log in here with
 * the password that they have there.
 *
 * @module
 */

import type { AuthPlugin, SettingValues } from "@/plugins/contract.ts";
import { Directory } from "./directory.ts";
import { readSettings, SETTINGS } from "./settings.ts";

export default {
  contract: 2,
  kind: "auth",
  name: "ldap",
  settings: SETTINGS,
  setup(section: SettingValues<typeof SETTINGS>) {
    const directory = new Directory(readSettings(section));
    return {
      authenticate: () => ({ outcome: "absent" }),
      checkPassword: (login, password) => directory.check(login, password),
      notices: () => {
        return directory.isFailing ? ["The directory cannot be asked: its passwords do not work now."] : [];
      },
    };
  },
} satisfies AuthPlugin;
