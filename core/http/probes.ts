/**
 * Answers outside the stages that need no credentials: probes, metrics, and the operator's files.
 *
 * @module
 */

import type { Hono } from "hono";
import type { Connection } from "@/core/identity/client_address.ts";
import { formatForErrors } from "@/core/request/parse_request.ts";
import { answerPreflight, isPreflight } from "@/core/respond/cors.ts";
import { problemPage, respondProblem } from "@/core/respond/respond_problem.ts";
import { finish, requestIdOf, withCommonHeaders } from "@/core/respond/response_headers.ts";
import type { Service, Snapshots } from "@/core/service.ts";
import { READING } from "@/core/tables/allowed_methods.ts";
import { isLocal, isReady, metricsText } from "./metrics.ts";
import { serveStatic, STATIC } from "./static_files.ts";

/** The bindings that these routes use. */
type Routes = Hono<{ Bindings: Connection & { readonly target?: string } }>;

/** Adds `/healthz`, `/readyz` and `/metrics`, with and without the service's prefix. */
export function addProbes(routes: Routes, live: Snapshots): void {
  const { prefix } = live.service;
  for (const base of new Set(["", prefix])) {
    routes.all(`${base}/healthz`, ({ req, env }) => {
      return answerText(req.raw, env ?? {}, live.service, () => [200, "ok\n"]);
    });
    routes.all(`${base}/readyz`, ({ req, env }) => {
      return answerText(
        req.raw,
        env ?? {},
        live.service,
        () => isReady(live.service) ? [200, "ready\n"] : [503, "not ready\n"],
      );
    });
    routes.all(`${base}/metrics`, ({ req, env }) => {
      return answerText(
        req.raw,
        env ?? {},
        live.service,
        () => metrics(live.service, req.raw.headers, env ?? {}),
      );
    });
  }
}

/** Adds `/static/` if the setting `static_path` names a directory. `targetOf` gives a URL's target as sent. */
export function addStaticFiles(routes: Routes, live: Snapshots, targetOf: (url: string) => string): void {
  const { prefix } = live.service;
  const { static_path: files } = live.service.settings;
  for (const base of files === undefined ? [] : new Set(["", prefix])) {
    routes.all(`${base}${STATIC}*`, ({ req, env }) => {
      const target = env?.target ?? targetOf(req.raw.url);
      return answerStatic(req.raw, { target, connection: env ?? {} }, live.service, files ?? "");
    });
  }
}

/** Answers a probe with plain text, without credentials. */
function answerText(
  { method, headers }: Request,
  connection: Connection,
  service: Service,
  make: () => readonly [number, string],
): Response {
  const sender = { headers, client: service.findClient(connection, headers) };
  const answered = { sender, service, requestId: requestIdOf(headers) };
  if (method === "GET" || method === "HEAD") {
    const [status, text] = make();
    const response = new Response(text, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
    return finish(response, answered);
  }
  if (isPreflight(method, headers)) return withCommonHeaders(answerPreflight(sender, service));
  const status = method === "OPTIONS" ? 204 : 405;
  return finish(new Response(null, { status, headers: { Allow: READING } }), answered);
}

/** Serves the operator's files, without credentials. */
async function answerStatic(
  raw: Request,
  { target, connection }: { readonly target: string; readonly connection: Connection },
  service: Service,
  directory: string,
): Promise<Response> {
  const { headers } = raw;
  const sender = { headers, client: service.findClient(connection, headers) };
  if (isPreflight(raw.method, headers)) return withCommonHeaders(answerPreflight(sender, service));
  const requestId = requestIdOf(headers);
  const answered = { sender, service, requestId };
  try {
    const [path = ""] = target.slice(target.indexOf(STATIC) + STATIC.length).split("?", 1);
    return finish(await serveStatic(raw, path, directory), answered);
  } catch (error) {
    const format = formatForErrors(target, headers, service);
    const page = problemPage(target, undefined, service);
    return finish(respondProblem(error, { format, requestId, service, page }), { ...answered, format });
  }
}

/** Metrics contain names of databases: they are for this machine only, unless configured otherwise. */
function metrics(service: Service, headers: Headers, connection: Connection): readonly [number, string] {
  const { address } = service.findClient(connection, headers);
  const may = service.settings["metrics.public"] || isLocal(address, headers, service.origin);
  return may ? [200, metricsText(service)] : [403, "Only from this machine, or with metrics.public\n"];
}
