/**
 * The metrics of one worker.
 *
 * @module
 */

import { COSTLY } from "@/core/base/cooperative.ts";
import { METERS } from "@/core/base/meters.ts";
import { CUT_OFF } from "@/core/base/tally.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { STATUS } from "@/core/errors.ts";
import type { Service } from "@/core/service.ts";
import { LEVELS } from "@/core/storage/log.ts";
import { DURATIONS, type Durations } from "@/core/storage/request_log.ts";
import { openFiles } from "./connection_limit.ts";
import type { Metric, Sample } from "./metrics.ts";

/** One number, or one for each set of labels. */
type Values = number | readonly Sample[];

function samplesOf(values: Values): readonly Sample[] {
  return typeof values === "number" ? [{ value: values }] : values;
}

const counter = metricOf("counter");
const gauge = metricOf("gauge");

function metricOf(type: Metric["type"]) {
  return (name: string, help: string, values: Values, merge?: Metric["merge"]): Metric => {
    return { name, type, help, samples: samplesOf(values), ...(merge && { merge }) };
  };
}

/** All metrics. */
export function measure(service: Service): readonly Metric[] {
  return [...ofService(service), ...ofRequests(service), ...ofDatabases(service), ...ofProcess(service)];
}

/** Whether parts of the service are down: shared caches of a worker, the state directory of the process. */
export function partsDown(parts: readonly (readonly [part: string, isDown: boolean])[]): Metric {
  return gauge(
    "rowhouse_part_down",
    "0 for a part of the service that works, such as a shared cache or the state directory, else 1.",
    parts.map(([part, isDown]) => ({ labels: { part }, value: isDown ? 1 : 0 })),
    "max",
  );
}

function ofService({ version, configuration, files }: Service): readonly Metric[] {
  return [
    gauge("rowhouse_info", "The version that runs.", [{ labels: { version }, value: 1 }], "max"),
    gauge("rowhouse_users", "Configured users.", configuration.users.size, "max"),
    counter(
      "rowhouse_configuration_reloads_total",
      "Changes of the configuration in force in every worker.",
      files.reloads,
      "min",
    ),
    gauge(
      "rowhouse_configuration_complaints",
      "Mistakes in the present configuration files.",
      files.complaints.length,
      "max",
    ),
  ];
}

function ofRequests({ requests, answerMemory, bodyMemory }: Service): readonly Metric[] {
  return [
    {
      ...counter(
        "rowhouse_requests_total",
        "Answered requests.",
        [...requests.counts.values()].map(({ labels, value }) => ({ labels, value })),
      ),
      open: ["route", "method", "status", "format"],
    },
    {
      name: "rowhouse_request_seconds",
      type: "histogram",
      help: "Time until the answer began.",
      samples: [...requests.durations].flatMap(([route, durations]) => buckets(route, durations)),
      open: ["route"],
    },
    gauge("rowhouse_requests_running", "Requests that are being answered.", requests.running.length),
    gauge("rowhouse_requests_waiting", "Costly answers that wait for their turn.", COSTLY.waiting),
    counter(
      "rowhouse_refusals_total",
      "Requests refused with a reason, such as too-many-requests for throttled logins.",
      counted("rowhouse_refusals_total", "reason", Object.keys(STATUS)),
    ),
    counter(
      "rowhouse_cut_off_total",
      "Connections above the limit (connection), listeners that closed idle connections because of it (listener), " +
        "clients that did not take their answer (reader), answers and bodies without memory (answer, body).",
      counted("rowhouse_cut_off_total", "what", CUT_OFF),
    ),
    gauge("rowhouse_held_bytes", "Memory of answers that clients have not taken, and of bodies.", [
      { labels: { kind: "answers" }, value: answerMemory.total },
      { labels: { kind: "bodies" }, value: bodyMemory.total },
    ]),
  ];
}

function ofDatabases({ databases }: Service): readonly Metric[] {
  const each = (valuesOf: (managed: ManagedDatabase) => Values) =>
    [...databases].flatMap(([database, managed]) =>
      samplesOf(valuesOf(managed)).map((sample) => ({ ...sample, labels: { database, ...sample.labels } }))
    );
  const connections = ({ usage }: ManagedDatabase) => {
    if (!usage) return [];
    const states = { busy: usage.open - usage.idle, idle: usage.idle, waiting: usage.waiting };
    return Object.entries(states).map(([state, value]) => ({ labels: { state }, value }));
  };
  const metrics: readonly Metric[] = [
    gauge(
      "rowhouse_database_connected",
      "1 for a database that is connected in all workers, 0 for one that should be.",
      // A database that was never requested has no value, so it raises no alert.
      each(({ state }) => state === "disconnected" ? [] : state === "connected" ? 1 : 0),
      "min",
    ),
    counter(
      "rowhouse_database_faults_total",
      "Requests that failed because of the disk or missing descriptors (storage), of a damaged file (corrupt), or of " +
        "connections that were lost or all in use (unavailable).",
      each(({ faults }) =>
        Object.entries(faults.counts).map(([fault, value]) => ({ labels: { fault }, value }))
      ),
    ),
    counter("rowhouse_statements_total", "Finished statements.", each(({ meter }) => meter.count)),
    counter(
      "rowhouse_statement_seconds_total",
      "Time of finished statements, of streams until the first rows; the wait for a connection counts.",
      each(({ meter }) => meter.seconds),
    ),
    gauge(
      "rowhouse_streams",
      "Answers that are read while they are sent.",
      each(({ meter }) => meter.streams),
    ),
    gauge(
      "rowhouse_connections",
      "Connections to a database, or workers of SQLite; waiting: callers that have none.",
      each(connections),
    ),
    counter(
      "rowhouse_process_ends_total",
      "Processes of a database, such as those of SQLite, that ended by themselves and were replaced.",
      each(({ usage }) => usage?.ends ?? []),
    ),
    gauge(
      "rowhouse_wal_bytes",
      "Write-ahead log of an SQLite file.",
      each(({ usage }) => usage?.walBytes ?? []),
      "max",
    ),
  ];
  return metrics.map((metric) => ({ ...metric, open: ["database"] }));
}

function ofProcess({ group, loopDelay }: Service): readonly Metric[] {
  return [
    gauge(
      "rowhouse_event_loop_delay_seconds",
      "Longest wait of an event in the last minute.",
      loopDelay.seconds,
      "max",
    ),
    gauge("rowhouse_memory_bytes", "Memory of the process.", Deno.memoryUsage().rss, "max"),
    gauge("rowhouse_descriptors", "Lowest free descriptor: at least so many are in use.", openFiles(), "max"),
    gauge("rowhouse_workers_silent", "Workers without a sign of life for ten seconds.", group.silent, "max"),
    counter(
      "rowhouse_worker_restarts_total",
      "Worker threads that took the place of others.",
      group.restarts,
      "max",
    ),
    partsDown([...METERS.parts].map(([part, reason]) => [part, reason !== undefined])),
    counter(
      "rowhouse_log_lines_total",
      "Lines of the log.",
      counted("rowhouse_log_lines_total", "level", LEVELS),
    ),
    counter(
      "rowhouse_log_failures_total",
      "Lines that could not be written into a file, and went to standard error.",
      METERS.counts("rowhouse_log_failures_total").get("") ?? 0,
    ),
  ];
}

/** All kinds from the start: Prometheus does not take the first sight of a series for an increase. */
function counted(name: string, label: string, kinds: readonly string[]): readonly Sample[] {
  const counts = METERS.counts(name);
  return kinds.map((kind) => ({ labels: { [label]: kind }, value: counts.get(kind) ?? 0 }));
}

/** Each bucket counts the durations up to its bound. */
function buckets(route: string, { counts, seconds }: Durations): readonly Sample[] {
  let sum = 0;
  const samples = counts.map((count, position): Sample => {
    sum += count;
    const bound = DURATIONS[position];
    return {
      suffix: "_bucket",
      labels: { route, le: bound === undefined ? "+Inf" : `${bound}` },
      value: sum,
    };
  });
  return [
    ...samples,
    { suffix: "_sum", labels: { route }, value: seconds },
    { suffix: "_count", labels: { route }, value: sum },
  ];
}
