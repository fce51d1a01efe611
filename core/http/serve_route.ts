/**
 * Answers the routes of the login, of the first run and of authentication methods.
 *
 * @module
 */

import { inTime } from "@/core/base/in_time.ts";
import { localPath } from "@/core/base/local_path.ts";
import { isObject, kindOf } from "@/core/base/plugin_answers.ts";
import { blame, LatePlugin } from "@/core/base/plugin_failures.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { requirePageToken, siteOf, TOKEN_FIELD, TOKEN_HEADER } from "@/core/identity/cross_site.ts";
import { LOGIN } from "@/core/login/login_page.ts";
import { isRedirect, isWebAddress } from "@/core/login/method_answers.ts";
import { withBody } from "@/core/request/body.ts";
import { isForm, readFields } from "@/core/request/form_fields.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { formatForErrors, splitTarget } from "@/core/request/parse_request.ts";
import { contentType } from "@/core/respond/respond_chunk.ts";
import type { Service } from "@/core/service.ts";
import type { AuthRoute, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { respondRoute, showOnLoginPage } from "./respond_route.ts";

/** A route with its handler. */
export interface OwnRoute extends Omit<AuthRoute, "handle"> {
  /** The method that defines it, or the service itself. */
  readonly owner: string;
  handle(request: RouteRequest, service: Service): RouteAnswer | Promise<RouteAnswer>;
}

/** Answers a request for a route. A person's failed login gets the login page again. */
export async function serveRoute(
  route: OwnRoute,
  parameters: ReadonlyMap<string, string>,
  exchange: Exchange,
): Promise<Response> {
  const { method, target, headers } = exchange;
  const service = { ...exchange.service, log: exchange.log };
  const format = formatForErrors(target, headers, service);
  exchange.format = format;
  // HEAD must not have the effect of such a GET: ending a session, or beginning a login.
  if (method === "HEAD" && mustBeOwn(route)) {
    return new Response(null, { headers: contentType(format, service) });
  }
  const request = routeRequest(exchange, format, parameters, route.maxBody);
  try {
    if (mustBeOwn(route)) await requireOwnSite(request, route, service);
    return await answer(route, request, { service, exchange });
  } catch (error) {
    const onLoginPage = request.wantsPage && method === "POST" && route.path === LOGIN;
    if (!onLoginPage || !(error instanceof ServiceError)) throw error;
    return await showOnLoginPage(
      error,
      error.status === 429 ? await typedIn(request, service) : {},
      request,
      exchange,
    );
  }
}

/** The login and the way back of a form that came too early: the next attempt needs the password only. */
async function typedIn(request: RouteRequest, { prefix }: Service) {
  const fields = await request.fields();
  return { values: { login: fields.get("login") ?? "" }, next: localPath(fields.get("next") ?? "", prefix) };
}

/** Asks the owner, who may take long, throw, or give something else. */
async function answer(
  route: OwnRoute,
  request: RouteRequest,
  { service, exchange }: { readonly service: Service; readonly exchange: Exchange },
): Promise<Response> {
  const title = `route ${route.path} of ${route.owner}`;
  try {
    const seconds = service.settings["server.plugin_timeout"];
    const given = await inTime(route.handle(request, service), seconds, () => new LatePlugin(title));
    const mistake = mistakeIn(given);
    if (mistake !== undefined) throw new TypeError(`it gave ${mistake}`);
    logEvent(given, request, { route, service });
    return await respondRoute(given, request, exchange);
  } catch (error) {
    throw blame(error, `${title} failed`);
  }
}

/** Kinds of answers; true: it leads to an address. */
const KINDS = {
  done: true,
  redirect: true,
  send: true,
  fragment: true,
  refused: false,
  page: false,
  text: false,
} as const satisfies Readonly<Record<RouteAnswer["kind"], boolean>>;

const CODES: ReadonlySet<unknown> = new Set<Extract<RouteAnswer, { kind: "refused" }>["code"]>([
  "bad-request",
  "forbidden",
  "not-found",
  "unavailable",
]);

/** A mistake in an answer that would be sent all the same: as a success, or to anywhere. */
function mistakeIn(given: RouteAnswer): string | undefined {
  if (!isObject(given) || !Object.hasOwn(KINDS, given.kind)) return `${kindOf(given)}, not an answer`;
  const { kind, to, status, code, message, text }: Readonly<Record<string, unknown>> = given;
  if (KINDS[given.kind] && !isWebAddress(to)) return `${quote(String(to))}, which is no web address`;
  if ((kind === "done" || kind === "redirect") && !isRedirect(status)) {
    return `the status ${status}, not 302 or 303`;
  }
  if (kind === "text" && typeof text !== "string") return `${kindOf(text)} as its text`;
  if (kind !== "refused" || (CODES.has(code) && typeof message === "string")) return undefined;
  return `a refusal without a message, or without a code of ${[...CODES].join(", ")}`;
}

function mustBeOwn({ method, from = method === "GET" ? "any-site" : "same-site" }: OwnRoute): boolean {
  return from !== "any-site";
}

/**
 * Programs pass, because they send neither `Origin` nor the headers that browsers send instead. A request
 * with the token of a page passes, too.
 */
async function requireOwnSite(request: RouteRequest, { path }: OwnRoute, service: Service): Promise<void> {
  // Pages of other sites cannot send JSON without a preflight, and `cors.open` allows them all.
  if (service.settings["cors.open"] && path === LOGIN && !isForm(request.headers)) return;
  const site = siteOf(request, service);
  if (site === "own" || (site === "unknown" && !isForm(request.headers))) return;
  const token = request.headers.get(TOKEN_HEADER) ?? await tokenIn(request);
  // Most likely a program: curl sends a form unless it is told the type of the body.
  if (token === undefined && site === "unknown") throw new ServiceError("forbidden", FORM_WITHOUT_TOKEN);
  await requirePageToken(token, request, service);
}

const FORM_WITHOUT_TOKEN =
  "A form needs the token of its page; a program sends JSON instead, with the header Content-Type: application/json";

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
  service.audit.record({ ...event, target: route.path, address: client.address, requestId });
  if (event.value !== undefined && event.outcome === "refused") {
    const { reason = "", value } = event;
    service.requests.noteRefusal({ at: Date.now(), address: client.address, requestId, reason, value });
  }
  service.log.info(
    `A ${event.action}${who} by ${route.owner} from ${client.address}: ${event.outcome}${why}`,
  );
}

/** Default of the largest body, in bytes. */
const MAX_BODY = 65_536;

/** Reads the body on demand, at most once. */
function routeRequest(
  exchange: Exchange,
  format: Negotiated,
  parameters: ReadonlyMap<string, string>,
  maxBody: number = MAX_BODY,
): RouteRequest {
  const { requestId, method, headers, client, target, service } = exchange;
  const limit = Math.min(maxBody, service.settings.max_body_size);
  const search = splitTarget(target, service.prefix).query;
  let fields: ReturnType<typeof readFields> | undefined;
  return {
    requestId,
    method,
    headers,
    client,
    parameters,
    query: new URLSearchParams(search),
    search,
    wantsPage: format.format.form !== undefined && !sendsJson(headers),
    get baseUrl() {
      return exchange.origin + service.prefix;
    },
    fields: () => fields ??= withBody(exchange, (source) => readFields(source, limit)),
  };
}

/** Whether a program sent the request, whatever it accepts. */
function sendsJson(headers: Headers): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "");
}
