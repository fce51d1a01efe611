/**
 * The application: the paths of the five stages, and those that need no credentials.
 *
 * @module
 */

import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { Eventual } from "@/core/base/eventual.ts";
import { duringRequest } from "@/core/base/named_log.ts";
import { ACTIVITY, activityOf } from "@/core/definitions/request_status.ts";
import { Exchange } from "@/core/exchange.ts";
import type { Connection } from "@/core/identity/client_address.ts";
import { createHostCheck } from "@/core/request/check_host.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import type { Snapshots } from "@/core/service.ts";
import { answer, type Logged, type Serve } from "./envelope.ts";
import { measure } from "./measure.ts";
import { METRICS } from "./metrics.ts";
import { openPaths, servePath } from "./open_paths.ts";
import { Outbox } from "./outbox.ts";
import { READINESS, readiness } from "./readiness.ts";
import { serve } from "./serve.ts";
import { FORMS, serveForm } from "./forms/serve_form.ts";

/** Facts from a server adapter beside the standard request. */
export interface Bindings extends Connection {
  /** The request's target as sent, if the adapter's URL is normalised. */
  readonly target?: string;
  /**
   * The adapter asks for the next slice of an answer when the client has taken the one before, so the memory
   * of clients that take nothing is known.
   */
  readonly takesSlices?: boolean;
}

/** The interface for servers. */
export interface App {
  fetch(request: Request, bindings?: Bindings): Eventual<Response>;
}

/**
 * The application; its only state is the service. A request uses one snapshot to its end. Hono finds the
 * paths that need no credentials; any other path belongs to `resources.ts`. Data, most of the requests,
 * bypasses Hono: the router would cost as much as a read by key.
 */
export function createApp(live: Snapshots): App {
  const { prefix, group } = live.service;
  group.answers(METRICS, () => measure(live.service));
  group.answers(READINESS, () => readiness(live.service));
  group.answers(ACTIVITY, () => activityOf(live.service));
  const routes = new Hono<{ Bindings: Bindings }>({
    // The path as it was sent: Node's adapter folds `..`, which a proxy that keeps paths away has not done.
    // Proxies may have removed the prefix.
    getPath: ({ url }, options) => {
      const { path } = splitTarget(options?.env?.target ?? targetOf(url), prefix);
      return getPath({ url: `http://x${path}` } as Request);
    },
  });
  const open = (raw: Request, bindings: Bindings = {}, target = bindings.target ?? targetOf(raw.url)) => {
    const { service } = live;
    const exchange = new Exchange(raw, target, service.findClient(bindings, raw.headers), service);
    exchange.takesSlices = bindings.takesSlices === true;
    return exchange;
  };
  const outbox = new Outbox();
  const reply = (exchange: Exchange, serve: Serve, logged?: Logged) =>
    outbox.hold(answer(exchange, serve, logged), exchange);
  for (const path of openPaths(live.service)) {
    routes.all(path.pattern, ({ req, env }) => {
      const parameters = new Map(Object.entries<string>(req.param()));
      const exchange = open(req.raw, env);
      exchange.route = path.route;
      return reply(exchange, named(() => servePath(path, parameters, exchange)), path.logged);
    });
  }
  routes.all(`${FORMS}/*`, ({ req, env }) => {
    const exchange = open(req.raw, env);
    exchange.route = FORMS;
    return reply(exchange, named(serveForm), "path");
  });
  routes.all("*", ({ req, env }) => reply(open(req.raw, env), named(serve)));
  const data = `${prefix}/db/`;
  const checkHost = createHostCheck();
  return {
    fetch: (request, bindings = {}) => {
      const refusal = checkHost(request.headers);
      if (refusal) {
        return reply(open(request, bindings, "/"), () => {
          throw refusal;
        });
      }
      const target = bindings.target ?? targetOf(request.url);
      return target.startsWith(data)
        ? reply(open(request, bindings, target), serve)
        : routes.fetch(request, bindings);
    },
  };
}

/**
 * Lets lines about the request have its id to its end. Requests for data have it while they authenticate:
 * nothing else of theirs may write lines of login plugins, and to the end it would take 5 % of a POST.
 */
function named(serve: Serve): Serve {
  return (exchange) => duringRequest(exchange.requestId, () => serve(exchange));
}

/** Path and query as sent: a URL parser would fold `..` and lose characters that the path grammar needs. */
export function targetOf(url: string): string {
  if (url.startsWith("/")) return url;
  const host = url.indexOf("://");
  const path = host < 0 ? -1 : url.indexOf("/", host + 3);
  return path < 0 ? "/" : url.slice(path);
}
