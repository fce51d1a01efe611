/**
 * The settings of the method, read from its block in auth.cfg.
 *
 * @module
 */

import type { Section } from "@/plugins/contract.ts";

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

/** Throws a sentence about the first mistake. */
export function readSettings(section: Section): Settings {
  const { bind_dn: dn, bind_password: password, unencrypted = false, timeout = 5 } = section;
  if (typeof unencrypted !== "boolean") throw new Error("unencrypted must be true or false");
  if (typeof timeout !== "number" || !(timeout > 0 && timeout <= 30)) {
    throw new Error("timeout must be a number of seconds up to 30");
  }
  if ((dn === undefined) !== (password === undefined)) {
    throw new Error("bind_dn and bind_password belong together");
  }
  const attribute = textOf(section, "attribute", "uid");
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(attribute)) {
    throw new Error("attribute must be the name of an attribute");
  }
  return {
    url: urlOf(section),
    isUnencrypted: unencrypted,
    base: textOf(section, "base"),
    attribute,
    timeout,
    ...(section["ca"] === undefined ? {} : { ca: textOf(section, "ca") }),
    ...(section["filter"] === undefined ? {} : { filter: textOf(section, "filter") }),
    ...(dn === undefined
      ? {}
      : { reader: { dn: textOf(section, "bind_dn"), password: textOf(section, "bind_password") } }),
  };
}

function urlOf(section: Section): URL {
  const url = URL.parse(textOf(section, "url"));
  if (url && /^ldaps?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length < 2) return url;
  throw new Error("url must be an address such as ldaps://ldap.example.com");
}

function textOf(section: Section, key: string, fallback?: string): string {
  const value = section[key] ?? fallback;
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`${key} must be a text`);
}
