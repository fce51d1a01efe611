/**
 * The five stages, one after the other.
 *
 * @module
 */

import { COSTLY } from "@/core/base/cooperative.ts";
import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { Stages } from "@/core/base/tracing.ts";
import { duringRequest } from "@/core/base/named_log.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import type { Admitted, Exchange } from "@/core/exchange.ts";
import { execute, type Outcome } from "@/core/execute.ts";
import { requireOwnPage } from "@/core/identity/cross_site.ts";
import { requireLicence } from "@/core/identity/licence.ts";
import { ADMIN, type Caller } from "@/core/identity/permissions.ts";
import { authenticate } from "@/core/login/authenticate.ts";
import { requireFirstRunDone } from "@/core/login/first_run.ts";
import { requireSize } from "@/core/request/body.ts";
import { requireData } from "@/core/request/formats.ts";
import { type ApiRequest, parseRequest, unreadRequest } from "@/core/request/parse_request.ts";
import { hasEffect, isResource, type Plan, planRequest, unknownResource } from "@/core/resources.ts";
import { respond } from "@/core/respond/respond.ts";
import { refuseConditions } from "@/core/tables/etag.ts";
import { effortOf } from "./effort.ts";

/**
 * Each stage gets the results of the stages before it; it sets the members of the
 * exchange that every answer needs.
 */
export function serve(exchange: Exchange): Eventual<Response> {
  const { requestId } = exchange;
  let request: ApiRequest;
  try {
    request = parse(exchange);
  } catch (error) {
    return refuseUnread(error, exchange);
  }
  return whenThere(duringRequest(requestId, () => authenticate(request, exchange)), (caller) => {
    admit(caller, exchange);
    const plan = planRequest(request, caller, exchange);
    exchange.stages?.end("plan");
    const admitted = { request, caller, exchange };
    guard(plan, admitted);
    const effort = effortOf(plan);
    return effort === "little"
      ? whenThere(perform(plan, admitted), (outcome) => show(outcome, admitted))
      : serveInTurn(plan, admitted, effort === "short");
  });
}

/**
 * Stage 4. A page whose related records the database refuses is planned again without them: people may read
 * their table, and have not asked for the other ones.
 */
function perform(plan: Plan, admitted: Admitted): Eventual<Outcome> {
  const { request, caller, exchange } = admitted;
  const isPage = request.resource === "db" && request.format.format.paged === true;
  if (!isPage || exchange.effect) return execute(plan, admitted);
  return attempt(() => execute(plan, admitted), (error) => {
    const isOfDatabase = error instanceof ServiceError && error.code === "forbidden" &&
      error.cause !== undefined;
    if (!isOfDatabase) throw error;
    exchange.isNarrow = true;
    return attempt(() => execute(planRequest(request, caller, exchange), admitted), () => {
      throw error;
    });
  });
}

/** Stage 5. */
function show(outcome: Outcome, admitted: Admitted): Eventual<Response> {
  admitted.exchange.stages?.end("execute");
  return respond(outcome, admitted);
}

/** Stages 1 to 3, for an answer that no format writes. */
export function planOnly(exchange: Exchange): Eventual<Plan> {
  const request = parse(exchange);
  return whenThere(authenticate(request, exchange), (caller) => {
    admit(caller, exchange);
    return planRequest(request, caller, exchange);
  });
}

/** The caller of a request that stage 1 does not take. Throws what stage 2 throws. */
export function identify(exchange: Exchange): Eventual<Caller> {
  const { method, target, headers, service } = exchange;
  return authenticate(unreadRequest(method, target, headers, service), exchange);
}

/**
 * Runs stages 4 and 5 in the caller's turn. The turn pauses while a database works, so slow
 * statements hold up no other answer.
 */
function serveInTurn(plan: Plan, admitted: Admitted, isShort: boolean): Eventual<Response> {
  const { turn, signal } = admitted.exchange;
  const first = COSTLY.run(turn, (): Eventual<Response> | { readonly later: Promise<Outcome> } => {
    signal.throwIfAborted();
    const executed = perform(plan, admitted);
    return executed instanceof Promise ? { later: executed } : show(executed, admitted);
  }, isShort);
  return whenThere(first, (made) => {
    return made instanceof Response
      ? made
      : made.later.then((outcome) => COSTLY.run(turn, () => show(outcome, admitted), isShort));
  });
}

/**
 * The refusal of a request by stage 1, for a caller whom stage 2 admits: without `public` every request has
 * to be authenticated, and only who may run a query sees its template.
 */
function refuseUnread(error: unknown, exchange: Exchange): Eventual<never> {
  return whenThere(duringRequest(exchange.requestId, () => identify(exchange)), (caller) => {
    admit(caller, exchange);
    requirePath(exchange);
    throw error;
  });
}

/** Throws 404 before a parameter is refused: it may belong to the path of a login method that is off. */
function requirePath({ method, target, headers, service }: Exchange): void {
  const request = parseRequest(method, target.replace(/[?#].*$/s, ""), headers, service);
  if (!isResource(request.resource)) throw unknownResource(request, service);
}

/** Stage 1; it also refuses a body by its `Content-Length`. */
function parse(exchange: Exchange): ApiRequest {
  const { method, target, headers, service } = exchange;
  const request = exchange.request = parseRequest(method, target, headers, service);
  requireSize(headers, service.settings.max_body_size);
  return request;
}

/** Part of stage 2, because the licence is a rule about callers. */
function admit(caller: Caller, exchange: Exchange): void {
  exchange.caller = caller;
  if (exchange.logged) {
    exchange.logged.user = caller.user.login;
    exchange.stages = Stages.begin(exchange.logged.began, caller.user.login === ADMIN);
    exchange.stages?.end("authenticate");
  }
  requireLicence(caller, exchange.service);
}

/**
 * Before stage 4: a request with an effect must come from a page of this
 * service, and only after the first run.
 */
function guard(plan: Plan, { request, caller, exchange }: Admitted): void {
  const { service } = exchange;
  const effect = exchange.effect = hasEffect(plan);
  if (plan.kind === "task") requireData(request.format);
  if (!effect) return;
  // A form that is shown again has not been sent: the audit log has requests that are.
  if (exchange.typed && request.method === "GET") throw badRequest("This address has no form");
  requireOwnPage(exchange, caller, service);
  if (plan.kind !== "update" && plan.kind !== "delete") refuseConditions(exchange.headers);
  if (plan.kind === "task") requireFirstRunDone(service);
}
