/**
 * What becomes of a message that a provider's page sent. Browsers leave this service's cookies out then; so they are sent on
 * with a sealed note of what was in it, which is good for a moment and, for logins, in the browser that began only.
 *
 * @module
 */

import type { AuthHost, SessionDetails } from "@/plugins/contract.ts";
import type { UnmatchedNote } from "@/plugins/kit/match_user.ts";
import type { LogoutOutcome } from "./messages.ts";

/** The outcome of a response. */
export interface LoginNote {
  readonly kind: "login";
  readonly idp: string;
  /** The request that was answered; absent: that could not be read. */
  readonly request?: string;
  /** Who it is, and what is kept with the session. */
  readonly login?: string;
  readonly details?: SessionDetails;
  /** When the provider ends the login, in milliseconds since 1970. */
  readonly endsAt?: number;
  /** The login began at the provider: where another one, begun here, is to lead. */
  readonly unasked?: string;
  /** What the provider said instead. */
  readonly refusal?: string;
  /** Why it is no one user. */
  readonly unmatched?: UnmatchedNote;
  /** Why it is not accepted, whether that is only because it is too late, and which request brought it. */
  readonly rejection?: string;
  readonly isExpired?: boolean;
  readonly requestId?: string;
}

/** A provider's request to end a login, which was carried out wherever sessions are kept. */
export interface LogoutNote {
  readonly kind: "logout";
  readonly idp: string;
  readonly request: string;
  readonly nameId: string;
  /** Empty: every login of that person. */
  readonly sessionIndexes: readonly string[];
  readonly relayState?: string;
  /** What the provider is told. */
  readonly outcome: LogoutOutcome;
}

/** What a browser is sent on with. */
export type Note = LoginNote | LogoutNote;

/** Seconds that a browser has to follow a redirect. */
const LIFETIME = 60;
/** Tells a note from what else is sealed. */
const MARK = "note ";

/** The note as it stands in an address. */
export function sealNote(note: Note, host: Pick<AuthHost, "seal">): string {
  return host.seal(MARK + JSON.stringify(note), LIFETIME);
}

/** What a note says; undefined for everything that is none of that kind and provider, or is too old. */
export function openNote<Kind extends Note["kind"]>(
  sealed: string,
  { kind, idp }: { readonly kind: Kind; readonly idp: string },
  host: Pick<AuthHost, "unseal">,
): Extract<Note, { kind: Kind }> | undefined {
  const opened = host.unseal(sealed);
  if (!opened?.startsWith(MARK)) return undefined;
  // Only this module's own notes have been sealed with the mark.
  const note = JSON.parse(opened.slice(MARK.length)) as Note;
  return note.kind === kind && note.idp === idp ? note as Extract<Note, { kind: Kind }> : undefined;
}
