/**
 * Tickets of sessions that are stored on the server: 256 random bits, of which only the hash is stored.
 *
 * @module
 */

import { hash } from "node:crypto";
import { isSame, randomToken } from "./secret.ts";
import type { Change, Session } from "./store.ts";

/** The parts of a ticket: its user, its session, and the secret that proves possession. */
export interface Ticket {
  readonly owner: string;
  readonly id: string;
  readonly secret: string;
}

/** A stored session: its state, and hashes of the secrets that open it. */
export interface TicketRecord {
  readonly session: Session;
  readonly current: string;
  /** The hash of the ticket before: browsers may have sent requests with it, or lost the answer with the new one. */
  readonly previous?: string;
  /** Absent: the new ticket has not been used yet, so the one before is valid as long as the session. */
  readonly previousUntil?: number;
}

/** Milliseconds that the old ticket stays valid after the first use of the new one. */
const GRACE = 60_000;

/** Reads a ticket; undefined for any other text. */
export function parseTicket(text: string): Ticket | undefined {
  const [, owner, id, secret] = /^([0-9a-f]{32})\.([\w-]{22})\.([\w-]{43})$/.exec(text) ?? [];
  return owner && id && secret ? { owner, id, secret } : undefined;
}

/** Identifies a login in tickets and names. */
export function ownerOf(login: string): string {
  return hash("sha256", login).slice(0, 32);
}

/** The storage key of a session; the ticket cannot be computed from it. */
export function keyOf({ owner, id }: Pick<Ticket, "owner" | "id">): string {
  return hash("sha256", `${owner}.${id}`);
}

/** The name of a session in the list of one subject's sessions. */
export type SessionName = Pick<Ticket, "owner" | "id">;

/** Longest list. A user has at most as many sessions, and the oldest end first. */
const MOST_NAMES = 1000;

/** Appends a session to the list; undefined is an empty list. */
export function withName(list: string | undefined, { login, id }: Session): string {
  const names = list === undefined ? [] : list.split("\n");
  return [...names, `${ownerOf(login)}.${id}`].slice(-MOST_NAMES).join("\n");
}

/** The sessions in a list; some may have ended. */
export function namesIn(list = ""): readonly SessionName[] {
  return list.split("\n").flatMap((name) => {
    const [, owner, id] = /^([0-9a-f]{32})\.([\w-]{22})$/.exec(name) ?? [];
    return owner && id ? [{ owner, id }] : [];
  });
}

/** The first ticket of a session. */
export function firstTicket(session: Session): { readonly ticket: Ticket; readonly record: TicketRecord } {
  const ticket = { owner: ownerOf(session.login), id: session.id, secret: randomToken(32) };
  return { ticket, record: { session, current: hash("sha256", ticket.secret) } };
}

/** A ticket in the format of the cookie. */
export function formatTicket({ owner, id, secret }: Ticket): string {
  return `${owner}.${id}.${secret}`;
}

/** Which secret of a record a ticket has; undefined if none that is valid now. */
export function matchTicket(record: TicketRecord, ticket: Ticket, now: number): Match | undefined {
  const hashed = hash("sha256", ticket.secret);
  if (isSame(hashed, record.current)) return "current";
  if (record.previous === undefined || !isSame(hashed, record.previous)) return undefined;
  if (record.previousUntil === undefined) return "unconfirmed";
  return now < record.previousUntil ? "superseded" : undefined;
}

/** `unconfirmed`: the old ticket while the new one is unused; `superseded`: the old ticket in its last minute. */
export type Match = "current" | "unconfirmed" | "superseded";

/** Whether this is the first use of a new ticket, which must be recorded. */
export function isFirstUse({ previous, previousUntil }: TicketRecord, match: Match): boolean {
  return match === "current" && previous !== undefined && previousUntil === undefined;
}

/** The record after the first use of its new ticket. */
export function confirmed(record: TicketRecord, now: number): TicketRecord {
  return { ...record, previousUntil: now + GRACE };
}

/** The record after a change, and the secret of a new ticket, if it gets one. */
export function changed(
  record: TicketRecord,
  { session, renew }: Change,
  match: Match,
): { readonly record: TicketRecord; readonly secret?: string } {
  // The browser with a superseded ticket has, or had, a newer one.
  if (!renew || match === "superseded") {
    return { record: { ...record, session: { ...session, issuedAt: record.session.issuedAt } } };
  }
  const secret = randomToken(32);
  const previous = match === "current" ? record.current : record.previous;
  const renewed = { session, current: hash("sha256", secret) };
  return { record: previous === undefined ? renewed : { ...renewed, previous }, secret };
}

/** Reads a record; undefined for half a file or a damaged one. */
export function parseRecord(text: string): TicketRecord | undefined {
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
  if (!isObject(value) || !isObject(value["session"]) || !isObject(value["session"]["data"])) return false;
  const { session, current, previous, previousUntil } = value;
  return TEXTS.every((name) => typeof session[name] === "string") &&
    TIMES.every((name) => typeof session[name] === "number") &&
    typeof current === "string" &&
    (previous === undefined || typeof previous === "string") &&
    (previousUntil === undefined || typeof previousUntil === "number");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
