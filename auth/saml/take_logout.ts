/**
 * Messages about logging out that a provider leads browsers here with: its requests, and its answers to those of this
 * service.
 *
 * @module
 */

import type { AuthEvent, AuthSession, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { send } from "./bindings.ts";
import { decodeBase64 } from "./bounded_text.ts";
import { loginOf } from "./details.ts";
import { writeLogoutResponse } from "./messages.ts";
import { type LogoutNote, openNote, sealNote } from "./note.ts";
import { fieldIn, type Incoming, readQuery } from "./query_message.ts";
import { readLogoutRequest, readLogoutResponse } from "./read_logout.ts";
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

/** A message in the address, or the note of one that came in a form. */
export async function takeLogoutQuery(
  request: RouteRequest,
  surroundings: Surroundings,
): Promise<RouteAnswer> {
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  // Requests are good once: whoever only looks must not use them up.
  if (request.method !== "GET") return badRequest("Messages about logging out are taken with GET and POST");
  const arrived = { request, provider, surroundings };
  const sealed = request.query.get("note");
  if (sealed === null) {
    return await take(() => Promise.resolve(readQuery(request.search)), arrived, endSession);
  }
  const { host } = surroundings;
  const note = openNote(sealed, { kind: "logout", idp: provider.settings.id }, host);
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, `${host.prefix}/`);
  return note
    ? await endSession(note, { ...arrived, peer })
    : await refuse("a note that is not of this service", arrived);
}

/** A message in a form. The session's cookie does not come along: the browser is sent on to where it does. */
export async function takeLogoutForm(
  request: RouteRequest,
  surroundings: Surroundings,
): Promise<RouteAnswer> {
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  const { host } = surroundings;
  const path = `${host.prefix}${LOGOUT_PATH}${encodeURIComponent(provider.settings.id)}`;
  return await take(() => readForm(request), { request, provider, surroundings }, (note) => {
    const to = `${path}?note=${sealNote(note, host)}`;
    return Promise.resolve({ kind: "redirect", status: 303, to });
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

/** What is to be done with a request that is valid. */
type Carry = (note: LogoutNote, taken: Taken) => Promise<RouteAnswer>;

async function take(read: () => Promise<Incoming>, arrived: Arrived, carry: Carry): Promise<RouteAnswer> {
  const { provider, surroundings: { host } } = arrived;
  const destination = provider.settings.sp.logoutUrl;
  const home = `${host.prefix}/`;
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, home);
  const taken = { ...arrived, peer };
  try {
    const message = await read();
    if (message.field === "SAMLRequest") return await carry(await orderIn(message, taken), taken);
    await readWithKeys(taken, (rules) => readLogoutResponse(message, { ...rules, destination }));
    return { kind: "redirect", status: 303, to: home };
  } catch (error) {
    if (error instanceof Refusal) return notEnded(error, arrived);
    if (error instanceof Rejection) return await refuse(error.message, arrived);
    throw error;
  }
}

/** A request is good once, whichever worker or node it comes to. */
async function orderIn(message: Incoming, taken: Taken): Promise<LogoutNote> {
  const { provider: { settings: { id, sp } }, surroundings: { host } } = taken;
  const destination = sp.logoutUrl;
  const order = await readWithKeys(taken, (rules) => readLogoutRequest(message, { ...rules, destination }));
  const isFirst = await host.once(`logout ${id} ${order.request}`, MESSAGE_LIFETIME);
  require(isFirst, "a request that was used before");
  const { relayState } = message;
  const keepsState = relayState !== undefined && relayState.length <= LONGEST_STATE;
  return { kind: "logout", idp: id, ...order, ...(keepsState ? { relayState } : {}) };
}

/** The standard allows 80 bytes; some providers need more. */
const LONGEST_STATE = 1_000;

/** Ends the session of this browser, if it is the one that is meant, and answers the provider. */
async function endSession(note: LogoutNote, taken: Taken): Promise<RouteAnswer> {
  const { request, surroundings: { host } } = taken;
  const { session } = await host.sessions.resume(request);
  if (!session) return answerTo(note, "Success", taken);
  if (!isMeant(session, note)) return answerTo(note, "Requester", taken);
  const cookies = await host.sessions.close(request);
  const reason = `identity provider ${note.idp}`;
  const event: AuthEvent = { action: "logout", outcome: "success", user: session.user.login, reason };
  return { ...answerTo(note, "Success", taken), cookies, event };
}

function isMeant(session: AuthSession, { idp, nameId, sessionIndexes }: LogoutNote): boolean {
  const login = loginOf(session);
  if (login?.idp !== idp || login.nameId.value !== nameId) return false;
  return sessionIndexes.length === 0 || sessionIndexes.includes(login.sessionIndex ?? "");
}

function answerTo(
  { request, relayState }: LogoutNote,
  status: string,
  { provider: { settings }, peer, surroundings: { host } }: Taken,
): Extract<RouteAnswer, { kind: "redirect" | "send" }> {
  if (!peer.logout) return { kind: "redirect", status: 303, to: `${host.prefix}/` };
  const { binding, url, responseUrl } = peer.logout;
  const to = responseUrl ?? url;
  const { xml } = writeLogoutResponse(settings, { requestId: request, status }, { to, now: host.now() });
  const signer = signerIf(settings.security.logoutResponseSigned, settings);
  return send({ url: to, binding }, { field: "SAMLResponse", xml, signer, relayState });
}

/** It has ended here all the same. */
function notEnded(
  { message }: Refusal,
  { provider: { settings: { id } }, surroundings: { host } }: Arrived,
): RouteAnswer {
  host.log.warn(`A login has not been ended at identity provider "${id}": ${message}`);
  return { kind: "redirect", status: 303, to: `${host.prefix}/` };
}

/** Nothing is ended. */
async function refuse(
  why: string,
  { request, provider, surroundings: { host } }: Arrived,
): Promise<RouteAnswer> {
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
