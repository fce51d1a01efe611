/**
 * The callback of providers: `/login/callback?idp_id=…` with an answer in the address, or with the note of one that
 * arrived in a form. The browser sends its cookie here, so this is the only place where sessions open.
 *
 * @module
 */

import type { AuthHost, RouteAnswer, RouteRequest, User } from "@/plugins/contract.ts";
import { invalidAnswer, LostLogin, mayEndSession, OvertakenLogin } from "@/plugins/kit/identity_providers.ts";
import { Unmatched, unmatchedIn } from "@/plugins/kit/match_user.ts";
import { leadToProvider } from "./begin_login.ts";
import { DocumentError } from "./documents.ts";
import { codeOf, exchangeCode } from "./exchange_code.ts";
import { endedFlow, type Flow, FLOW_LIFETIME, flowOf, isSame } from "./flow.ts";
import { openNote, pathOf } from "./form_answer.ts";
import { matchUser } from "./match_user.ts";
import type { Provider } from "./provider.ts";
import { Refusal, Rejection } from "./rejection.ts";
import { providerOf, type Surroundings, unknownProvider } from "./surroundings.ts";
import { completeClaims } from "./user_info.ts";
import { verifyToken } from "./verify_token.ts";

/**
 * Takes an answer in the address, the note of an answer in a form, or an answer in the fragment, which a page sends on as
 * a form.
 */
export async function finishLogin(
  request: RouteRequest,
  surroundings: Surroundings,
): Promise<RouteAnswer> {
  const { host } = surroundings;
  const { query, method } = request;
  const provider = providerOf(request, surroundings);
  if (!provider) return unknownProvider();
  // An answer is valid once: HEAD must not consume it.
  if (method !== "GET") {
    return { kind: "refused", code: "bad-request", message: "Logins are finished with GET" };
  }
  if (isFragment(query, provider)) return { kind: "fragment", to: pathOf(provider, host) };
  const attempt = await host.throttle.countMessage(request.client.network);
  const flow = flowOf(request, host);
  const finishing = { request, provider, host, flow };
  try {
    const user = query.has("note")
      ? await userOfNote(query.get("note") ?? "", finishing)
      : await userOfCode(query, finishing);
    const answer = await openSession(user, finishing);
    await attempt.succeeded();
    return answer;
  } catch (error) {
    return await refuse(error, finishing);
  }
}

/** A login at its last step. */
interface Finishing {
  readonly request: RouteRequest;
  readonly provider: Provider;
  readonly host: AuthHost;
  readonly flow?: Flow | undefined;
}

/** The address has only the provider's id. */
function isFragment(query: URLSearchParams, { settings }: Provider): boolean {
  return settings.responseType === "id_token" && [...query.keys()].every((name) => name === "idp_id");
}

async function userOfNote(sealed: string, { provider, host, flow }: Finishing): Promise<User> {
  const note = openNote(sealed, host);
  if (!note || note.idp !== provider.settings.id) throw new Rejection("a note that is not of this service");
  const begun = requireFlow(flow, provider);
  if (!isSame(note.state, begun.state)) throw new OvertakenLogin();
  await requireFirst(begun, host);
  if (note.refusal !== undefined) throw new Refusal(note.refusal);
  if (note.rejection !== undefined) throw new Rejection(note.rejection);
  if (note.nonce === "" || !isSame(note.nonce, begun.nonce)) throw new Rejection("a token of another login");
  if (note.unmatched) throw unmatchedIn(note.unmatched);
  const user = note.login === undefined ? undefined : host.findUser(note.login);
  if (user) return user;
  throw new Rejection("a user who is no longer there");
}

async function userOfCode(query: URLSearchParams, { provider, host, flow }: Finishing): Promise<User> {
  const begun = requireFlow(flow, provider);
  if (!isSame(query.get("state") ?? "", begun.state)) throw new OvertakenLogin();
  await requireFirst(begun, host);
  const error = query.get("error");
  if (error !== null) throw new Refusal(codeOf(error));
  if (provider.settings.responseType !== "code") throw new Rejection("an answer that was not asked for");
  const tokens = await exchangeCode(query, begun, { provider, host });
  const claims = await verifyToken(tokens.idToken, { provider, host, nonce: begun.nonce });
  return matchUser(await completeClaims(claims, tokens, { provider, host }), provider.settings, host);
}

/** Requires a login that this browser has begun at this provider. */
function requireFlow(flow: Flow | undefined, { settings: { id } }: Provider): Flow {
  if (!flow) throw new LostLogin();
  if (flow.idp !== id) throw new OvertakenLogin();
  return flow;
}

/** An answer is valid once, on all workers and nodes together. */
async function requireFirst({ state }: Flow, host: AuthHost): Promise<void> {
  if (!await host.once(`state ${state}`, FLOW_LIFETIME)) {
    throw new Rejection("an answer that was used before");
  }
}

async function openSession(user: User, { request, provider, host, flow }: Finishing): Promise<RouteAnswer> {
  const cookies = [...await host.sessions.open(user, request), endedFlow(request, host)];
  return {
    kind: "done",
    to: flow?.next ?? `${host.prefix}/`,
    status: 303,
    result: { user: user.login },
    cookies,
    event: {
      action: "login",
      outcome: "success",
      user: user.login,
      reason: `identity provider ${provider.settings.id}`,
    },
  };
}

/** Shows the error on the login page, and ends an existing session. */
async function refuse(error: unknown, finishing: Finishing): Promise<RouteAnswer> {
  const { request, provider, host, flow } = finishing;
  if (flow && isUnknownPrompt(error, flow)) {
    return await leadToProvider(finishing, { ...flow, prompt: "login" });
  }
  const message = messageFor(error, finishing);
  if (message === undefined || !(error instanceof Error)) throw error;
  const next = flow?.next ?? `${host.prefix}/`;
  const ended = mayEndSession(request.headers, flow !== undefined) ? await host.sessions.close(request) : [];
  return {
    kind: "refused",
    code: error instanceof DocumentError ? "unavailable" : "forbidden",
    message,
    next,
    cookies: [...ended, ...error instanceof OvertakenLogin ? [] : [endedFlow(request, host)]],
    event: {
      action: "login",
      outcome: "refused",
      reason: `identity provider ${provider.settings.id}: ${error.message}`,
      ...(error instanceof Unmatched ? { value: error.value } : {}),
    },
  };
}

/** Every provider knows the prompt "login"; some refuse the other one. */
function isUnknownPrompt(error: unknown, { prompt }: Flow): boolean {
  return error instanceof Refusal && error.code === "invalid_request" && prompt === "select_account";
}

function messageFor(
  error: unknown,
  { provider: { settings: { name } }, request: { requestId } }: Finishing,
): string | undefined {
  if (error instanceof Refusal) {
    return error.code === "access_denied"
      ? `The login at ${name} was refused or given up`
      : `The login at ${name} failed: ${name} answers with ${error.code}`;
  }
  if (error instanceof LostLogin || error instanceof OvertakenLogin) return error.messageFor(name);
  if (error instanceof DocumentError) return `${name} cannot be reached at the moment: try again later`;
  if (error instanceof Unmatched) return error.messageFor(name);
  return error instanceof Rejection ? invalidAnswer(name, requestId) : undefined;
}
