/**
 * The page of `/reqstatus`.
 *
 * @module
 */

import type { Activity } from "@/core/definitions/request_status.ts";
import type { Json, JsonObject } from "@/core/model.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import type { Service } from "@/core/service.ts";
import type { PageForm, PageOption, PageTable, PageView, Tone } from "@/plugins/contract.ts";
import { notice, optionsOf, section, select, table } from "./blocks.ts";

/** Seconds after which the activity is shown anew. */
const REFRESH = 5;

/** The requests that the page shows: the values of `ui.user`, `ui.status` and `ui.path`; empty: all. */
type AskedRequests = { readonly [Name in "user" | "status" | "path"]: string };

/** The choices of `ui.status`. */
const STATES: ReadonlyMap<string, (status: Json | undefined) => boolean> = new Map([
  ["running", (status) => typeof status !== "number"],
  ["done", (status) => typeof status === "number" && status < 400],
  ["refused", (status) => typeof status === "number" && status >= 400 && status < 500],
  ["failed", (status) => typeof status === "number" && status >= 500],
]);

const STATE_OPTIONS: readonly PageOption[] = [
  { value: "", label: "any" },
  { value: "running", label: "running" },
  { value: "done", label: "done (below 400)" },
  { value: "refused", label: "refused (4xx)" },
  { value: "failed", label: "failed (5xx)" },
];

/**
 * `/reqstatus`: the running and the last requests that the query string asks for, and complaints
 * about the configuration files on top.
 */
export function activityView(activity: Activity, query: string, { prefix }: Service): PageView {
  const ui = uiValues(query);
  const of = (name: string) => ui.get(name)?.[0] ?? "";
  const asked = { user: of("user"), status: of("status"), path: of("path") };
  const all = [...activity.running, ...activity.recent];
  return {
    title: "Activity",
    lead:
      "Running and recent requests. The page reloads every few seconds. The file audit.log has all changes.",
    refresh: REFRESH,
    blocks: [
      ...activity.configuration.complaints.map((text) => notice("problem", text)),
      choiceForm(all, asked, prefix),
      requestTable(all.filter((request) => isAsked(request, asked))),
      ...(activity.refused_logins.length === 0
        ? []
        : [section("refusals", "Refused single sign-ons", refusalTable(activity.refused_logins))]),
    ],
  };
}

function isAsked({ user, status, path }: JsonObject, asked: AskedRequests): boolean {
  const fits = STATES.get(asked.status);
  return (asked.user === "" || user === asked.user) && (!fits || fits(status)) &&
    text(path).toLowerCase().includes(asked.path.toLowerCase());
}

/** A form, so that the choice stays when the page is shown anew. */
function choiceForm(
  requests: readonly JsonObject[],
  { user, status, path }: AskedRequests,
  prefix: string,
): PageForm {
  const users = new Set([...requests.map((request) => text(request["user"])), user].filter(Boolean));
  return {
    kind: "form",
    method: "get",
    isRow: true,
    action: `${prefix}/reqstatus.html`,
    hidden: {},
    fields: [
      select("ui.user", "User", user, [{ value: "", label: "any" }, ...optionsOf([...users].toSorted())]),
      select("ui.status", "Status", status, STATE_OPTIONS),
      { kind: "field", name: "ui.path", label: "Path contains", input: "text", value: path },
    ],
    buttons: [{ label: "Show" }],
  };
}

function requestTable(requests: readonly JsonObject[]): PageTable {
  const columns = ["Status", "Method", "Path", "User", "Started (UTC)", { label: "ms", isNumber: true }];
  const rows = requests.map(({ status, method, path, query, user, started, milliseconds }) => [
    { text: status === null ? "running" : text(status), tone: toneOf(status) },
    text(method),
    { text: `${text(path)}${query === "" ? "" : `?${text(query)}`}`, isCode: true } as const,
    text(user),
    text(started).replace("T", " "),
    text(milliseconds),
  ]);
  return table("Requests", columns, rows, "No request fits.");
}

function text(value: Json | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function toneOf(status: Json | undefined): Tone {
  if (typeof status !== "number") return "warning";
  return status >= 500 ? "problem" : status >= 400 ? "warning" : "plain";
}

function refusalTable(refusals: readonly JsonObject[]): PageTable {
  return table(
    "Refused single sign-ons, the last one first",
    ["At (UTC)", "Address", "Reason", "Value from the provider"],
    refusals.map(({ at, address, reason, value }) => [at, address, reason, value].map(text)),
  );
}
