/**
 * The settings of the method, read from its block in auth.cfg.
 *
 * @module
 */

import type { Section } from "@/plugins/contract.ts";

/** A provider and this service's account there. */
export interface Settings {
  /** On the button. */
  readonly label: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly userUrl: string;
  /** The member of the answer of `user_url` that is the address of the person. */
  readonly member: string;
  readonly scope?: string;
}

/** Throws a sentence about the first mistake. */
export function readSettings(section: Section): Settings {
  const { scope } = section;
  return {
    label: textOf(section, "label", "OAuth"),
    clientId: textOf(section, "client_id"),
    clientSecret: textOf(section, "client_secret"),
    authorizeUrl: urlOf(section, "authorize_url"),
    tokenUrl: urlOf(section, "token_url"),
    userUrl: urlOf(section, "user_url"),
    member: textOf(section, "member", "email"),
    ...(scope === undefined ? {} : { scope: textOf(section, "scope") }),
  };
}

function textOf(section: Section, key: string, fallback?: string): string {
  const value = section[key] ?? fallback;
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`${key} must be a text`);
}

function urlOf(section: Section, key: string): string {
  const text = textOf(section, key);
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error(`${key} must be an address of http or https`);
}
