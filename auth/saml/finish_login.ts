/**
 * Takes responses that a provider's page sends. Browsers leave out this service's cookies then, unless
 * the provider is on the same site; so they are redirected with a sealed note of the outcome, which is
 * valid for a short time and only in the browser that began.
 *
 * @module
 */

import type { AuthHost, RouteAnswer, SessionDetails, User } from "@/plugins/contract.ts";
import { type Arrived, badRequest } from "@/plugins/kit/providers/identity_providers.ts";
import { Expired, LoginFailure, Refusal, Rejection, require } from "@/plugins/kit/providers/login_failure.ts";
import {
  matchUser as matchValues,
  type Mismatch,
  Unmatched,
  unmatched,
} from "@/plugins/kit/providers/match_user.ts";
import {
  countMessage,
  type Finishing as FinishingOf,
  openNote,
  openSession,
  refusedLogin,
  refuseLogin,
  requireOwn,
  sealNote,
} from "@/plugins/kit/providers/provider_login.ts";
import type { Identity } from "./assertion.ts";
import { cookieOf, leadToProvider, type SamlFlow } from "./begin_login.ts";
import { formIn } from "./bindings.ts";
import { decodeBase64 } from "./bounded_text.ts";
import { type Provider, type Taken, withPeer } from "./provider.ts";
import { detailsOf, loginIn, subjectOf } from "./provider_session.ts";
import { readResponse, Unasked } from "./read_response.ts";
import { MESSAGE_LIFETIME } from "./rules.ts";
import { ACS_PATH, type ProviderSettings } from "./settings.ts";

/** The outcome of a response. */
interface LoginNote {
  readonly kind: "login";
  readonly idp: string;
  /** The id of the answered request; absent: unreadable. */
  readonly request?: string;
  /** The user's login, and the details of the session. */
  readonly login?: string;
  readonly details?: SessionDetails | undefined;
  /** End of the provider's login, in milliseconds since 1970. */
  readonly endsAt?: number | undefined;
  /** The login began at the provider: the destination of the one that is begun here instead. */
  readonly unasked?: string;
  /** The provider's error code. */
  readonly refusal?: string;
  /** Why the identity matches no single user. */
  readonly unmatched?: Mismatch;
  /** Why the response is rejected, and the message for the person. */
  readonly rejection?: string;
  readonly told?: string;
}

/** Verifies a response. Without the browser's cookie no session begins or ends: the sender is unknown. */
export async function takeResponse(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  const { request, provider: { settings: { id } }, host } = arrived;
  const fields = await formIn(request);
  const response = fields.get("SAMLResponse");
  if (response === undefined) {
    const message = "There is no form with a field SAMLResponse";
    return { kind: "refused", code: "bad-request", message, redirect: true };
  }
  return await withPeer(arrived, `${host.prefix}/`, async (taken) => {
    const note = await noteOf(response, fields.get("RelayState") ?? "", taken);
    // Logged here, because the browser may never follow the redirect.
    const why = note.unmatched?.reason ?? note.rejection;
    const event = why === undefined ? {} : { event: refusedLogin(id, why, note.unmatched) };
    if (cookieOf(host).read(request)) return { ...await finish(note, arrived), ...event };
    const to = `${host.prefix}${ACS_PATH}${encodeURIComponent(id)}?note=${sealNote(note, host)}`;
    return { kind: "redirect", status: 303, to, ...event };
  });
}

async function noteOf(response: string, relayState: string, taken: Taken): Promise<LoginNote> {
  const { request, provider, peer, host } = taken;
  const base = { kind: "login", idp: provider.settings.id } as const;
  let about: Pick<LoginNote, "request"> = {};
  try {
    const identity = await countMessage(taken, async () => {
      const bytes = decodeBase64(response);
      const read = await provider.read(peer, (rules) => readResponse(bytes, rules));
      await requireFirst(read, taken);
      return read;
    });
    about = { request: identity.requestId };
    const { login } = matchUser(identity, provider.settings, host);
    const details = detailsOf(login, identity, taken);
    return { ...base, ...about, login, endsAt: identity.endsAt, details };
  } catch (error) {
    if (error instanceof Refusal) return { ...base, refusal: error.code };
    if (error instanceof Unasked) {
      return { ...base, unasked: host.localPath(relayState) ?? `${host.prefix}/` };
    }
    if (error instanceof Unmatched) return { ...base, ...about, unmatched: error.mismatch };
    if (!(error instanceof Rejection)) throw error;
    const told = error.messageFor(provider.settings.name, request.requestId);
    return { ...base, rejection: error.message, told };
  }
}

/** An assertion is valid once, on all workers and nodes together. */
async function requireFirst({ assertionId, until }: Identity, { provider, host }: Taken): Promise<void> {
  const left = Math.ceil((until - host.now()) / 1000);
  const seconds = Math.min(Math.max(left, 1), MESSAGE_LIFETIME);
  const isFirst = await host.once(`assertion ${provider.settings.id} ${assertionId}`, seconds);
  require(isFirst, "an assertion that was used before");
}

/** Limits on the number of compared values and on their length. */
const MOST_VALUES = 1_000;
const LONGEST_VALUE = 1_024;

/**
 * The one user whose attribute equals the provider's value exactly. Throws {@link
 * Rejection} or {@link Unmatched}.
 */
function matchUser(identity: Identity, settings: ProviderSettings, host: AuthHost): User {
  const { source } = settings;
  const values = valuesOf(identity, source);
  if (values.length === 0) {
    throw unmatched(`an assertion without "${source}"`, "unnamed", [identity.nameId?.value ?? ""]);
  }
  require(values.length <= MOST_VALUES, `an assertion with too many values of "${source}"`);
  const areShort = values.every(({ length }) => length <= LONGEST_VALUE);
  require(areShort, `an assertion with a "${source}" that is too long`);
  return matchValues({ ...settings, document: "the assertion", values }, host);
}

/** An attribute's name takes precedence over its friendly name. */
function valuesOf({ nameId, attributes }: Identity, source: string): readonly string[] {
  if (source === "NameID") return nameId ? [nameId.value] : [];
  const named = attributes.filter(({ name }) => name === source);
  const found = named.length > 0 ? named : attributes.filter(({ friendlyName }) => friendlyName === source);
  return found.flatMap(({ values }) => values);
}

/** A login at its last step. */
interface Finishing extends FinishingOf<SamlFlow, Provider> {
  readonly note: LoginNote | undefined;
}

/** Takes a browser with a note. */
export async function finishLogin(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  const { request, provider, host } = arrived;
  // A note is valid once: HEAD must not consume it.
  if (request.method !== "GET") return badRequest("Logins are finished with GET");
  const kept = { kind: "login", idp: provider.settings.id } as const;
  return await finish(openNote<LoginNote>(request.query.get("note") ?? "", kept, host), arrived);
}

/** The browser sends its cookie here, so only this opens and ends sessions. */
async function finish(note: LoginNote | undefined, arrived: Arrived<Provider>): Promise<RouteAnswer> {
  const { request, host } = arrived;
  const cookie = cookieOf(host);
  const finishing = { ...arrived, cookie, note, flow: cookie.read(request) };
  try {
    if (note?.unasked !== undefined) return await beginInstead(note.unasked, finishing);
    const { to, cookies, event } = await openSession(await userOf(finishing), finishing, sessionFor(note));
    return { kind: "redirect", status: 303, to, cookies, ...(event ? { event } : {}) };
  } catch (error) {
    // The failure in a note has been counted, and all but a refusal have been logged.
    const isNoted = error instanceof Noted || error instanceof Unmatched;
    const isCounted = isNoted || error instanceof Refusal;
    if (!isCounted && error instanceof LoginFailure) await host.throttle.countMessage(request.client.network);
    const { event, ...refused } = await refuseLogin(error, finishing);
    return { ...refused, redirect: true, ...(event && !isNoted ? { event } : {}) };
  }
}

/**
 * For a login that began at a portal: begins one here. If the provider answers that unasked again,
 * the login fails instead of looping.
 */
async function beginInstead(next: string, finishing: Finishing): Promise<RouteAnswer> {
  if (finishing.flow?.isUnasked) throw new Unasked();
  return await leadToProvider(finishing, { next, isUnasked: true });
}

/** Requires an accepted response to the login that this browser has begun. */
async function userOf(finishing: Finishing): Promise<User | undefined> {
  const { note, host } = finishing;
  if (!note) throw new Expired("a note that is not of this service, or too old");
  if (note.refusal !== undefined) throw new Refusal(note.refusal);
  if (note.rejection !== undefined) throw new Noted(note);
  await requireOwn(finishing, note.request ?? "");
  // Only the browser of the person who logged in sees the value from the provider.
  if (note.unmatched) throw new Unmatched(note.unmatched);
  return note.login === undefined ? undefined : host.findUser(note.login);
}

/** The session's details, with which the provider can end it, and its name for the person. */
function sessionFor({ details, endsAt }: Partial<LoginNote> = {}) {
  const login = loginIn(details);
  const person = login?.nameId.value;
  return { details, endsAt, person, subject: login && subjectOf(login.idp, login.nameId.value) };
}

/** The rejection that a note reports; it was counted and logged when the response arrived. */
class Noted extends Rejection {
  constructor(readonly note: LoginNote) {
    super(note.rejection);
  }

  override messageFor(provider: string, requestId: string): string {
    return this.note.told ?? super.messageFor(provider, requestId);
  }
}
