/**
 * Sessions in memcached, for several nodes.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Lifetime, SharedCache, Version } from "@/core/storage/shared_cache.ts";
import { randomToken } from "./secret.ts";
import type { Change, Session, SessionStore, Updated } from "./store.ts";
import {
  changed,
  confirmed,
  firstTicket,
  formatTicket,
  isFirstUse,
  keyOf,
  type Match,
  matchTicket,
  namesIn,
  ownerOf,
  parseRecord,
  parseTicket,
  type SessionName,
  type Ticket,
  type TicketRecord,
  withName,
} from "./ticket.ts";

/** The cache, and the lifetime of its entries. */
export interface MemcachedStoreOptions {
  readonly cache: SharedCache;
  /** Milliseconds since 1970. */
  now(): number;
  /** Longest life of a session in milliseconds. */
  readonly absolute: number;
}

/**
 * All sessions of a user contain the same random word, which is in the cache, too. Ending all of them removes the word;
 * so a cache that evicts entries can only end sessions, never revive one.
 */
export function createMemcachedStore(options: MemcachedStoreOptions): SessionStore {
  return new MemcachedStore(options);
}

/** Attempts of a compare-and-swap; so many concurrent writes to one session do not occur. */
const ATTEMPTS = 50;
/** Seconds that entries outlive their sessions. */
const SLACK = 60;

/** A session as read, with its user's word. */
interface Entry {
  readonly record: TicketRecord;
  readonly match: Match;
  readonly word: string;
  readonly version: Version;
}

class MemcachedStore implements SessionStore {
  readonly noteShare = 1 / 60;
  readonly #options: MemcachedStoreOptions;

  constructor(options: MemcachedStoreOptions) {
    this.#options = options;
  }

  async create(session: Session): Promise<string> {
    const { ticket, record } = firstTicket(session);
    const value = format(await this.#wordFor(ticket.owner), record);
    // The name is random: an existing value is this one, sent again after the connection broke.
    await this.#options.cache.add(sessionKey(ticket), value, this.#lifetimeOf(session));
    if (session.subject !== undefined) await this.#enlist(session.subject, session);
    return formatTicket(ticket);
  }

  async load(text: string): Promise<Session | undefined> {
    const ticket = parseTicket(text);
    const found = ticket && await this.#read(ticket);
    if (!found) return undefined;
    if (isFirstUse(found.record, found.match)) await this.#confirm(ticket, found);
    return found.record.session;
  }

  async update(
    text: string,
    change: (session: Session) => Change | undefined,
  ): Promise<Updated | undefined> {
    const ticket = parseTicket(text);
    if (!ticket) return undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await this.#read(ticket);
      if (!found) return undefined;
      const wanted = change(found.record.session);
      if (!wanted) return { session: found.record.session };
      const { record, secret } = changed(found.record, wanted, found.match);
      if (!await this.#replace(ticket, record, found)) continue;
      const { session } = record;
      return secret === undefined ? { session } : { session, ticket: formatTicket({ ...ticket, secret }) };
    }
    throw new ServiceError("unavailable", "The session is being changed by too many requests: try again", {
      headers: { "Retry-After": "1" },
    });
  }

  async remove(text: string): Promise<void> {
    const ticket = parseTicket(text);
    if (ticket && await this.#read(ticket)) await this.#options.cache.remove(sessionKey(ticket));
  }

  async removeAllOf(login: string): Promise<void> {
    await this.#options.cache.remove(wordKey(ownerOf(login)));
  }

  async removeFor(
    subject: string,
    isMeant: (session: Session) => boolean,
  ): Promise<readonly Session[]> {
    const { cache } = this.#options;
    const list = await cache.get(subjectKey(subject));
    const removed: Session[] = [];
    for (const name of namesIn(list?.value)) {
      const kept = await cache.get(sessionKey(name));
      const session = kept && parse(kept.value)?.record.session;
      if (!session || session.subject !== subject || !isMeant(session)) continue;
      await cache.remove(sessionKey(name));
      removed.push(session);
    }
    return removed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#options.cache[Symbol.dispose]();
    return Promise.resolve();
  }

  /** The list outlives all of its sessions. */
  async #enlist(subject: string, session: Session): Promise<void> {
    const { cache, absolute } = this.#options;
    const lifetime = { seconds: absolute / 1000 + SLACK };
    const key = subjectKey(subject);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const kept = await cache.get(key);
      const list = withName(kept?.value, session);
      const isDone = kept
        ? await cache.replace(key, list, { ...lifetime, version: kept.version })
        : await cache.add(key, list, lifetime);
      if (isDone) return;
    }
    throw new ServiceError("unavailable", "Too many logins of this person at once: try again", {
      headers: { "Retry-After": "1" },
    });
  }

  /** Records the first use of a ticket; if another process is faster, it has recorded the same. */
  async #confirm(ticket: Ticket, found: Entry): Promise<void> {
    await this.#replace(ticket, confirmed(found.record, this.#options.now()), found);
  }

  async #read(ticket: Ticket): Promise<Entry | undefined> {
    const { cache, now } = this.#options;
    const [kept, word] = await Promise.all([cache.get(sessionKey(ticket)), cache.get(wordKey(ticket.owner))]);
    const parsed = kept && parse(kept.value);
    if (!parsed || parsed.word !== word?.value) return undefined;
    const match = matchTicket(parsed.record, ticket, now());
    return match && { ...parsed, match, version: kept.version };
  }

  async #replace(ticket: Ticket, record: TicketRecord, { word, version }: Entry): Promise<boolean> {
    const options = { ...this.#lifetimeOf(record.session), version };
    return await this.#options.cache.replace(sessionKey(ticket), format(word, record), options);
  }

  /** Returns the user's word, creating it if necessary; it outlives every session that contains it. */
  async #wordFor(owner: string): Promise<string> {
    const { cache, absolute } = this.#options;
    const lifetime = { seconds: absolute / 1000 + SLACK };
    const key = wordKey(owner);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const word = randomToken(16);
      if (await cache.add(key, word, lifetime)) return word;
      const kept = await cache.touch(key, lifetime) ? await cache.get(key) : undefined;
      if (kept) return kept.value;
    }
    throw new ServiceError("unavailable", "Sessions of this user are being ended: try again", {
      headers: { "Retry-After": "1" },
    });
  }

  #lifetimeOf({ expiresAt }: Session): Lifetime {
    return { seconds: (expiresAt - this.#options.now()) / 1000 + SLACK };
  }
}

function sessionKey(name: SessionName): string {
  return `rowhouse:session:${keyOf(name)}`;
}

function subjectKey(subject: string): string {
  return `rowhouse:subject:${subject}`;
}

function wordKey(owner: string): string {
  return `rowhouse:user:${owner}`;
}

function format(word: string, record: TicketRecord): string {
  return `${word} ${JSON.stringify(record)}`;
}

function parse(value: string): { readonly word: string; readonly record: TicketRecord } | undefined {
  const space = value.indexOf(" ");
  const record = parseRecord(value.slice(space + 1));
  return record && { word: value.slice(0, space), record };
}
