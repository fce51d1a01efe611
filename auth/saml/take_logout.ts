/**
 * A provider's messages about logging out that browsers bring: its requests, and its answers to requests of this service.
 *
 * @module
 */

import type { AuthEvent, Onward, RouteAnswer, RouteRequest, SessionDetails } from "@/plugins/contract.ts";
import { send } from "./bindings.ts";
import { decodeBase64 } from "./bounded_text.ts";
import { loginIn, subjectOf } from "./details.ts";
import { writeLogoutResponse } from "./messages.ts";
import { type LogoutNote, openNote, sealNote } from "./note.ts";
import { fieldIn, type Incoming, readQuery } from "./query_message.ts";
import { nameOfRefused, readLogoutRequest, readLogoutResponse } from "./read_logout.ts";
import { readWithKeys, type Taken } from "./read_with_keys.ts";
import { Refusal, Rejection, require } from "./rejection.ts";
import { LOGOUT_PATH } from "./settings.ts";
import {
  type Arrived,
  badRequest,
  formIn,
  MESSAGE_LIFETIME,
  providerOf,
  signerIf,
  type Surroundings,
  unknownProvider,
  unreachable,
} from "./surroundings.ts";

/** Takes a message in the address, or the note of one that came in a form. */
export async function takeLogoutQuery(
  request: RouteRequest,
  surroundings: Surroundings,
): Promise<RouteAnswer> {
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  // A request is valid once: HEAD must not consume it.
  if (request.method !== "GET") return badRequest("Messages about logging out are taken with GET and POST");
  const arrived = { request, provider, surroundings };
  const sealed = request.query.get("note");
  if (sealed === null) {
    return await take(() => Promise.resolve(readQuery(request.search)), arrived, endHere);
  }
  const { host } = surroundings;
  const note = openNote(sealed, { kind: "logout", idp: provider.settings.id }, host);
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, `${host.prefix}/`);
  return note
    ? await endHere({ note }, { ...arrived, peer })
    : await refuse("a note that is not of this service", arrived);
}

/**
 * Takes a message in a form. The browser does not send the session's cookie here, so it is redirected to an address where
 * it may.
 */
export async function takeLogoutForm(
  request: RouteRequest,
  surroundings: Surroundings,
): Promise<RouteAnswer> {
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  const { host } = surroundings;
  const path = `${host.prefix}${LOGOUT_PATH}${encodeURIComponent(provider.settings.id)}`;
  return await take(() => readForm(request), { request, provider, surroundings }, ({ note, event }) => {
    const to = `${path}?note=${sealNote(note, host)}`;
    return Promise.resolve({ kind: "redirect", status: 303, to, ...(event ? { event } : {}) });
  });
}

async function readForm(request: RouteRequest): Promise<Incoming> {
  const fields = await formIn(request);
  const field = fieldIn(fields);
  const relayState = fields.get("RelayState");
  return {
    field,
    bytes: decodeBase64(fields.get(field) ?? ""),
    ...(relayState === undefined ? {} : { relayState }),
    isSigned: () => false,
  };
}

/** A request that was executed on the stored sessions, with its entry for the audit log. */
interface CarriedOut {
  readonly note: LogoutNote;
  readonly event?: AuthEvent;
}

type Carry = (done: CarriedOut, taken: Taken) => Promise<RouteAnswer>;

async function take(read: () => Promise<Incoming>, arrived: Arrived, carry: Carry): Promise<RouteAnswer> {
  const { provider, surroundings: { host } } = arrived;
  const home = `${host.prefix}/`;
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, home);
  const taken = { ...arrived, peer };
  try {
    const message = await read();
    if (message.field === "SAMLRequest") return await takeRequest(message, taken, carry);
    const { logoutUrl: destination } = provider.settings.sp;
    await readWithKeys(taken, (rules) => readLogoutResponse(message, { ...rules, destination }));
    return { kind: "redirect", status: 303, to: home };
  } catch (error) {
    if (error instanceof Refusal) return notEnded(error, arrived);
    if (error instanceof Rejection) return await refuse(error.message, arrived);
    throw error;
  }
}

async function takeRequest(message: Incoming, taken: Taken, carry: Carry): Promise<RouteAnswer> {
  try {
    return await carry(await carryOut(message, taken), taken);
  } catch (error) {
    if (error instanceof Rejection) return await answerRefused(error, message, taken);
    throw error;
  }
}

/** Ends the matching stored sessions, whichever browser brings the request, with or without their cookie. */
async function carryOut(message: Incoming, taken: Taken): Promise<CarriedOut> {
  const { provider: { settings: { id, sp } }, surroundings: { host } } = taken;
  const destination = sp.logoutUrl;
  const order = await readWithKeys(taken, (rules) => readLogoutRequest(message, { ...rules, destination }));
  // A request is valid once, on all workers and nodes together.
  const isFirst = await host.once(`logout ${id} ${order.request}`, MESSAGE_LIFETIME);
  require(isFirst, "a request that was used before");
  const isMeantBy = (details: SessionDetails | undefined) => isMeant(details, { idp: id, ...order });
  const ended = await host.sessions.endFor(subjectOf(id, order.nameId), isMeantBy);
  const outcome = ended ? "ended" : "partly";
  return {
    note: { kind: "logout", idp: id, ...order, ...stateOf(message), outcome },
    ...(ended && ended.length > 0 ? { event: eventOf(ended, id) } : {}),
  };
}

function eventOf(logins: readonly string[], id: string): AuthEvent {
  const many = logins.length > 1 ? `: ${logins.length} sessions` : "";
  const user = [...new Set(logins)].join(", ");
  return { action: "logout", outcome: "success", user, reason: `identity provider ${id}${many}` };
}

/** The standard allows 80 bytes; some providers need more. */
const LONGEST_STATE = 1_000;

function stateOf({ relayState }: Incoming): Pick<LogoutNote, "relayState"> {
  return relayState !== undefined && relayState.length <= LONGEST_STATE ? { relayState } : {};
}

/** Ends a session inside this browser's cookie, and answers the provider. */
async function endHere({ note, event }: CarriedOut, taken: Taken): Promise<RouteAnswer> {
  const { request, surroundings: { host } } = taken;
  const { session, cookies } = await host.sessions.resume(request);
  const answer = answerTo(note, taken);
  if (session?.method !== "saml" || !isMeant(session.details, note)) {
    return { ...answer, cookies, ...(event ? { event } : {}) };
  }
  const closed = await host.sessions.close(request);
  return { ...answer, cookies: closed, event: eventOf([session.user.login], note.idp) };
}

/** Without a session index, all logins of that person match. */
function isMeant(
  details: SessionDetails | undefined,
  { idp, nameId, sessionIndexes }: Pick<LogoutNote, "idp" | "nameId" | "sessionIndexes">,
): boolean {
  const login = loginIn(details);
  if (login?.idp !== idp || login.nameId.value !== nameId) return false;
  return sessionIndexes.length === 0 || sessionIndexes.includes(login.sessionIndex ?? "");
}

/** The answer to a provider's request. */
type Told = Pick<LogoutNote, "request" | "relayState" | "outcome">;

function answerTo(
  { request, relayState, outcome }: Told,
  { provider: { settings }, peer, surroundings: { host } }: Taken,
): Onward {
  if (!peer.logout) return { kind: "redirect", status: 303, to: `${host.prefix}/` };
  const { binding, url, responseUrl } = peer.logout;
  const to = responseUrl ?? url;
  const { xml } = writeLogoutResponse(settings, { requestId: request, outcome }, { to, now: host.now() });
  const signer = signerIf(settings.security.logoutResponseSigned, settings);
  const answer = send({ url: to, binding }, { field: "SAMLResponse", xml, signer, relayState });
  return answer.kind === "send" ? { ...answer, inFrame: true } : answer;
}

/** Ends nothing, but answers the provider: it may have to continue with other services. */
async function answerRefused(error: Rejection, message: Incoming, taken: Taken): Promise<RouteAnswer> {
  const refused = await refuse(error.message, taken);
  const request = nameOfRefused(message, taken.peer.entityId);
  if (request === undefined || !taken.peer.logout) return refused;
  const { event } = refused;
  const answer = answerTo({ request, outcome: "refused", ...stateOf(message) }, taken);
  return event ? { ...answer, event } : answer;
}

/** The session here has ended anyway. */
function notEnded(
  { message }: Refusal,
  { provider: { settings: { id } }, surroundings: { host } }: Arrived,
): RouteAnswer {
  host.log.warn(`A login has not been ended at identity provider "${id}": ${message}`);
  return { kind: "redirect", status: 303, to: `${host.prefix}/` };
}

/** Refuses without ending anything. */
async function refuse(
  why: string,
  { request, provider, surroundings: { host } }: Arrived,
): Promise<Extract<RouteAnswer, { kind: "refused" }>> {
  const { id, name } = provider.settings;
  await host.throttle.countMessage(request.client.network);
  return {
    kind: "refused",
    code: "forbidden",
    message: `The message of ${name} about logging out is not valid here`,
    redirect: true,
    event: { action: "logout", outcome: "refused", reason: `identity provider ${id}: ${why}` },
  };
}
