/**
 * The HTTP side: one Hono application around the five stages, with what every answer has in common.
 *
 * @module
 */

import { Hono } from "hono";
import { authenticate } from "./authenticate.ts";
import { answerPreflight, corsHeaders, isPreflight } from "./cors.ts";
import { tooLarge } from "./body.ts";
import { attempt, type Eventual, whenThere } from "./eventual.ts";
import { executeRead } from "./execute.ts";
import { executeWrite } from "./execute_write.ts";
import type { Negotiated } from "./negotiate.ts";
import { READING } from "./methods.ts";
import { type Plan, planRequest } from "./plan.ts";
import { pageOf, writeOptions } from "./plan_read.ts";
import { respondProblem } from "./problem.ts";
import { type ApiRequest, formatForErrors, parseRequest } from "./request.ts";
import { respondDocument, respondRows, respondSchema, respondWritten } from "./respond.ts";
import type { Caller } from "./permissions.ts";
import type { Service } from "./service.ts";

/** What a server adapter knows beside the standard request. */
export interface Bindings {
  /** The request's target as it was sent, where the adapter's URL is a normalised one. */
  readonly target?: string;
}

/** What servers call. */
export interface App {
  fetch(request: Request, bindings?: Bindings): Eventual<Response>;
}

/**
 * The application; it holds no state but the service. Hono routes everything except data, which is by far the most of
 * all requests and is found by its first segment alone: the router would cost as much as a record read by key.
 */
export function createApp(service: Service): App {
  const routes = new Hono<{ Bindings: Bindings }>();
  for (const path of ["/healthz", `${service.prefix}/healthz`]) {
    routes.all(path, ({ req }) => answerHealth(req.raw));
  }
  routes.all("*", ({ req, env }) => answer(req.raw, env?.target ?? targetOf(req.raw.url), service));
  const data = `${service.prefix}/db`;
  return {
    fetch: (request, bindings = {}) => {
      const target = bindings.target ?? targetOf(request.url);
      return target.startsWith(data) ? answer(request, target, service) : routes.fetch(request, bindings);
    },
  };
}

/** Pages load nothing but their own inline style and send forms nowhere else. */
const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  [
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["Referrer-Policy", "same-origin"],
];

/** Path and query as they were sent: a URL parser would fold `..` and lose what the path grammar needs. */
function targetOf(url: string): string {
  const host = url.indexOf("://");
  const path = url.indexOf("/", host < 0 ? 0 : host + 3);
  return path < 0 ? "/" : url.slice(path);
}

function answer(raw: Request, target: string, service: Service): Eventual<Response> {
  const { method, headers } = raw;
  if (isPreflight(method, headers)) return withCommonHeaders(answerPreflight(headers));
  const requestId = requestIdOf(headers);
  let request: ApiRequest | undefined;
  let caller: Caller | undefined;
  return attempt(() => {
    const parsed = request = parseRequest(method, target, headers, service);
    checkBodySize(headers, service);
    return whenThere(authenticate(parsed, headers, service), (known) => {
      caller = known;
      const plan = planRequest(parsed, known, { service, headers });
      const carried = carryOut(plan, { raw, headers, request: parsed, caller: known, service });
      return whenThere(carried, (response) => finish(response, { headers, requestId, request, caller }));
    });
  }, (error) => {
    const format = formatForErrors(target, headers, service);
    const response = respondProblem(error, { format, requestId, service });
    return finish(response, { headers, requestId, request, caller, format });
  });
}

/** That the process answers; needs no credentials. */
function answerHealth({ method, headers }: Request): Response {
  const requestId = requestIdOf(headers);
  if (method === "GET" || method === "HEAD") {
    const response = new Response("ok\n", { headers: { "Content-Type": "text/plain; charset=utf-8" } });
    return finish(response, { headers, requestId });
  }
  if (isPreflight(method, headers)) return withCommonHeaders(answerPreflight(headers));
  const status = method === "OPTIONS" ? 204 : 405;
  return finish(new Response(null, { status, headers: { Allow: READING } }), { headers, requestId });
}

/** What decides the headers that all answers have; a request or caller is absent where it was refused before. */
interface Answered {
  readonly headers: Headers;
  readonly requestId: string;
  readonly request?: ApiRequest | undefined;
  readonly caller?: Caller | undefined;
  /** The format of an error. */
  readonly format?: Negotiated;
}

interface CarryOut {
  readonly raw: Request;
  /** The raw request's; asking it for them again costs more than a look into them. */
  readonly headers: Headers;
  readonly request: ApiRequest;
  readonly caller: Caller;
  readonly service: Service;
}

function carryOut(plan: Plan, { raw, headers, request, caller, service }: CarryOut): Eventual<Response> {
  const input = { format: request.format, service };
  switch (plan.kind) {
    case "redirect":
      return new Response(null, { status: plan.status, headers: { Location: plan.location } });
    case "options":
      return new Response(null, { status: 204, headers: { Allow: plan.allow } });
    case "text":
      return respondText(plan.text, plan.contentType);
    case "document": {
      const options = writeOptions(request, service, false);
      return respondDocument(plan.document, options, { ...input, page: pageOf(request, caller, service) });
    }
    case "schema":
      return respondSchema(plan, input);
    case "read": {
      const read = executeRead(plan, new Patience(raw, service.settings["orm_sdb.yield_per"]));
      return whenThere(read, (result) =>
        respondRows(plan.compiled, result, {
          ...input,
          head: request.method === "HEAD",
          ifNoneMatch: headers.get("if-none-match"),
          page: () => pageOf(request, caller, service),
        }));
    }
    case "insert":
    case "update":
    case "delete": {
      const { nullStr: nullMarker = "<null>", csvNullStr = false } = request.parameters;
      const written = executeWrite(plan, {
        source: raw,
        service,
        nullMarker,
        csvNullStr,
        signal: raw.signal,
      });
      const origin = service.origin ?? new URL(raw.url).origin;
      return written.then((result) => respondWritten(plan, result, { service, origin }));
    }
    default:
      return plan satisfies never;
  }
}

function respondText(text: string, contentType = "text/plain; charset=utf-8"): Response {
  return new Response(text, { headers: { "Content-Type": contentType } });
}

/** How long a read may go on: as long as its caller waits. Making the signal costs more than a keyed read takes. */
class Patience {
  readonly #raw: Request;

  constructor(raw: Request, readonly fetchSize: number) {
    this.#raw = raw;
  }

  get signal(): AbortSignal {
    return this.#raw.signal;
  }
}

function finish(response: Response, { headers, requestId, request, caller, format }: Answered): Response {
  const out = withCommonHeaders(response).headers;
  out.set("X-Request-Id", requestId);
  out.set("Cache-Control", caller?.anonymous === false ? "private, no-cache" : "no-cache");
  out.set("Vary", varyOf(out.has("content-type"), request?.negotiated ?? false));
  const origin = headers.get("origin");
  if (origin !== null) setAll(out, corsHeaders(origin));
  if ((format ?? request?.format)?.format.paged) setAll(out, PAGE_HEADERS);
  return response;
}

function setAll(headers: Headers, list: readonly (readonly [string, string])[]): void {
  for (const [name, value] of list) headers.set(name, value);
}

function withCommonHeaders(response: Response): Response {
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

/** Whatever has content may be compressed; who compresses it is left to the server. */
function varyOf(hasContent: boolean, negotiated: boolean): string {
  if (!hasContent) return negotiated ? "Accept, Origin" : "Origin";
  return negotiated ? "Accept, Accept-Encoding, Origin" : "Accept-Encoding, Origin";
}

/** A client's own id if it is harmless in a log line, else a new one. */
function requestIdOf(headers: Headers): string {
  const sent = headers.get("x-request-id");
  return sent !== null && /^[\w.-]{1,64}$/.test(sent) ? sent : crypto.randomUUID();
}

/** A body that says it is too large is refused before anything is read of it. */
function checkBodySize(headers: Headers, { settings }: Service): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > settings.max_body_size) throw tooLarge(settings.max_body_size);
}
