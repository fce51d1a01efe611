/**
 * Sessions in files: a directory per user, a file per session. Names are hashes.
 *
 * @module
 */

import { join } from "node:path";
import type { Log } from "@/plugins/contract.ts";
import { ifThere, LockedOut } from "@/core/storage/shared_file.ts";
import { randomToken } from "./secret.ts";
import { SessionFiles } from "./session_files.ts";
import { FileSweeper, SUBJECTS } from "./sweep.ts";
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
import { ServiceError } from "@/core/errors.ts";

/** The directories, and the limit per user. */
export interface FileStoreOptions {
  /** Both directories are created if necessary. */
  readonly dataDirectory: string;
  readonly lockDirectory: string;
  /** Milliseconds since 1970. */
  now(): number;
  readonly log: Log;
  /** Milliseconds to wait for a lock on a user's sessions. Default: 5,000. */
  readonly longestWait?: number;
  /** Approximate limit of sessions per user; those that expire first are removed. */
  readonly mostPerUser?: number;
}

/** Any request with an API key can open a session, so the number per user is limited. */
const MOST_PER_USER = 1000;

/** Opens the store and creates its directories with access for their owner only. */
export async function openFileStore(options: FileStoreOptions): Promise<FileStore> {
  for (const directory of [options.dataDirectory, options.lockDirectory]) {
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  }
  return new FileStore(options);
}

/** A store that removes expired sessions in the background. */
class FileStore implements SessionStore {
  readonly noteShare = 1 / 60;
  readonly #options: FileStoreOptions;
  readonly #sweeper: FileSweeper;
  readonly #files: SessionFiles;
  /** Number of sessions that each user has opened in this process. */
  readonly #openedBy = new Map<string, number>();

  constructor(options: FileStoreOptions) {
    this.#options = options;
    const { dataDirectory, now, log } = options;
    this.#files = new SessionFiles(log, now);
    const onFailure = (error: unknown) => log.error("Cannot remove sessions that have ended", error);
    const lock = (owner: string) => this.#lock(owner);
    this.#sweeper = new FileSweeper({ directory: dataDirectory, now, onFailure, lock });
    this.#sweeper.sweepIfDue();
  }

  create(session: Session): Promise<string> {
    this.#sweeper.sweepIfDue();
    return this.#whereAvailable(this.#create(session));
  }

  load(ticket: string): Promise<Session | undefined> {
    return this.#whereAvailable(this.#load(ticket));
  }

  update(
    ticket: string,
    change: (session: Session) => Change | undefined,
  ): Promise<Updated | undefined> {
    return this.#whereAvailable(this.#update(ticket, change));
  }

  remove(ticket: string): Promise<void> {
    return this.#whereAvailable(this.#remove(ticket));
  }

  removeAllOf(login: string): Promise<void> {
    return this.#whereAvailable(this.#removeAllOf(login));
  }

  removeFor(subject: string, isMeant: (session: Session) => boolean): Promise<readonly Session[]> {
    return this.#whereAvailable(this.#removeFor(subject, isMeant));
  }

  /** Waits for a running removal of old sessions. */
  async swept(): Promise<void> {
    await this.#sweeper.swept();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweeper[Symbol.asyncDispose]();
  }

  async #create(session: Session): Promise<string> {
    const { ticket, record } = firstTicket(session);
    {
      using _lock = await this.#lock(ticket.owner);
      await this.#files.attempt(() => this.#makeRoom(ticket.owner));
      await this.#write(ticket, record);
    }
    if (session.subject !== undefined) await this.#enlist(session.subject, session);
    return formatTicket(ticket);
  }

  /** Holds only one lock at a time, so two processes cannot deadlock. */
  async #enlist(subject: string, session: Session): Promise<void> {
    using _lock = await this.#lock(subject);
    const path = join(this.#options.dataDirectory, SUBJECTS, subject);
    await this.#files.write(path, withName(await this.#files.read(path), session));
  }

  async #load(text: string): Promise<Session | undefined> {
    const ticket = parseTicket(text);
    const found = ticket && await this.#read(ticket);
    if (!found) return undefined;
    if (isFirstUse(found.record, found.match)) await this.#confirm(ticket);
    return found.record.session;
  }

  async #update(
    text: string,
    change: (session: Session) => Change | undefined,
  ): Promise<Updated | undefined> {
    const ticket = parseTicket(text);
    if (!ticket) return undefined;
    using _lock = await this.#lock(ticket.owner);
    const found = await this.#read(ticket);
    if (!found) return undefined;
    const wanted = change(found.record.session);
    if (!wanted) return { session: found.record.session };
    const { record, secret } = changed(found.record, wanted, found.match);
    await this.#write(ticket, record);
    const { session } = record;
    return secret === undefined ? { session } : { session, ticket: formatTicket({ ...ticket, secret }) };
  }

  async #remove(text: string): Promise<void> {
    const ticket = parseTicket(text);
    if (!ticket || !await this.#read(ticket)) return;
    using _lock = await this.#lock(ticket.owner);
    await this.#files.remove(this.#path(ticket));
  }

  /** Renames the directory first: from then on its sessions cannot be found. */
  async #removeAllOf(login: string): Promise<void> {
    const owner = ownerOf(login);
    const { dataDirectory } = this.#options;
    const directory = join(dataDirectory, owner);
    const removed = join(dataDirectory, `.removed-${randomToken(9)}`);
    {
      using _lock = await this.#lock(owner);
      this.#files.forget(directory);
      // A read-only disk refuses to rename even a path that does not exist.
      if (!await ifThere(Deno.stat(directory))) return;
      await ifThere(Deno.rename(directory, removed));
    }
    await ifThere(Deno.remove(removed, { recursive: true }));
  }

  async #removeFor(
    subject: string,
    isMeant: (session: Session) => boolean,
  ): Promise<readonly Session[]> {
    const list = await this.#files.read(join(this.#options.dataDirectory, SUBJECTS, subject));
    const removed: Session[] = [];
    for (const name of namesIn(list)) {
      using _lock = await this.#lock(name.owner);
      const session = (await this.#recordOf(name))?.session;
      if (!session || session.subject !== subject || !isMeant(session)) continue;
      await this.#files.remove(this.#path(name));
      removed.push(session);
    }
    return removed;
  }

  #whereAvailable<T>(work: Promise<T>): Promise<T> {
    return whereAvailable(work, this.#options.log);
  }

  /** Counting files takes time, so it is done occasionally: the limit is not exact. */
  async #makeRoom(owner: string): Promise<void> {
    const { mostPerUser = MOST_PER_USER } = this.#options;
    const opened = this.#openedBy.get(owner) ?? 0;
    this.#openedBy.set(owner, opened + 1);
    if (opened % Math.ceil(mostPerUser / 20) === 0) await this.#sweeper.makeRoom(owner, mostPerUser);
  }

  async #confirm(ticket: Ticket): Promise<void> {
    using _lock = await this.#lock(ticket.owner);
    const found = await this.#read(ticket);
    if (!found || !isFirstUse(found.record, found.match)) return;
    await this.#write(ticket, confirmed(found.record, this.#options.now()));
  }

  async #read(ticket: Ticket): Promise<{ readonly record: TicketRecord; readonly match: Match } | undefined> {
    const record = await this.#recordOf(ticket);
    const match = record && matchTicket(record, ticket, this.#options.now());
    return match && { record, match };
  }

  async #recordOf(name: SessionName): Promise<TicketRecord | undefined> {
    const text = await this.#files.read(this.#path(name));
    return text === undefined ? undefined : parseRecord(text);
  }

  async #write(ticket: Ticket, record: TicketRecord): Promise<void> {
    await this.#files.write(this.#path(ticket), JSON.stringify(record));
  }

  #path(name: SessionName): string {
    return join(this.#options.dataDirectory, name.owner, keyOf(name));
  }

  /** A fixed number of locks, so that they need not be removed. Users whose hash begins alike share one. */
  async #lock(owner: string): Promise<Disposable> {
    const { lockDirectory, longestWait } = this.#options;
    return await this.#files.lock(join(lockDirectory, `${owner.slice(0, 2)}.lock`), longestWait);
  }
}

/** The result of work with session files. Throws 503 for an error of the file system, which may be temporary. */
async function whereAvailable<T>(work: Promise<T>, log: Log): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof LockedOut) && !isOfSystem(error)) throw error;
    log.error("A session cannot be kept or changed", error);
    throw new ServiceError("unavailable", "Sessions are not available at the moment: try again later", {
      cause: error,
      headers: { "Retry-After": "5" },
    });
  }
}

/** Errors of the file system have the system's name: `ENOSPC`. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ServiceError) && "code" in error &&
    typeof error.code === "string";
}
