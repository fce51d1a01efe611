/**
 * The options of the command line, with the help for each.
 *
 * @module
 */

/** The help for each option. */
export const OPTION_HELP = {
  "home": "--home DIR          holds config/, state/ and log/ (default: ROWHOUSE_HOME, else ./.rowhouse)",
  "config-dir": "--config-dir DIR    configuration files, instead of HOME/config",
  "state-dir": "--state-dir DIR     sessions, secrets and the demo database, instead of HOME/state",
  "log-dir": "--log-dir DIR       logs, instead of HOME/log",
  "host": "--host ADDRESS      address to listen on (default: 127.0.0.1)",
  "port": "--port NUMBER       port to listen on, 0 for any free one (default: 8080)",
  "base-url": "--base-url URL      address that clients use; its path becomes the prefix of all links",
  "workers": "--workers N         threads that serve, sharing one port (default: 1)",
  "shared-port":
    "--shared-port       another process with this option may serve on the same port, to take over",
  "adapter": "--adapter deno|node HTTP server (default: deno on a loopback address, else node)",
  "private-key": "--private-key FILE  key that signs; made, with its public key shown, where there is none",
  "licensee": "--licensee NAME     who it is for",
  "edition": "--edition NAME      name of the edition (default: enterprise)",
  "days": "--days N            days that it is valid for (default: 365)",
  "max-users": "--max-users N       users beside public (default: any number)",
  "max-databases": "--max-databases N   databases (default: any number)",
  "features": "--features LIST     jwt, saml, with commas between them (default: none)",
} as const;

/** The name of an option, without its dashes. */
export type Option = keyof typeof OPTION_HELP;

/** The options of commands that read the configuration. */
export const DIRECTORIES: readonly Option[] = ["home", "config-dir", "state-dir", "log-dir"];
