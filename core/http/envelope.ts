/**
 * The envelope of every request: preflight, request log, errors, audit log and common headers.
 *
 * @module
 */

import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { METERS } from "@/core/base/meters.ts";
import { duringRequest } from "@/core/base/named_log.ts";
import { rootOf } from "@/core/base/plugin_failures.ts";
import { nameRequest, traceRequest } from "@/core/base/tracing.ts";
import { CLIENT_LEFT, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { PUBLIC } from "@/core/identity/permissions.ts";
import { sessionIfThere } from "@/core/login/login_page.ts";
import { explainEnding, formatForErrors } from "@/core/request/parse_request.ts";
import { routeOf } from "@/core/resources.ts";
import { answerPreflight, isPreflight } from "@/core/respond/cors.ts";
import { respondProblem } from "@/core/respond/respond_problem.ts";
import { finish, withCommonHeaders } from "@/core/respond/response_headers.ts";
import { auditRequest, logRequest } from "./logged_request.ts";

/** Makes the response of a request. The envelope answers its errors. */
export type Serve = (exchange: Exchange) => Eventual<Response>;

/**
 * The part of a request in the request log: `target` is path and query (only parameters of the API are
 * shown); `path` leaves out queries with tokens and codes of logins; `count` only counts, for probes.
 */
export type Logged = "target" | "path" | "count";

/** Answers a request with `serve`, and adds the common parts of all answers. */
export function answer(exchange: Exchange, serve: Serve, logged: Logged = "target"): Eventual<Response> {
  const { method, headers, target, service: { requests }, service } = exchange;
  if (isPreflight(method, headers)) {
    const response = withCommonHeaders(answerPreflight(exchange, service));
    const { status } = response;
    const count = requests.begin(method, target, false);
    requests.end(count, { status, user: undefined, route: "preflight", format: "none" });
    return response;
  }
  const entry = requests.begin(
    method,
    logged === "target" ? target : target.replace(/[?#].*$/s, ""),
    logged !== "count",
  );
  exchange.logged = entry;
  return traceRequest(() =>
    whenThere(
      attempt(() => serve(exchange), (error) => refuse(error, exchange)),
      (response) => {
        exchange.isAnswered = true;
        exchange.held?.close();
        const route = exchange.route ?? routeOf(exchange.request);
        nameRequest(method, route);
        requests.end(entry, {
          status: response.status,
          user: exchange.caller?.user.login,
          route,
          format: (exchange.format ?? exchange.request?.format)?.name ?? "none",
        });
        logRequest(exchange, response.status);
        auditRequest(exchange, response.status);
        return finish(response, exchange);
      },
    )
  );
}

function refuse(error: unknown, exchange: Exchange): Eventual<Response> {
  const { raw: { signal }, target, headers, service, request } = exchange;
  const told = exchange.error = request ? explainEnding(error, target, service) : error;
  // The work of a disconnected client is cancelled with this reason.
  if (signal.aborted && rootOf(error) === signal.reason) return new Response(null, { status: CLIENT_LEFT });
  if (told instanceof ServiceError) METERS.count("rowhouse_refusals_total", told.code);
  const format = exchange.format = formatForErrors(target, headers, service);
  // Open paths have no stage 2.
  const isUnread = request === undefined && exchange.caller === undefined && format.format.paged === true;
  const known = isUnread ? duringRequest(exchange.requestId, () => recognize(exchange)) : undefined;
  return whenThere(known, () => respondProblem(exchange.error, format, exchange));
}

/** Finds the caller by the session alone: the page of the error shows the account and the pages above. */
async function recognize(exchange: Exchange): Promise<void> {
  const { service } = exchange;
  const session = await sessionIfThere(exchange, service);
  const user = service.users.get(session?.user.login ?? PUBLIC);
  if (user) exchange.caller = { user, anonymous: !session, ...(session ? { session } : {}) };
}
