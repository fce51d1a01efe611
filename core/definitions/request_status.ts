/**
 * `/reqstatus`: the running requests and the last answered ones. For `admin` only.
 *
 * @module
 */

import { TEXT } from "@/core/documents/document_schemas.ts";
import { anyColumn, cellOf, describe, type Described } from "@/core/documents/documents.ts";
import type { Json, JsonObject } from "@/core/model.ts";
import { PARAMETERS } from "@/core/request/parameter_table.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { type LoggedRequest, type RefusedLogin, REMEMBERED } from "@/core/storage/request_log.ts";

const COLUMNS = ["state", "method", "path", "query", "user", "status", "started", "milliseconds"] as const;
const OPTIONAL = { type: ["string", "null"] } as const;
const REQUEST = {
  type: "object",
  required: COLUMNS,
  properties: {
    state: { ...TEXT, enum: ["running", "done"] },
    method: TEXT,
    path: TEXT,
    query: { ...TEXT, description: "Without what may be a credential." },
    user: OPTIONAL,
    status: { type: ["integer", "null"] },
    started: TEXT,
    milliseconds: { type: "number", description: "Until the answer began." },
  },
} as const;
const REFUSED_LOGIN = {
  type: "object",
  required: ["at", "address", "request_id", "reason", "value"],
  properties: {
    at: TEXT,
    address: TEXT,
    request_id: TEXT,
    reason: TEXT,
    value: {
      ...TEXT,
      description: "The value by which an identity provider named somebody, if not exactly one user has it.",
    },
  },
} as const;
/** The schema of `/reqstatus`. */
export const REQUESTS: JsonObject = {
  title: "request",
  type: "object",
  required: ["running", "recent", "refused_logins", "configuration"],
  properties: {
    running: { type: "array", items: REQUEST },
    recent: { type: "array", items: REQUEST, description: "The last one first." },
    refused_logins: { type: "array", items: REFUSED_LOGIN, description: "The last one first." },
    configuration: {
      type: "object",
      required: ["complaints", "reloads"],
      properties: {
        complaints: { type: "array", items: TEXT, description: "What is wrong with the files now." },
        reloads: { type: "integer", description: "How often a change was put in force." },
      },
    },
  },
};

type Shown = Readonly<Record<string, Json>>;

/** The requests of a worker or of all of them; it is copied between threads. */
export interface Activity {
  /** The oldest first. */
  readonly running: readonly Shown[];
  /** The last one first. */
  readonly recent: readonly Shown[];
  /** The last one first. */
  readonly refused_logins: readonly Shown[];
  readonly configuration: { readonly complaints: readonly string[]; readonly reloads: number };
}

/** The question of {@link WorkerGroup.ask} for the requests of a worker. */
export const ACTIVITY = "activity";

/** The requests of this worker. Times in milliseconds; queries without possible credentials. */
export function activityOf(service: Service): Activity {
  const { running, recent, refusals } = service.requests;
  const { complaints, reloads } = service.files;
  return {
    running: running.map((request) => show(request, "running", service)),
    recent: recent.map((request) => show(request, "done", service)),
    refused_logins: refusals.map(showRefusal),
    configuration: { complaints, reloads },
  };
}

/** The requests of all workers that answer. */
export async function wholeActivity({ group }: Service): Promise<Activity> {
  const parts = (await group.ask(ACTIVITY)).filter(({ isPresent }) => isPresent);
  const all = parts.map(({ value }) => value as Activity);
  const [only] = all;
  if (only && all.length === 1) return only;
  const latestFirst = (name: string) => (one: Shown, other: Shown) =>
    String(other[name]).localeCompare(String(one[name]));
  return {
    running: all.flatMap(({ running }) => running).toSorted(latestFirst("started")).toReversed(),
    recent: all.flatMap(({ recent }) => recent).toSorted(latestFirst("started")).slice(0, REMEMBERED),
    refused_logins: all.flatMap((each) => each.refused_logins).toSorted(latestFirst("at")),
    configuration: {
      complaints: [...new Set(all.flatMap(({ configuration }) => configuration.complaints))],
      reloads: Math.min(...all.map(({ configuration }) => configuration.reloads)),
    },
  };
}

/** The document of `/reqstatus`. */
export function requestsDocument(activity: Activity): Described {
  return describe({ name: "request", schema: REQUESTS, columns: COLUMNS.map(anyColumn) }, {
    tree: { ...activity },
    rows: [...activity.running, ...activity.recent].map((record) =>
      COLUMNS.map((name) => cellOf(record[name] ?? null))
    ),
  });
}

function show(request: LoggedRequest, state: string, { prefix }: Service): Shown {
  const { path, query } = splitTarget(request.target, prefix);
  const milliseconds = request.milliseconds ?? performance.now() - request.began;
  return {
    state,
    method: request.method,
    path,
    query: knownPairs(query),
    user: request.user ?? null,
    status: request.status ?? null,
    started: new Date(performance.timeOrigin + request.began).toISOString().slice(0, -1),
    milliseconds: Math.round(milliseconds * 10) / 10,
  };
}

function showRefusal({ at, address, requestId, reason, value }: RefusedLogin): Shown {
  return { at: new Date(at).toISOString().slice(0, -1), address, request_id: requestId, reason, value };
}

/** A target as it may be shown: its path, and parameters that cannot be credentials. */
export function shownTarget(target: string, prefix: string): string {
  const { path, query } = splitTarget(target, prefix);
  const known = knownPairs(query);
  return known === "" ? path : `${path}?${known}`;
}

/** Only parameters of the API: any other may be a credential, perhaps with a mistyped name. */
function knownPairs(query: string): string {
  return query.split("&").filter((pair) => PARAMETERS.has(pair.split("=", 1)[0] ?? "")).join("&");
}
