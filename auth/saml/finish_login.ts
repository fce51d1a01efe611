/**
 * Takes a browser with the note of a response. The browser sends its cookie here, so this is the only place where
 * sessions open and end.
 *
 * @module
 */

import type { AuthEvent, RouteAnswer, RouteRequest, SessionOptions } from "@/plugins/contract.ts";
import { invalidAnswer, LostLogin, mayEndSession, OvertakenLogin } from "@/plugins/kit/identity_providers.ts";
import { Unmatched, unmatchedIn } from "@/plugins/kit/match_user.ts";
import { leadToProvider } from "./begin_login.ts";
import { loginIn, subjectOf } from "./details.ts";
import { type Flow, FLOW_LIFETIME, flowCookie, flowOf } from "./flow.ts";
import { type LoginNote, openNote } from "./note.ts";
import { Expired, Refusal, Rejection, require, Unasked } from "./rejection.ts";
import { type Arrived, providerOf, type Surroundings, unknownProvider } from "./surroundings.ts";

/** Opens the session, or redirects to the login page with the reason. */
export async function finishLogin(request: RouteRequest, surroundings: Surroundings): Promise<RouteAnswer> {
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  // A note is valid once: HEAD must not consume it.
  if (request.method !== "GET") {
    return { kind: "refused", code: "bad-request", message: "Logins are finished with GET" };
  }
  const { host } = surroundings;
  const { id: idp } = provider.settings;
  const note = openNote(request.query.get("note") ?? "", { kind: "login", idp }, host);
  const finishing = { request, provider, surroundings, note, flow: flowOf(request, host) };
  try {
    if (note?.unasked !== undefined) return await beginInstead(note.unasked, finishing);
    return await openSession(finishing);
  } catch (error) {
    return await refuse(error, finishing);
  }
}

/** A login at its last step. */
interface Finishing extends Arrived {
  readonly note: LoginNote | undefined;
  readonly flow: Flow | undefined;
}

/**
 * For a login that began at a portal: begins one here. If the provider answers that unasked again, the login fails
 * instead of looping.
 */
async function beginInstead(next: string, finishing: Finishing): Promise<RouteAnswer> {
  if (finishing.flow?.isUnasked) throw new Unasked();
  return await leadToProvider(finishing, { next, isUnasked: true });
}

async function openSession(finishing: Finishing): Promise<RouteAnswer> {
  const { request, provider: { settings: { id } }, surroundings: { host } } = finishing;
  const { note, flow } = await requireOwn(finishing);
  const user = note.login === undefined ? undefined : host.findUser(note.login);
  if (!user) throw new Rejection("a user who is no longer there");
  const event = eventOf("success", id, user.login);
  return {
    kind: "done",
    to: flow.next,
    status: 303,
    result: { user: user.login },
    cookies: [...await host.sessions.open(user, request, sessionFor(note)), flowCookie(host).clear(request)],
    event,
  };
}

/** The session's details, with which the provider can end it. */
function sessionFor({ details, endsAt }: LoginNote): SessionOptions {
  const login = loginIn(details);
  return { details, endsAt, subject: login && subjectOf(login.idp, login.nameId.value) };
}

/** Requires an accepted response to the login that this browser has begun; it is valid once. */
async function requireOwn(
  { note, flow, provider: { settings: { id } }, surroundings: { host } }: Finishing,
): Promise<{ readonly note: LoginNote; readonly flow: Flow }> {
  if (!note) throw new Expired("a note that is not of this service, or too old");
  if (note.refusal !== undefined) throw new Refusal(note.refusal);
  if (note.rejection !== undefined) throw new Noted(note);
  if (!flow) throw new LostLogin();
  if (flow.idp !== id || note.request !== flow.request) throw new OvertakenLogin();
  require(await host.once(`request ${flow.request}`, FLOW_LIFETIME), "a response that was used before");
  // Only the browser of the person who logged in sees the value from the provider.
  if (note.unmatched) throw unmatchedIn(note.unmatched);
  return { note, flow };
}

/** The response was rejected; it has been counted and logged. */
class Noted extends Rejection {
  constructor(readonly note: LoginNote) {
    super(note.rejection ?? "");
  }
}

/** Shows the error on the login page, and ends an existing session. */
async function refuse(error: unknown, finishing: Finishing): Promise<RouteAnswer> {
  const { request, provider: { settings }, surroundings: { host }, flow } = finishing;
  const message = messageFor(error, finishing);
  if (message === undefined || !(error instanceof Error)) throw error;
  const isNew = !(error instanceof Noted || error instanceof Unmatched);
  if (isNew) await host.throttle.countMessage(request.client.network);
  const ended = mayEndSession(request.headers, flow !== undefined) ? await host.sessions.close(request) : [];
  return {
    kind: "refused",
    code: "forbidden",
    message,
    next: flow?.next ?? `${host.prefix}/`,
    redirect: true,
    cookies: [...ended, ...error instanceof OvertakenLogin ? [] : [flowCookie(host).clear(request)]],
    ...(isNew ? { event: eventOf("refused", settings.id, undefined, error.message) } : {}),
  };
}

function messageFor(error: unknown, { provider, request }: Finishing): string | undefined {
  const { name } = provider.settings;
  if (error instanceof Refusal) {
    return ["AuthnFailed", "RequestDenied"].includes(error.code)
      ? `The login at ${name} was refused or given up`
      : `The login at ${name} failed: ${name} answers with ${error.code}`;
  }
  if (error instanceof LostLogin || error instanceof OvertakenLogin) return error.messageFor(name);
  if (error instanceof Unmatched) return error.messageFor(name);
  if (!(error instanceof Rejection)) return undefined;
  const { isExpired = error instanceof Expired, requestId = request.requestId } = error instanceof Noted
    ? error.note
    : {};
  return isExpired ? `The login at ${name} has expired: try again` : invalidAnswer(name, requestId);
}

function eventOf(
  outcome: AuthEvent["outcome"],
  id: string,
  user: string | undefined,
  why?: string,
): AuthEvent {
  return {
    action: "login",
    outcome,
    ...(user === undefined ? {} : { user }),
    reason: `identity provider ${id}${why === undefined ? "" : `: ${why}`}`,
  };
}
