/**
 * Routes that need no credentials: the login, the first run, and those of authentication methods.
 *
 * @module
 */

import { resumeSession } from "@/core/identity/sessions/browser_sessions.ts";
import type { Connection } from "@/core/identity/client_address.ts";
import { answerPreflight, isPreflight } from "@/core/respond/cors.ts";
import { crossSite, siteOf, TOKEN_FIELD, TOKEN_HEADER } from "@/core/identity/cross_site.ts";
import { quote } from "@/core/errors.ts";
import { finish, requestIdOf, withCommonHeaders } from "@/core/respond/response_headers.ts";
import { FIRST_RUN } from "@/core/identity/first_run.ts";
import { showFirstRun, takeFirstRun } from "@/core/login/first_run_routes.ts";
import { LOGIN, showLogin } from "@/core/login/login_page.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { formatForErrors } from "@/core/request/parse_request.ts";
import { isForm } from "@/core/request/form_fields.ts";
import { respondAnswer, respondThrown } from "./route_answer.ts";
import { routeRequest } from "./route_request.ts";
import type { Service } from "@/core/service.ts";
import { isSame } from "@/core/identity/sessions/secret.ts";
import type { AuthRoute, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";

/** A route with its handler. */
interface OwnRoute extends Omit<AuthRoute, "handle"> {
  /** The method that defines it, or the service itself. */
  readonly owner: string;
  handle(request: RouteRequest, service: Service): RouteAnswer | Promise<RouteAnswer>;
}

/** All routes of one path, by HTTP method; the path in the router's syntax. */
export interface OwnPath {
  readonly path: string;
  readonly methods: ReadonlyMap<string, OwnRoute>;
}

const BUILT_IN: readonly OwnRoute[] = [
  { owner: "service", method: "GET", path: LOGIN, handle: showLogin },
  { owner: "service", method: "GET", path: FIRST_RUN, handle: showFirstRun },
  { owner: "service", method: "POST", path: FIRST_RUN, handle: takeFirstRun },
];

/** Every path of these routes, below the prefix and, for proxies that remove the prefix, without it. */
export function ownRoutes({ methods, prefix }: Pick<Service, "methods" | "prefix">): readonly OwnPath[] {
  const brought = methods.flatMap(({ name, method }) =>
    (method.routes ?? []).map((route): OwnRoute => {
      return { ...route, owner: name, handle: (request) => route.handle(request) };
    })
  );
  const byPath = Map.groupBy([...BUILT_IN, ...brought], ({ path }) => path);
  return [...byPath].flatMap(([path, routes]) => {
    const byMethod = new Map(routes.map((route) => [route.method as string, route]));
    const pattern = path.replace(/\{(\w+)\}/g, ":$1");
    return [...new Set([pattern, prefix + pattern])].map((each) => ({ path: each, methods: byMethod }));
  });
}

/** Complaints about the routes of methods, one sentence each. */
export function complaintsAboutRoutes({ methods }: Pick<Service, "methods">): readonly string[] {
  const owners = new Map(BUILT_IN.map(({ method, path }) => [`${method} ${path}`, "the service itself"]));
  return methods.flatMap(({ name, method }) =>
    (method.routes ?? []).flatMap((route) => {
      const key = `${route.method} ${route.path}`;
      const owner = owners.get(key);
      owners.set(key, `method ${quote(name)}`);
      if (!/^(\/([A-Za-z0-9._~-]+|\{\w+\}))+$/.test(route.path)) {
        return [`The authentication method ${quote(name)} has a route that is no path: ${quote(route.path)}`];
      }
      return owner === undefined
        ? []
        : [`The authentication method ${quote(name)} has the route ${key}, which ${owner} has already`];
    })
  );
}

/** A request with its matching path. */
export interface RouteCall {
  readonly methods: OwnPath["methods"];
  readonly parameters: ReadonlyMap<string, string>;
  readonly target: string;
  readonly connection: Connection;
}

/** Answers a request to one of these paths. */
export async function answerRoute(raw: Request, call: RouteCall, service: Service): Promise<Response> {
  const { headers } = raw;
  const { methods, parameters, target, connection } = call;
  const sender = { headers, client: service.findClient(connection, headers) };
  if (isPreflight(raw.method, headers)) return withCommonHeaders(answerPreflight(sender, service));
  const requestId = requestIdOf(headers);
  if (raw.method === "OPTIONS") {
    const response = new Response(null, { status: 204, headers: { Allow: allowOf(methods) } });
    return finish(response, { sender, service, requestId });
  }
  const route = routeFor(raw.method, methods);
  // HEAD must not have the effect of such a GET: ending a session, or beginning a login.
  if (raw.method === "HEAD" && route && mustBeOwn(route)) {
    return finish(new Response(null), { sender, service, requestId });
  }
  const format = formatForErrors(target, headers, service);
  const request = routeRequest(
    { raw, target, sender, requestId, parameters, format },
    service,
    route?.maxBody,
  );
  const answering = { request, target, requestId, format, service };
  try {
    if (!route) throw refuseMethod(raw.method, allowOf(methods));
    if (mustBeOwn(route)) await requireOwnSite(request, route, service);
    const answer = await route.handle(request, service);
    logEvent(answer, request, { route, service });
    return forMethod(raw.method, await respondAnswer(answer, answering));
  } catch (error) {
    const onLoginPage = request.wantsPage && raw.method === "POST" && route?.path === LOGIN;
    return forMethod(raw.method, await respondThrown(error, { ...answering, onLoginPage }));
  }
}

/** HEAD exists wherever GET does. */
function routeFor(method: string, methods: OwnPath["methods"]): OwnRoute | undefined {
  return methods.get(method === "HEAD" ? "GET" : method);
}

function allowOf(methods: OwnPath["methods"]): string {
  const heads = routeFor("HEAD", methods) ? ["HEAD"] : [];
  return [...methods.keys(), ...heads, "OPTIONS"].join(", ");
}

function forMethod(method: string, response: Response): Response {
  return method === "HEAD" ? new Response(null, response) : response;
}

function mustBeOwn({ method, from = method === "GET" ? "any-site" : "same-site" }: OwnRoute): boolean {
  return from === "same-site";
}

/**
 * Programs pass, because they send neither `Origin` nor the headers that browsers send instead. A request with the page's
 * token passes, too, unless a browser says that another site's page sent it and there is no session to which the token
 * could belong.
 */
async function requireOwnSite(request: RouteRequest, { path }: OwnRoute, service: Service): Promise<void> {
  // Pages of other sites cannot send JSON without a preflight, and `cors.open` allows them all.
  if (service.settings["cors.open"] && path === LOGIN && !isForm(request.headers)) return;
  const site = siteOf(request, service);
  if (site === "own" || (site === "unknown" && !isForm(request.headers))) return;
  const token = request.headers.get(TOKEN_HEADER) ?? await tokenIn(request);
  if (site === "unknown" && service.formTokens.fits(token, request)) return;
  const { session } = token === undefined ? {} : await resumeSession(request, service);
  if (session && token !== undefined && isSame(token, session.csrfToken)) return;
  throw crossSite();
}

async function tokenIn(request: RouteRequest): Promise<string | undefined> {
  return isForm(request.headers) ? (await request.fields()).get(TOKEN_FIELD) : undefined;
}

function logEvent(
  answer: RouteAnswer,
  { client, requestId }: RouteRequest,
  { route, service }: { readonly route: OwnRoute; readonly service: Service },
): void {
  const event = "event" in answer ? answer.event : undefined;
  if (!event) return;
  const who = event.user === undefined ? "" : ` of ${quote(event.user)}`;
  const why = event.reason === undefined ? "" : `: ${event.reason}`;
  const which = event.outcome === "refused" ? ` (request ${requestId})` : "";
  service.audit.record({ ...event, target: route.path, address: client.address, requestId });
  if (event.value !== undefined) {
    const { reason = "", value } = event;
    service.requests.noteRefusal({ at: Date.now(), address: client.address, requestId, reason, value });
  }
  service.log.info(
    `A ${event.action}${who} by ${route.owner} from ${client.address}: ${event.outcome}${why}${which}`,
  );
}
