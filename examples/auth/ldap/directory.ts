/**
 * Checks passwords at a directory: searches the entry of a login, then binds as that entry with the password.
 *
 * @module
 */

import { isIP } from "node:net";
import {
  AndFilter,
  Client,
  EqualityFilter,
  type Filter,
  FilterParser,
  ResultCodeError,
  SizeLimitExceededError,
} from "npm:ldapts@9.2.0";
import type { Settings } from "./settings.ts";

/**
 * Codes by which directories refuse a password, or an account that is locked;
 * others mean that they cannot tell.
 */
const REFUSALS: ReadonlySet<number> = new Set([
  19, // constraintViolation: too many wrong passwords
  32, // noSuchObject: removed meanwhile
  48, // inappropriateAuthentication: an entry without password
  49, // invalidCredentials
  50, // insufficientAccessRights
  53, // unwillingToPerform: a locked entry
]);

/** One directory; each password has a connection of its own. */
export class Directory {
  readonly #settings: Settings;
  readonly #filter: Filter | undefined;
  #isFailing = false;

  /** Throws for a filter that cannot be read. */
  constructor(settings: Settings) {
    this.#settings = settings;
    const { filter } = settings;
    try {
      this.#filter = filter === undefined ? undefined : FilterParser.parseString(filter);
    } catch {
      throw new Error("filter must be a filter such as (objectClass=person)");
    }
  }

  /** Whether the last password could not be checked. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /**
   * Whether this is the password of the one entry with this login. Rejects when the directory does not tell.
   */
  async check(login: string, password: string): Promise<boolean> {
    // A bind without password succeeds for every entry (RFC 4513, 5.1.2).
    if (password === "") return false;
    const { url, timeout, isUnencrypted } = this.#settings;
    const isLdaps = url.protocol === "ldaps:";
    const client = new Client({ url: url.href, ...(isLdaps ? { tlsOptions: this.#tls() } : {}) });
    const ask = async () => {
      if (!isLdaps && !isUnencrypted) await client.startTLS(this.#tls());
      const dn = await this.#find(client, login);
      // An unknown login takes as long as a wrong password, and what it binds as does not matter.
      const isRight = await binds(client, dn ?? `cn=nobody,${this.#settings.base}`, password);
      return isRight && dn !== undefined;
    };
    try {
      const isRight = await within(timeout, ask());
      this.#isFailing = false;
      return isRight;
    } catch (error) {
      this.#isFailing = true;
      throw error;
    } finally {
      await client.unbind().catch(() => {});
    }
  }

  /** The entry with exactly this login; undefined if there is none, or several. */
  async #find(client: Client, login: string): Promise<string | undefined> {
    const { base, attribute, reader } = this.#settings;
    if (reader && !await binds(client, reader.dn, reader.password)) {
      throw new Error("The directory refuses bind_dn with bind_password");
    }
    // The value is sent as it is: it is no part of a filter's text.
    const own = new EqualityFilter({ attribute, value: login });
    const filter = this.#filter ? new AndFilter({ filters: [own, this.#filter] }) : own;
    try {
      const { searchEntries: [entry, ...others] } = await client.search(base, {
        scope: "sub",
        filter,
        attributes: [attribute],
        sizeLimit: 2,
      });
      // Directories ignore case and spaces, and logins here do not: "ANNA" may be somebody else.
      const isMeant = entry && others.length === 0 && valuesOf(entry, attribute).includes(login);
      return isMeant ? entry.dn : undefined;
    } catch (error) {
      if (error instanceof SizeLimitExceededError) return undefined;
      throw error;
    }
  }

  /** Certificates have to be valid for the host of the address. */
  #tls() {
    const { url: { hostname }, ca } = this.#settings;
    const host = hostname.replace(/^\[|\]$/g, "");
    return { host, ...(isIP(host) ? {} : { servername: host }), ...(ca === undefined ? {} : { ca }) };
  }
}

async function binds(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof ResultCodeError && REFUSALS.has(error.code)) return false;
    throw error;
  }
}

function valuesOf(entry: object, attribute: string): readonly string[] {
  const named = Object.entries(entry).filter(([name]) => name.toLowerCase() === attribute.toLowerCase());
  return named.flatMap(([, value]: [string, unknown]) => Array.isArray(value) ? value : [value]).map(String);
}

/** The result of the work; rejects when the directory is silent for too long. */
async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("The directory does not answer")), seconds * 1000);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
