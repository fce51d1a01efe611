/**
 * `/healthz`, `/readyz`, and `/metrics` in the text format of Prometheus: plain-text answers outside the stages. Each
 * worker counts for itself; a label distinguishes the workers.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { DURATIONS } from "@/core/storage/request_log.ts";
import type { Exchange } from "@/core/exchange.ts";
import { respondText } from "@/core/respond/respond.ts";
import type { Service } from "@/core/service.ts";

/** The label of this worker. */
const WORKER = randomBytes(4).toString("hex");

/** The handler of each path. */
export const PROBES: Readonly<Record<string, (exchange: Exchange) => Response>> = {
  "/healthz": () => respondText("ok\n"),
  "/readyz": showReadiness,
  "/metrics": showMetrics,
};

/** The reasons have names of databases and words of engines: they are for this machine only. */
function showReadiness(exchange: Exchange): Response {
  const { service } = exchange;
  const ready = isReady(service);
  const reasons = isFromHere(exchange) ? reasonsOf(service) : [];
  return respondText([ready ? "ready" : "not ready", ...reasons, ""].join("\n"), ready ? 200 : 503);
}

/** One line for each database that is wanted and disconnected, or that fails. */
function reasonsOf({ databases }: Service): readonly string[] {
  return [...databases.values()].flatMap(({ definition: { id, autoconnect }, status, reason }) => {
    if (status === "Connected" ? reason === undefined : !autoconnect) return [];
    return [`${id}: ${status === "Connected" ? reason : `disconnected: ${reason ?? "not asked for"}`}`];
  });
}

function isFromHere({ client: { address }, headers, service: { origin } }: Exchange): boolean {
  return isLocal(address, headers, origin);
}

/** Metrics contain names of databases: they are for this machine only, unless configured otherwise. */
function showMetrics(exchange: Exchange): Response {
  const { service } = exchange;
  return service.settings["metrics.public"] || isFromHere(exchange)
    ? respondText(metricsText(service))
    : respondText("Only from this machine, or with metrics.public\n", 403);
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  /** The suffix of the metric's name: `_bucket`. */
  readonly suffix?: string;
  readonly value: number;
}

/** All metrics. */
function metricsText(service: Service): string {
  const { requests, files, databases } = service;
  const total = [...requests.counts.values()].reduce((sum, count) => sum + count, 0);
  return [
    metric("rowhouse_info", "gauge", "The version that runs.", [{
      labels: { version: service.version },
      value: 1,
    }]),
    metric(
      "rowhouse_requests_total",
      "counter",
      "Answered requests by status.",
      [...requests.counts].map(([status, value]) => ({ labels: { status: `${status}` }, value })),
    ),
    metric("rowhouse_requests_running", "gauge", "Requests that are being answered.", [{
      value: requests.running.length,
    }]),
    metric("rowhouse_request_seconds", "histogram", "Time until the answer began.", [
      ...buckets(requests.durations),
      { suffix: "_sum", value: requests.seconds },
      { suffix: "_count", value: total },
    ]),
    metric(
      "rowhouse_database_connected",
      "gauge",
      "1 for a database that is connected, 0 for one that is not.",
      [...databases].map(([database, { status }]) => ({
        labels: { database },
        value: status === "Connected" ? 1 : 0,
      })),
    ),
    metric(
      "rowhouse_database_faults_total",
      "counter",
      "Requests that failed because of the disk, of missing descriptors (storage) or of a damaged file (corrupt).",
      [...databases].flatMap(([database, { faults }]) =>
        Object.entries(faults.counts).map(([fault, value]) => ({ labels: { database, fault }, value }))
      ),
    ),
    metric("rowhouse_users", "gauge", "Configured users.", [{ value: service.configuration.users.size }]),
    metric("rowhouse_configuration_reloads_total", "counter", "Changes of the configuration put in force.", [{
      value: files.reloads,
    }]),
    metric("rowhouse_configuration_complaints", "gauge", "What is wrong with the configuration files now.", [{
      value: files.complaints.length,
    }]),
    metric("rowhouse_memory_bytes", "gauge", "Memory of the process.", [{ value: Deno.memoryUsage().rss }]),
  ].join("");
}

/** Each bucket counts the durations up to its bound. */
function buckets(durations: readonly number[]): readonly Sample[] {
  let sum = 0;
  return durations.map((count, position) => {
    sum += count;
    const bound = DURATIONS[position];
    return { suffix: "_bucket", labels: { le: bound === undefined ? "+Inf" : `${bound}` }, value: sum };
  });
}

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ suffix = "", labels = {}, value }) => {
    const all = Object.entries({ ...labels, worker: WORKER }).map(([key, text]) =>
      `${key}=${JSON.stringify(text)}`
    );
    return `${name}${suffix}{${all.join()}} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/**
 * Whether requests can be served: the service is not about to stop, and a database is connected, or none is configured to
 * connect.
 */
function isReady({ databases, stopping }: Service): boolean {
  if (stopping.aborted) return false;
  const wanted = [...databases.values()].filter(({ definition }) => definition.autoconnect);
  return wanted.length === 0 || wanted.some(({ status }) => status === "Connected");
}

/** Headers that only proxies send. */
const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-real-ip"];

/**
 * Whether a request comes from this machine, and not through a proxy on it. Many proxies add no header, so a request
 * counts as local only if its `Host` and `--base-url` name this machine.
 */
export function isLocal(address: string, headers: Headers, origin: string | undefined): boolean {
  if (FORWARDING.some((name) => headers.has(name)) || !isLoopback(address)) return false;
  return [`http://${headers.get("host") ?? ""}`, ...(origin === undefined ? [] : [origin])].every((url) => {
    const name = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "");
    return name === "localhost" || (name !== undefined && isLoopback(name));
  });
}

function isLoopback(address: string): boolean {
  return isIP(address) === 4 ? address.startsWith("127.") : /^(::1|0:0:0:0:0:0:0:1)$/.test(address);
}
