/**
 * Stage 2: finds the caller. The first method that finds its credentials decides.
 *
 * @module
 */

import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { inTime } from "@/core/base/in_time.ts";
import { blame, LatePlugin } from "@/core/base/plugin_failures.ts";
import { forbidden, quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { isOfOthers } from "@/core/identity/cross_site.ts";
import { requireLicence } from "@/core/identity/licence.ts";
import { type Caller, PUBLIC } from "@/core/identity/permissions.ts";
import { browserSessions, resumeSession } from "@/core/identity/sessions/browser_sessions.ts";
import type { User } from "@/core/model.ts";
import { HeldBody } from "@/core/request/held_body.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { NamedMethod } from "@/core/service.ts";
import type { AuditEvent } from "@/core/storage/audit.ts";
import type { AuthRequest, AuthResult, DigestAlgorithm } from "@/plugins/contract.ts";
import { checkResult } from "./method_answers.ts";

/** The parts of a request that tell who sends it. */
type Asking = Pick<ApiRequest, "method" | "format" | "path" | "credentials">;

/**
 * Calls each method from `position` on, in the order of the policy file. Rejected credentials are refused at
 * once and never become `public`; a request without credentials is `public`, or refused if that user does not
 * exist. Values of `Set-Cookie` for the answer, even a refusal, are added to `cookies`.
 */
export function authenticate(
  request: Asking,
  exchange: Exchange,
  position = 0,
  shown: AuthRequest = showRequest(request, exchange),
): Eventual<Caller> {
  const { headers, service, cookies } = exchange;
  const named = service.methods[position];
  if (!named) {
    // `has` makes a server read all headers, at the cost of the rest of this stage.
    return headers.get("authorization") === null ? anonymous(exchange) : refuseUnknown(request, exchange);
  }
  const asked = ask(named, shown, exchange);
  return whenThere(asked, (returned) => {
    const result = checkResult(returned, named.name);
    if (result.outcome === "rejected") return refuse(named.name, result, request, exchange);
    if (result.cookies) cookies.push(...result.cookies);
    return result.outcome === "accepted"
      ? accept(named, result, request, exchange)
      : authenticate(request, exchange, position + 1, shown);
  });
}

/** The answer of a method: most find at once that a request has none of their credentials. */
function ask({ name, method }: NamedMethod, shown: AuthRequest, exchange: Exchange): Eventual<unknown> {
  let found: unknown;
  try {
    found = method.authenticate(shown);
  } catch (error) {
    throw blameMethod(name, error);
  }
  return found instanceof Promise ? wait(found, name, exchange) : found;
}

async function wait(found: Promise<unknown>, name: string, exchange: Exchange): Promise<unknown> {
  const seconds = exchange.service.settings["server.plugin_timeout"];
  let late: LatePlugin | undefined;
  try {
    return await inTime(found, seconds, () => {
      return late = new LatePlugin(`authentication method ${quote(name)} in authenticate()`);
    });
  } catch (error) {
    const receiving = late && exchange.held?.receiving;
    if (!receiving) throw blameMethod(name, error);
    // The sender may send a body as slowly as to any other reader; then the time begins anew.
    await Promise.race([found, receiving]).catch(() => {});
    return await wait(found, name, exchange);
  }
}

function blameMethod(name: string, error: unknown): unknown {
  return blame(error, `authentication method ${quote(name)} failed in authenticate()`);
}

/** The part of a request that methods see. */
function showRequest({ credentials }: Asking, exchange: Exchange): AuthRequest {
  const { method, target, headers, client } = exchange;
  return {
    method,
    target,
    headers,
    // Requests without credentials share a map, which a method must not be able to change.
    credentials: new Map(credentials),
    client,
    digest: (algorithm) => digest(algorithm, exchange),
  };
}

/** A network that has to wait because of wrong credentials does not get its body read. */
async function digest(algorithm: DigestAlgorithm, exchange: Exchange): Promise<Uint8Array<ArrayBuffer>> {
  const { service, client, isAnswered } = exchange;
  if (isAnswered) throw new Error("The request is answered: there is no body to read");
  service.throttle.requireTurn(client);
  exchange.held ??= new HeldBody(exchange);
  return await exchange.held.digest(algorithm);
}

type Accepted = Extract<AuthResult, { outcome: "accepted" }>;
type Rejected = Extract<AuthResult, { outcome: "rejected" }>;

/**
 * Credentials of a request for a page may open a session, so that links of the page work without them. A link
 * of another site, or in the data, with a key does not: it would log a browser in as somebody else.
 */
function accept(
  { name, method }: NamedMethod,
  { user: { login }, session, endsAt }: Accepted,
  request: Asking,
  exchange: Exchange,
): Eventual<Caller> {
  // The account in force decides, whatever the method believes.
  const user = login === PUBLIC ? undefined : exchange.service.users.get(login);
  if (!user) {
    const reason = "it accepted a user who is not there or disabled";
    return refuse(name, { outcome: "rejected", reason, login }, request, exchange);
  }
  const caller: Caller = {
    user,
    anonymous: false,
    via: session?.method ?? name,
    ...(session ? { session } : {}),
    ...(method.isAmbient ? { isAmbient: true } : {}),
  };
  const isPage = request.format.format.paged === true;
  if (method.opensSession !== true || !isPage || isOfOthers(exchange, exchange.service)) return caller;
  requireLicence(caller, exchange.service);
  return openFor(user, { method: name, endsAt }, exchange).then(() => caller);
}

/** An unavailable session store is no reason to refuse a valid key. */
async function openFor(
  user: User,
  { method, endsAt }: { readonly method: string; readonly endsAt: number | undefined },
  exchange: Exchange,
): Promise<void> {
  const { cookies, service } = exchange;
  try {
    const known = await resumeSession(exchange, service);
    const isSame = known.session?.user.login === user.login;
    cookies.push(
      ...isSame ? known.cookies : await browserSessions(method, service).open(user, exchange, { endsAt }),
    );
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unavailable") throw error;
    exchange.log.warn(`No session is opened for ${user.login}: ${error.message}`);
  }
}

/**
 * A rejection with `tell` is not a wrong guess: by default it is not counted, and it has one line per minute
 * and network, so that a flood does not rotate older lines out of the logs.
 */
async function refuse(
  method: string,
  result: Rejected,
  request: Asking,
  { client, requestId, service, log }: Exchange,
): Promise<never> {
  const { reason, tell, login, counted = tell !== undefined } = result;
  if (!counted) await service.throttle.countFailure(client.network);
  const event: AuditEvent = {
    action: "authenticate",
    outcome: "refused",
    method: request.method,
    target: request.path,
    address: client.address,
    requestId,
    reason: `${method}: ${reason}`,
    user: login,
  };
  if (tell === undefined) service.audit.record(event);
  const isRecorded = tell === undefined ||
    service.audit.recordSeldom(event, `authenticate ${client.network}`);
  if (isRecorded) log.info(`Authentication by ${method} from ${client.address} rejected: ${reason}`);
  throw forbidden(tell ?? "The credentials are not valid");
}

/** Unknown credentials must not count as none. */
function refuseUnknown(request: Asking, exchange: Exchange): Promise<never> {
  const tell = "No authentication method takes this Authorization header";
  const reason = "an Authorization header of no method";
  return refuse("none", { outcome: "rejected", reason, tell }, request, exchange);
}

/** Without credentials, the only possible cookie is one that clears an expired session. */
function anonymous({ service, cookies }: Exchange): Caller {
  const user = service.users.get(PUBLIC);
  const hasEnded = cookies.length > 0;
  if (!user) throw forbidden(hasEnded ? "Your session has ended" : "This service needs credentials");
  return { user, anonymous: true, ...(hasEnded ? { sessionEnded: true } : {}) };
}
