/**
 * `/healthz`, `/readyz`, and `/metrics` in the text format of Prometheus: plain-text answers outside the
 * stages, the same whichever worker is asked. Refusals are errors like all others.
 *
 * @module
 */

import { isIP } from "node:net";
import type { Eventual } from "@/core/base/eventual.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import { respondText } from "@/core/respond/respond.ts";
import { partsDown } from "./measure.ts";
import { METRICS, metricsText } from "./metrics.ts";
import { READINESS, readinessOf, stateReasons } from "./readiness.ts";
import { identify } from "./serve.ts";

/** The handler of each path. */
export const PROBES: Readonly<Record<string, (exchange: Exchange) => Eventual<Response>>> = {
  "/healthz": ({ service: { group: { silent } } }) => {
    return silent === 0 ? respondText("ok\n") : respondText("a worker gives no sign of life\n", 503);
  },
  "/readyz": showReadiness,
  "/metrics": showMetrics,
};

/** The reasons have names of databases and words of engines: they are for this machine and for `admin`. */
async function showReadiness(exchange: Exchange): Promise<Response> {
  const { service, target } = exchange;
  const database = new URLSearchParams(splitTarget(target, service.prefix).query).get("database") ??
    undefined;
  const mayKnow = isFromHere(exchange) || await isAdmin(exchange);
  if (database !== undefined && !mayKnow && !service.settings["metrics.public"]) {
    throw refusal("The state of one database is");
  }
  const { isReady, reasons } = readinessOf(await service.group.ask(READINESS), {
    when: service.settings["ready.when"],
    database,
  });
  const lines = mayKnow ? [...reasons, ...await stateReasons(service)] : [];
  return respondText([isReady ? "ready" : "not ready", ...lines, ""].join("\n"), isReady ? 200 : 503);
}

/**
 * Looks for credentials only where they are: monitors have none, and without the
 * user `public` they would be refused.
 */
async function isAdmin(exchange: Exchange): Promise<boolean> {
  const { headers, service: { credentialNames, sessionCookie } } = exchange;
  const isGiven = ["authorization", ...credentialNames].some((name) => headers.has(name)) ||
    sessionCookie.read(exchange) !== undefined;
  return isGiven && (await identify(exchange)).user.login === ADMIN;
}

function isFromHere({ client: { address }, headers, service: { origin } }: Exchange): boolean {
  return isLocal(address, headers, origin);
}

/** Metrics contain names of databases: they are for this machine only, unless configured otherwise. */
async function showMetrics(exchange: Exchange): Promise<Response> {
  const { service } = exchange;
  if (!service.settings["metrics.public"] && !isFromHere(exchange)) throw refusal("Metrics are");
  const state = partsDown([["state directory", (await stateReasons(service)).length > 0]]);
  const parts = await service.group.ask(METRICS);
  return respondText(metricsText([...parts, { value: [state], isPresent: true }]));
}

function refusal(what: string): ServiceError {
  return new ServiceError("forbidden", `${what} for this machine only, unless metrics.public is set`);
}

/** Headers that only proxies send, and one that a browser here sends for the page of another site. */
const FOREIGN = ["forwarded", "via", "x-forwarded-for", "x-real-ip", "origin"];

/**
 * Whether a program on this machine sends a request, and no proxy on it. Many proxies add no header, so a
 * request counts as local only if its `Host` and `--base-url` name this machine. Pages of any site can read
 * answers that need no cookie (`respond/cors.ts`), so their requests count as coming from elsewhere.
 */
export function isLocal(address: string, headers: Headers, origin: string | undefined): boolean {
  if (FOREIGN.some((name) => headers.has(name)) || !isLoopback(address)) return false;
  return [`http://${headers.get("host") ?? ""}`, ...(origin === undefined ? [] : [origin])].every((url) => {
    const name = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "");
    return name !== undefined && isLoopback(name);
  });
}

/** Whether only programs on this machine reach a host. */
export function isLoopback(host: string): boolean {
  return isIP(host) === 4 ? host.startsWith("127.") : /^(localhost|::1|0:0:0:0:0:0:0:1)$/.test(host);
}
