/**
 * Passwords of a directory (LDAP), for the login form and for Basic: people log in here with the password that they have
 * there.
 *
 * @module
 */

import type { AuthPlugin } from "@/plugins/contract.ts";
import { Directory } from "./directory.ts";
import { readSettings } from "./settings.ts";

export default {
  contract: 2,
  kind: "auth",
  name: "ldap",
  keys: [
    ...["url", "unencrypted", "ca", "base", "attribute", "filter", "bind_dn", "bind_password", "timeout"],
  ],
  setup(section) {
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
