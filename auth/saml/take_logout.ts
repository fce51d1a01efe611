/**
 * A provider's messages about logging out that browsers bring: its requests, and its
 * answers to requests of this service.
 *
 * @module
 */

import type { AuthEvent, Onward, RouteAnswer, SessionDetails } from "@/plugins/contract.ts";
import { type Arrived, badRequest } from "@/plugins/kit/providers/identity_providers.ts";
import { Refusal, Rejection, require } from "@/plugins/kit/providers/login_failure.ts";
import { countMessage, openNote, sealNote } from "@/plugins/kit/providers/provider_login.ts";
import { type Incoming, readForm, readQuery, send } from "./bindings.ts";
import { type LogoutOutcome, writeLogoutResponse } from "./messages.ts";
import { type Provider, type Taken, withPeer } from "./provider.ts";
import { loginIn, subjectOf } from "./provider_session.ts";
import { type LogoutOrder, nameOfRefused, readLogoutRequest, readLogoutResponse } from "./read_logout.ts";
import { MESSAGE_LIFETIME } from "./rules.ts";
import { LOGOUT_PATH } from "./settings.ts";
import { signerIf } from "./signature.ts";

/** A provider's logout request, already executed on all stored sessions. */
interface LogoutNote extends LogoutOrder {
  readonly kind: "logout";
  readonly idp: string;
  readonly relayState?: string;
  /** The answer to the provider. */
  readonly outcome: LogoutOutcome;
}

/** Takes a message in the address, or the note of one that came in a form. */
export async function takeLogoutQuery(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  const { request, provider: { settings: { id: idp } }, host } = arrived;
  // A request is valid once: HEAD must not consume it.
  if (request.method !== "GET") return badRequest("Messages about logging out are taken with GET and POST");
  const sealed = request.query.get("note");
  if (sealed === null) return await take(() => readQuery(request.search), arrived, endHere);
  const note = openNote<LogoutNote>(sealed, { kind: "logout", idp }, host);
  return await withPeer(arrived, `${host.prefix}/`, async (taken) => {
    if (note) return await endHere({ note }, taken);
    await host.throttle.countMessage(request.client.network);
    return refuse("a note that is not of this service", taken);
  });
}

/**
 * Takes a message in a form. The browser does not send the session's cookie here, so it is
 * redirected to an address where it may.
 */
export async function takeLogoutForm(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  const { request, provider: { settings: { id } }, host } = arrived;
  const path = `${host.prefix}${LOGOUT_PATH}${encodeURIComponent(id)}`;
  return await take(() => readForm(request), arrived, ({ note, event }) => {
    const to = `${path}?note=${sealNote(note, host)}`;
    return { kind: "redirect", status: 303, to, ...(event ? { event } : {}) };
  });
}

/** A request that was executed on the stored sessions, with its entry for the audit log. */
interface CarriedOut {
  readonly note: LogoutNote;
  readonly event?: AuthEvent;
}

type Carry = (done: CarriedOut, taken: Taken) => RouteAnswer | Promise<RouteAnswer>;

async function take(
  read: () => Incoming | Promise<Incoming>,
  arrived: Arrived<Provider>,
  carry: Carry,
): Promise<RouteAnswer> {
  const { host } = arrived;
  const home = `${host.prefix}/`;
  return await withPeer(arrived, home, async (taken) => {
    let message: Incoming | undefined;
    try {
      const done = await countMessage(taken, async () => {
        message = await read();
        return message.field === "SAMLRequest"
          ? await carryOut(message, taken)
          : await readAnswer(message, taken);
      });
      return done ? await carry(done, taken) : { kind: "redirect", status: 303, to: home };
    } catch (error) {
      if (error instanceof Rejection) return refuse(error.message, taken, message);
      throw error;
    }
  });
}

async function readAnswer(message: Incoming, { provider, peer, host }: Taken): Promise<undefined> {
  try {
    await provider.read(peer, (rules) => readLogoutResponse(message, rules));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // The session here has ended anyway.
    const { id } = provider.settings;
    host.log.warn(`A login has not been ended at identity provider "${id}": ${error.message}`);
  }
}

/** Ends the matching stored sessions, whichever browser brings the request, with or without their cookie. */
async function carryOut(message: Incoming, taken: Taken): Promise<CarriedOut> {
  const { provider, peer, host } = taken;
  const { id } = provider.settings;
  const order = await provider.read(peer, (rules) => readLogoutRequest(message, rules));
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
  const { request, host } = taken;
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

function answerTo(
  { request, relayState, outcome }: Pick<LogoutNote, "request" | "relayState" | "outcome">,
  { provider: { settings }, peer, host }: Taken,
): Onward {
  if (!peer.logout) return { kind: "redirect", status: 303, to: `${host.prefix}/` };
  const { binding, url, responseUrl } = peer.logout;
  const to = responseUrl ?? url;
  const { xml } = writeLogoutResponse(settings, { to, now: host.now(), requestId: request, outcome });
  const signer = signerIf(settings.security.logoutResponseSigned, settings);
  const answer = send({ url: to, binding }, { field: "SAMLResponse", xml, signer, relayState });
  return answer.kind === "send" ? { ...answer, inFrame: true } : answer;
}

/**
 * Ends nothing, but answers a request to the provider where that is possible: it may have
 * to continue with other services.
 */
function refuse(why: string, taken: Taken, message?: Incoming): RouteAnswer {
  const { provider: { settings: { id, name } }, peer } = taken;
  const event = { action: "logout", outcome: "refused", reason: `identity provider ${id}: ${why}` } as const;
  const isRequest = message?.field === "SAMLRequest" && peer.logout !== undefined;
  const refused = isRequest ? nameOfRefused(message, peer.entityId) : undefined;
  if (message && refused !== undefined) {
    const answer = answerTo({ request: refused, outcome: "refused", ...stateOf(message) }, taken);
    return { ...answer, event };
  }
  const text = `The message of ${name} about logging out is not valid here`;
  return { kind: "refused", code: "forbidden", message: text, redirect: true, event };
}
