/**
 * Paths that need no credentials: probes, the operator's files, the login, the first run, and the routes of
 * authentication methods.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import { quote } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { FORMS } from "@/core/http/forms/serve_form.ts";
import { FIRST_RUN, showFirstRun, takeFirstRun } from "@/core/login/first_run.ts";
import { LOGIN, showLogin } from "@/core/login/login_page.ts";
import { ASSETS } from "@/core/request/assets.ts";
import { isResource } from "@/core/resources.ts";
import type { Service } from "@/core/service.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import type { Logged } from "./envelope.ts";
import { PROBES } from "./probes.ts";
import { type OwnRoute, serveRoute } from "./serve_route.ts";
import { serveAsset, serveStatic, STATIC } from "./static_files.ts";

/** Answers one method of a path; `parameters` are the names in braces with their values. */
type Handle = (exchange: Exchange, parameters: ReadonlyMap<string, string>) => Eventual<Response>;

/** A path below the prefix that is open without a login. */
interface OpenPath {
  /** In the router's syntax. */
  readonly pattern: string;
  /** The same for metrics: names in braces. */
  readonly route: string;
  readonly methods: ReadonlyMap<string, Handle>;
  readonly logged: Logged;
}

const BUILT_IN: readonly OwnRoute[] = [
  { owner: "service", method: "GET", path: LOGIN, handle: showLogin },
  { owner: "service", method: "GET", path: FIRST_RUN, handle: showFirstRun },
  { owner: "service", method: "POST", path: FIRST_RUN, handle: takeFirstRun },
];

/** All paths that need no credentials. */
export function openPaths({ methods, settings }: Service): readonly OpenPath[] {
  const brought = methods.flatMap(({ name, method }) =>
    (method.routes ?? []).map((route): OwnRoute => {
      return { ...route, owner: name, handle: (request) => route.handle(request) };
    })
  );
  const probes = Object.entries(PROBES).map(([pattern, handle]): OpenPath => {
    return { pattern, route: pattern, methods: new Map([["GET", handle]]), logged: "count" };
  });
  const own = [...Map.groupBy([...BUILT_IN, ...brought], ({ path }) => path)].map(
    ([path, routes]): OpenPath => {
      const handlers = routes.map((route): [string, Handle] => [
        route.method,
        (exchange, parameters) => serveRoute(route, parameters, exchange),
      ]);
      const pattern = path.replace(/\{(\w+)\}/g, ":$1");
      return { pattern, route: path, methods: new Map(handlers), logged: "path" };
    },
  );
  return [...probes, PAGE_FILES, ...files(settings.static_path), ...own];
}

const PAGE_FILES: OpenPath = {
  pattern: `${ASSETS}:hash/:name`,
  route: `${ASSETS}{hash}/{name}`,
  methods: new Map([["GET", serveAsset]]),
  logged: "path",
};

function files(directory: string | undefined): readonly OpenPath[] {
  if (directory === undefined) return [];
  const handle: Handle = (exchange) => serveStatic(exchange, directory);
  return [{
    pattern: `${STATIC}*`,
    route: `${STATIC}*`,
    methods: new Map([["GET", handle]]),
    logged: "path",
  }];
}

/** HEAD exists wherever GET does. Throws 405. */
export function servePath(
  { methods }: OpenPath,
  parameters: ReadonlyMap<string, string>,
  exchange: Exchange,
): Eventual<Response> {
  const { method } = exchange;
  const allow = [...methods.keys(), ...methods.has("GET") ? ["HEAD"] : [], "OPTIONS"].join(", ");
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: allow } });
  const handle = methods.get(method === "HEAD" ? "GET" : method);
  if (!handle) throw refuseMethod(method, allow);
  return handle(exchange, parameters);
}

const OWN_SEGMENTS: ReadonlySet<string> = new Set(
  [...Object.keys(PROBES), ASSETS, STATIC, FORMS].map((path) => path.split("/")[1] ?? ""),
);

/** Whether a route would hide paths of the service, or be hidden by them. */
function isOwnPath(path: string): boolean {
  const [, first = ""] = path.split("/");
  return first.startsWith("{") || OWN_SEGMENTS.has(first) || isResource(first);
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
      if (isOwnPath(route.path)) {
        return [
          `The authentication method ${quote(name)} has the route ${key}, where the service's own paths are`,
        ];
      }
      return owner === undefined
        ? []
        : [`The authentication method ${quote(name)} has the route ${key}, which ${owner} has already`];
    })
  );
}
