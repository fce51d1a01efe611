/**
 * The outcome of a message that a provider's page sent. Browsers leave out this service's cookies then; so they are
 * redirected with a sealed note, which is valid for a short time and, for logins, only in the browser that began.
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
  /** The id of the answered request; absent: unreadable. */
  readonly request?: string;
  /** The user's login, and the details of the session. */
  readonly login?: string;
  readonly details?: SessionDetails;
  /** End of the provider's login, in milliseconds since 1970. */
  readonly endsAt?: number;
  /** The login began at the provider: the destination of the one that is begun here instead. */
  readonly unasked?: string;
  /** The provider's error code. */
  readonly refusal?: string;
  /** Why the identity matches no single user. */
  readonly unmatched?: UnmatchedNote;
  /**
   * Why the response is rejected, whether only because it is too late, and the id of the HTTP request that brought it.
   */
  readonly rejection?: string;
  readonly isExpired?: boolean;
  readonly requestId?: string;
}

/** A provider's logout request, already executed on all stored sessions. */
export interface LogoutNote {
  readonly kind: "logout";
  readonly idp: string;
  readonly request: string;
  readonly nameId: string;
  /** Empty: all logins of that person. */
  readonly sessionIndexes: readonly string[];
  readonly relayState?: string;
  /** The answer to the provider. */
  readonly outcome: LogoutOutcome;
}

/** The note with which a browser is redirected. */
export type Note = LoginNote | LogoutNote;

/** Seconds that a browser has to follow a redirect. */
const LIFETIME = 60;
/** Distinguishes notes from other sealed texts. */
const MARK = "note ";

/** Seals a note for an address. */
export function sealNote(note: Note, host: Pick<AuthHost, "seal">): string {
  return host.seal(MARK + JSON.stringify(note), LIFETIME);
}

/** The content of a note; undefined for another kind, another provider, any other text, and after it has expired. */
export function openNote<Kind extends Note["kind"]>(
  sealed: string,
  { kind, idp }: { readonly kind: Kind; readonly idp: string },
  host: Pick<AuthHost, "unseal">,
): Extract<Note, { kind: Kind }> | undefined {
  const opened = host.unseal(sealed);
  if (!opened?.startsWith(MARK)) return undefined;
  // Only this module seals texts with this mark.
  const note = JSON.parse(opened.slice(MARK.length)) as Note;
  return note.kind === kind && note.idp === idp ? note as Extract<Note, { kind: Kind }> : undefined;
}
