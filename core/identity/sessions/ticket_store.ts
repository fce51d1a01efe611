/**
 * Sessions on the server: in files, or in the cache that all nodes share. A ticket has 256 random bits,
 * of which only the hash is stored.
 *
 * @module
 */

import { hash } from "node:crypto";
import { isObject } from "@/core/base/plugin_answers.ts";
import { tryLater } from "@/core/errors.ts";
import type { CacheVersion, Lifetime, SharedCache } from "@/plugins/contract.ts";
import { isSame, randomToken } from "./secret.ts";
import type { Change, Session, SessionStore, Updated } from "./store.ts";

/** The place of the sessions, and the lifetime of its entries. */
interface TicketStoreOptions {
  readonly cache: SharedCache;
  /** Milliseconds since 1970. */
  now(): number;
  /** Longest life of a session in milliseconds. */
  readonly absolute: number;
}

/** The parts of a ticket: its user, its session, and the secret that proves possession. */
interface Ticket {
  readonly owner: string;
  readonly id: string;
  readonly secret: string;
}

/** A stored session: its state, its user's word, and hashes of the secrets that open it. */
interface TicketRecord {
  readonly session: Session;
  readonly word: string;
  readonly current: string;
  /**
   * The hash of the ticket before: browsers may have sent requests with it, or
   * lost the answer with the new one.
   */
  readonly previous?: string;
  /** Absent: the new ticket has not been used yet, so the one before is valid as long as the session. */
  readonly previousUntil?: number;
}

/**
 * `unconfirmed`: the old ticket while the new one is unused; `superseded`: the old ticket in its last minute.
 */
type Match = "current" | "unconfirmed" | "superseded";

/** A session as read. */
interface Entry {
  readonly key: string;
  readonly record: TicketRecord;
  readonly match: Match;
  readonly version: CacheVersion;
}

/** Milliseconds that the old ticket stays valid after the first use of the new one. */
const GRACE = 60_000;
/** Attempts of a compare-and-swap; so many concurrent writes to one session do not occur. */
const ATTEMPTS = 50;
/** Seconds that entries outlive their sessions. */
const SLACK = 60;
/** Longest list of a subject's sessions; the oldest ones end. */
const MOST_LISTED = 1000;

/**
 * All sessions of a user contain the same random word, which is an entry of its own. Ending all of them
 * removes the word; so a cache that evicts entries can only end sessions, never revive one.
 */
export class TicketStore implements SessionStore {
  readonly noteShare = 1 / 60;
  readonly #options: TicketStoreOptions;

  constructor(options: TicketStoreOptions) {
    this.#options = options;
  }

  async create(session: Session): Promise<string> {
    const ticket = { owner: ownerOf(session.login), id: session.id, secret: randomToken(32) };
    const word = await this.#wordFor(ticket.owner);
    const record: TicketRecord = { session, word, current: hash("sha256", ticket.secret) };
    const key = keyOf(ticket);
    // The name is random: an existing value is this one, sent again after the connection broke.
    await this.#options.cache.add(key, JSON.stringify(record), this.#lifetimeOf(session));
    if (session.subject !== undefined) await this.#enlist(subjectKey(session.subject), key);
    return formatTicket(ticket);
  }

  async load(text: string): Promise<Session | undefined> {
    const ticket = parseTicket(text);
    const found = ticket && await this.#read(ticket);
    if (!found) return undefined;
    const { record, match } = found;
    const isFirstUse = match === "current" && record.previous !== undefined &&
      record.previousUntil === undefined;
    // If another process is faster, it has recorded the same.
    if (isFirstUse) await this.#replace(found, { ...record, previousUntil: this.#options.now() + GRACE });
    return record.session;
  }

  async update(text: string, change: (session: Session) => Change | undefined): Promise<Updated | undefined> {
    const ticket = parseTicket(text);
    if (!ticket) return undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await this.#read(ticket);
      if (!found) return undefined;
      const wanted = change(found.record.session);
      if (!wanted) return { session: found.record.session };
      const { record, secret } = changed(found, wanted);
      if (!await this.#replace(found, record)) continue;
      const { session } = record;
      return secret === undefined ? { session } : { session, ticket: formatTicket({ ...ticket, secret }) };
    }
    throw tryLater("The session is being changed by too many requests: try again", 1);
  }

  async remove(text: string): Promise<void> {
    const ticket = parseTicket(text);
    if (ticket && await this.#read(ticket)) await this.#options.cache.remove(keyOf(ticket));
  }

  async removeAllOf(login: string): Promise<void> {
    await this.#options.cache.remove(wordKey(ownerOf(login)));
  }

  async removeFor(subject: string, isMeant: (session: Session) => boolean): Promise<readonly Session[]> {
    const { cache } = this.#options;
    const list = await cache.get(subjectKey(subject));
    const removed: Session[] = [];
    for (const key of list?.value.split("\n") ?? []) {
      const session = parseRecord((await cache.get(key))?.value)?.session;
      if (!session || !isMeant(session)) continue;
      await cache.remove(key);
      removed.push(session);
    }
    return removed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.cache[Symbol.asyncDispose]();
  }

  async #enlist(list: string, key: string): Promise<void> {
    const { cache } = this.#options;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const kept = await cache.get(list);
      const all = [...kept?.value.split("\n") ?? [], key];
      const keys = all.slice(-MOST_LISTED).join("\n");
      const isDone = kept
        ? await cache.replace(list, keys, { ...this.#longest(), version: kept.version })
        : await cache.add(list, keys, this.#longest());
      if (!isDone) continue;
      // A logout at the provider would not find them any more.
      await Promise.all(all.slice(0, -MOST_LISTED).map((old) => cache.remove(old)));
      return;
    }
    throw tryLater("Too many logins of this person at once: try again", 1);
  }

  /** Returns the user's word, creating it if necessary; it outlives every session that contains it. */
  async #wordFor(owner: string): Promise<string> {
    const { cache } = this.#options;
    const key = wordKey(owner);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const word = randomToken(16);
      if (await cache.add(key, word, this.#longest())) return word;
      const kept = await cache.touch(key, this.#longest()) ? await cache.get(key) : undefined;
      if (kept) return kept.value;
    }
    throw tryLater("Sessions of this user are being ended: try again", 1);
  }

  async #read(ticket: Ticket): Promise<Entry | undefined> {
    const { cache, now } = this.#options;
    const key = keyOf(ticket);
    const [kept, word] = await Promise.all([cache.get(key), cache.get(wordKey(ticket.owner))]);
    const record = parseRecord(kept?.value);
    if (!kept || !record || record.word !== word?.value) return undefined;
    const match = matchTicket(record, ticket, now());
    return match && { key, record, match, version: kept.version };
  }

  async #replace({ key, version }: Entry, record: TicketRecord): Promise<boolean> {
    const options = { ...this.#lifetimeOf(record.session), version };
    return await this.#options.cache.replace(key, JSON.stringify(record), options);
  }

  #lifetimeOf({ expiresAt }: Session): Lifetime {
    return { seconds: (expiresAt - this.#options.now()) / 1000 + SLACK };
  }

  #longest(): Lifetime {
    return { seconds: this.#options.absolute / 1000 + SLACK };
  }
}

/** Identifies a login in tickets and keys. */
function ownerOf(login: string): string {
  return hash("sha256", login).slice(0, 32);
}

/** The ticket cannot be computed from the key. */
function keyOf({ owner, id }: Ticket): string {
  return `${owner}:${hash("sha256", `${owner}.${id}`)}`;
}

function wordKey(owner: string): string {
  return `${owner}:word`;
}

function subjectKey(subject: string): string {
  return `subjects:${subject}`;
}

function parseTicket(text: string): Ticket | undefined {
  const [, owner, id, secret] = /^([0-9a-f]{32})\.([\w-]{22})\.([\w-]{43})$/.exec(text) ?? [];
  return owner && id && secret ? { owner, id, secret } : undefined;
}

function formatTicket({ owner, id, secret }: Ticket): string {
  return `${owner}.${id}.${secret}`;
}

/** Which secret of a record a ticket has; undefined if none that is valid now. */
function matchTicket(record: TicketRecord, ticket: Ticket, now: number): Match | undefined {
  const hashed = hash("sha256", ticket.secret);
  if (isSame(hashed, record.current)) return "current";
  if (record.previous === undefined || !isSame(hashed, record.previous)) return undefined;
  if (record.previousUntil === undefined) return "unconfirmed";
  return now < record.previousUntil ? "superseded" : undefined;
}

/** The record after a change, and the secret of a new ticket, if it gets one. */
function changed(
  { record, match }: Entry,
  { session, renew }: Change,
): { readonly record: TicketRecord; readonly secret?: string } {
  // The browser with a superseded ticket has, or had, a newer one.
  if (!renew || match === "superseded") {
    return { record: { ...record, session: { ...session, issuedAt: record.session.issuedAt } } };
  }
  const secret = randomToken(32);
  const previous = match === "current" ? record.current : record.previous;
  const renewed = { session, word: record.word, current: hash("sha256", secret) };
  return { record: previous === undefined ? renewed : { ...renewed, previous }, secret };
}

/** Reads a record; undefined for half a file or a damaged one. */
function parseRecord(text = ""): TicketRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return isRecord(record) ? record : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const TEXTS = ["id", "login", "method", "csrfToken", "fingerprint"];
const TIMES = ["createdAt", "lastSeenAt", "issuedAt", "expiresAt"];

/** A session without one of its times would never end. */
function isRecord(value: unknown): value is TicketRecord {
  if (!isObject(value) || !isObject(value["session"])) return false;
  const { session, word, current, previous, previousUntil } = value;
  return TEXTS.every((name) => typeof session[name] === "string") &&
    TIMES.every((name) => typeof session[name] === "number") &&
    (session["details"] === undefined || isObject(session["details"])) &&
    typeof word === "string" &&
    typeof current === "string" &&
    (previous === undefined || typeof previous === "string") &&
    (previousUntil === undefined || typeof previousUntil === "number");
}
