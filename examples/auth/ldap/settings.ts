/**
 * The settings of the method, read from its block in auth.cfg.
 *
 * @module
 */

import type { PluginSettings, SettingValues } from "@/plugins/contract.ts";

/** The block in auth.cfg. */
export const SETTINGS = {
  url: {
    type: "text",
    required: true,
    sentence: "The address of the directory: `ldaps://ldap.example.com`.",
  },
  unencrypted: {
    type: "boolean",
    default: false,
    sentence:
      "Whether passwords may cross the network in clear text; otherwise `ldap:` begins with StartTLS.",
  },
  ca: { type: "text", sentence: "Authorities as PEM text. Unset: those of the system." },
  base: { type: "text", required: true, sentence: "The entry below which people are." },
  attribute: {
    type: "text",
    default: "uid",
    pattern: "[A-Za-z][A-Za-z0-9-]*",
    expected: "the name of an attribute",
    sentence: "The attribute that is the login here.",
  },
  filter: { type: "text", sentence: "A filter that entries have to match, too." },
  bind_dn: { type: "text", sentence: "Searches as this entry. Unset: anonymously." },
  bind_password: { type: "text", secret: true, sentence: "The password of that entry." },
  timeout: {
    type: "number",
    least: 0.1,
    most: 30,
    default: 5,
    sentence: "Seconds for everything about one password.",
  },
} as const satisfies PluginSettings;

/** A directory, and how people are found in it. */
export interface Settings {
  /** `ldaps:` or `ldap:`. */
  readonly url: URL;
  /** Whether passwords may cross the network in clear text. Otherwise `ldap:` begins with StartTLS. */
  readonly isUnencrypted: boolean;
  /** Authorities as PEM text. Absent: those of the system. */
  readonly ca?: string;
  /** The entry below which people are. */
  readonly base: string;
  /** The attribute that is the login here. */
  readonly attribute: string;
  /** Entries have to match this, too. */
  readonly filter?: string;
  /** Searches as this entry. Absent: anonymously. */
  readonly reader?: { readonly dn: string; readonly password: string };
  /** Seconds for everything about one password. */
  readonly timeout: number;
}

/** Throws a sentence about settings that do not fit together. */
export function readSettings(section: SettingValues<typeof SETTINGS>): Settings {
  const { bind_dn: dn, bind_password: password, unencrypted, ca, filter, base, attribute, timeout } = section;
  if ((dn === undefined) !== (password === undefined)) {
    throw new Error("bind_dn and bind_password belong together");
  }
  return {
    url: urlOf(section.url),
    isUnencrypted: unencrypted,
    base,
    attribute,
    timeout,
    ...(ca === undefined ? {} : { ca }),
    ...(filter === undefined ? {} : { filter }),
    ...(dn === undefined || password === undefined ? {} : { reader: { dn, password } }),
  };
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url && /^ldaps?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length < 2) return url;
  throw new Error("url must be an address such as ldaps://ldap.example.com");
}
