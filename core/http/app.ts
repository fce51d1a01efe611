/**
 * The application: one Hono router around the five stages, with the parts that all answers share.
 *
 * @module
 */

import { Hono } from "hono";
import { auditRequest } from "./audit_request.ts";
import { authenticate } from "@/core/login/authenticate.ts";
import type { Connection } from "@/core/identity/client_address.ts";
import { answerPreflight, isPreflight } from "@/core/respond/cors.ts";
import { requireOwnPage } from "@/core/identity/cross_site.ts";
import { type BodySource, tooLarge, withBody } from "@/core/request/body.ts";
import { respondCreated } from "./respond_created.ts";
import { ServiceError } from "@/core/errors.ts";
import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { executeRead } from "@/core/tables/execute_read.ts";
import { executeQuery } from "@/core/queries/execute_query.ts";
import { executeWrite, type ExecuteWriteOptions } from "@/core/tables/execute_write.ts";
import { type Answered, finish, requestIdOf, withCommonHeaders } from "@/core/respond/response_headers.ts";
import { createHostCheck, originOf } from "./check_host.ts";
import { requireLicence } from "@/core/identity/licence_file.ts";
import { requireData } from "@/core/request/formats.ts";
import { hasEffect, type Plan, planRequest } from "@/core/resources.ts";
import { writeOptions } from "@/core/tables/plan_read.ts";
import { pageOf } from "@/core/respond/page.ts";
import { problemPage, respondProblem } from "@/core/respond/respond_problem.ts";
import {
  type ApiRequest,
  explainEnding,
  formatForErrors,
  parseRequest,
} from "@/core/request/parse_request.ts";
import { RequestClient } from "./request_client.ts";
import { respondDocument, respondSchema, respondTask } from "@/core/respond/respond_document.ts";
import { respondRows } from "@/core/respond/respond_rows.ts";
import { addProbes, addStaticFiles } from "./probes.ts";
import { answerRoute, ownRoutes } from "./routes.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { Service, Snapshots } from "@/core/service.ts";
import type { Sender } from "@/plugins/contract.ts";

/** Facts from a server adapter beside the standard request. */
export interface Bindings extends Connection {
  /** The request's target as sent, if the adapter's URL is normalised. */
  readonly target?: string;
}

/** The interface for servers. */
export interface App {
  fetch(request: Request, bindings?: Bindings): Eventual<Response>;
}

/**
 * The application; its only state is the service. A request uses one snapshot to its end. Hono routes everything except
 * data, which is most of the requests and is found by its first segment alone: the router would cost as much as a read by
 * key.
 */
export function createApp(live: Snapshots): App {
  const { prefix } = live.service;
  const routes = new Hono<{ Bindings: Bindings }>();
  addProbes(routes, live);
  addStaticFiles(routes, live, targetOf);
  for (const { path, methods } of ownRoutes(live.service)) {
    routes.all(path, ({ req, env }) => {
      const connection = env ?? {};
      const parameters = new Map(Object.entries<string>(req.param()));
      const target = connection.target ?? targetOf(req.raw.url);
      return answerRoute(req.raw, { methods, parameters, target, connection }, live.service);
    });
  }
  routes.all("*", ({ req, env }) => {
    const connection = env ?? {};
    return answer(req.raw, { target: connection.target ?? targetOf(req.raw.url), connection }, live.service);
  });
  const data = `${prefix}/db`;
  const checkHost = createHostCheck();
  return {
    fetch: (request, bindings = {}) => {
      const refusal = checkHost(request.headers);
      if (refusal) return answer(request, { target: "/", connection: bindings, refusal }, live.service);
      const target = bindings.target ?? targetOf(request.url);
      return target.startsWith(data)
        ? answer(request, { target, connection: bindings }, live.service)
        : routes.fetch(request, bindings);
    },
  };
}

/** Path and query as sent: a URL parser would fold `..` and lose characters that the path grammar needs. */
function targetOf(url: string): string {
  const host = url.indexOf("://");
  const path = url.indexOf("/", host < 0 ? 0 : host + 3);
  return path < 0 ? "/" : url.slice(path);
}

/** A client that disconnects cancels its work, with this error as the reason. The answer is not sent. */
function isLeaving(error: unknown, { signal }: Request): boolean {
  return signal.aborted && error === signal.reason;
}

/** A request at its arrival. */
interface Arrival {
  readonly target: string;
  readonly connection: Connection;
  /** Why the request is refused at once. */
  readonly refusal?: ServiceError;
}

function answer(
  raw: Request,
  { target, connection, refusal }: Arrival,
  service: Service,
): Eventual<Response> {
  const { method, headers } = raw;
  const sender = { headers, client: service.findClient(connection, headers) };
  if (isPreflight(method, headers)) return withCommonHeaders(answerPreflight(sender, service));
  const requestId = requestIdOf(headers);
  const logged = service.requests.begin(method, target);
  const cookies: string[] = [];
  let request: ApiRequest | undefined;
  let caller: Caller | undefined;
  let plan: Plan | undefined;
  const close = (
    response: Response,
    failure: Pick<Answered, "format"> & { readonly error?: unknown } = {},
  ) => {
    const { status } = response;
    service.requests.end(logged, status, caller?.user.login);
    if (request && caller && plan?.kind !== "read") {
      auditRequest({ request, caller, client: sender.client, requestId, status, plan, ...failure }, service);
    }
    return finish(response, { sender, service, requestId, request, caller, cookies, ...failure });
  };
  return attempt(() => {
    if (refusal) throw refusal;
    const parsed = request = parseRequest(method, target, headers, service);
    checkBodySize(headers, service);
    return whenThere(authenticate(parsed, { sender, cookies }, service), (known) => {
      caller = known;
      requireLicence(known, service);
      const carrying = { raw, sender, requestId, request: parsed, caller: known, service };
      const carried = whenThere(planRequest(parsed, known, { service, headers }), (planned) => {
        plan = planned;
        if (planned.kind === "task" || planned.kind === "query") requireData(parsed.format);
        if (hasEffect(planned)) requireOwnPage({ method, ...sender }, known, service);
        if (planned.kind === "task" && planned.effect) service.firstRun.requireDone();
        return carryOut(planned, carrying);
      });
      return whenThere(carried, (response) => close(response));
    });
  }, (error) => {
    const format = formatForErrors(target, headers, service);
    const page = problemPage(target, caller, service);
    const told = isLeaving(error, raw)
      ? new ServiceError("unavailable", "The caller has gone")
      : explainEnding(error, target, service);
    return close(respondProblem(told, { format, requestId, service, page }), { format, error: told });
  });
}

interface CarryOut {
  readonly raw: Request;
  /** Holds the raw request's headers; reading them again costs more than a look-up. */
  readonly sender: Sender;
  readonly requestId: string;
  readonly request: ApiRequest;
  readonly caller: Caller;
  readonly service: Service;
}

function carryOut(plan: Plan, carrying: CarryOut): Eventual<Response> {
  const { raw, sender, request, caller, service } = carrying;
  const { headers } = sender;
  const client = new RequestClient(carrying);
  const input = { format: request.format, service, client };
  const reading = <T>(work: (source: BodySource) => Promise<T>) => withBody(raw, sender, service, work);
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
      const read = executeRead(plan, client);
      return whenThere(read, (result) =>
        respondRows(plan.compiled, result, {
          ...input,
          head: request.method === "HEAD",
          ifNoneMatch: headers.get("if-none-match"),
          page: () => pageOf(request, caller, service),
        }));
    }
    case "query":
      return reading((source) => executeQuery(plan, bodyOptions(source, carrying))).then((
        { compiled, result },
      ) =>
        respondRows(compiled, result, {
          ...input,
          head: request.method === "HEAD",
          ifNoneMatch: null,
          page: () => pageOf(request, caller, service),
        })
      );
    case "insert":
    case "update":
    case "delete": {
      // Before the write, because it may refuse.
      const origin = originFor(raw, sender, service);
      const written = reading((source) => executeWrite(plan, bodyOptions(source, carrying)));
      return written.then((result) => {
        if (result.kind === "done" || plan.kind !== "insert") return new Response(null, { status: 204 });
        return respondCreated(plan, result, { ...input, request, caller, headers, origin });
      });
    }
    case "task": {
      const options = writeOptions(request, service, false);
      const origin = originFor(raw, sender, service);
      const task = reading((source) => {
        return plan.run({ source, client: sender.client, signal: raw.signal });
      });
      return task.then((result) => {
        const page = pageOf(request, caller, service);
        return respondTask(result, { ...input, origin, options, page });
      });
    }
    default:
      return plan satisfies never;
  }
}

/** The options of reading a request's body. */
function bodyOptions(
  source: BodySource,
  { raw, request: { parameters }, service }: CarryOut,
): ExecuteWriteOptions {
  const { nullStr: nullMarker = "<null>", csvNullStr = false } = parameters;
  return { source, service, nullMarker, csvNullStr, signal: raw.signal };
}

/** For absolute URLs. */
function originFor({ url }: Request, { headers, client }: Sender, { origin }: Service): string {
  return origin ?? originOf({ url, host: headers.get("host"), isHttps: client.isHttps });
}

function respondText(text: string, contentType = "text/plain; charset=utf-8"): Response {
  return new Response(text, { headers: { "Content-Type": contentType } });
}

/** Refuses a body by its `Content-Length` before any of it is read. */
function checkBodySize(headers: Headers, { settings }: Service): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > settings.max_body_size) throw tooLarge(settings.max_body_size);
}
