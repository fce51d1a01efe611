/**
 * The page of `/reqstatus`.
 *
 * @module
 */

import type { Activity } from "@/core/definitions/request_status.ts";
import type { Json, JsonObject } from "@/core/model.ts";
import type { PageBlock, PageTable, PageView, Tone } from "@/plugins/contract.ts";

/** Seconds after which the activity is shown anew. */
const REFRESH = 5;

/** `/reqstatus`: the running and the last requests, and complaints about the configuration files on top. */
export function activityView(activity: Activity): PageView {
  return {
    title: "Activity",
    lead: "What is going on now and the last requests. This page shows itself anew every few seconds.",
    refresh: REFRESH,
    blocks: [
      ...activity.configuration.complaints.map((text): PageBlock => ({
        kind: "notice",
        tone: "problem",
        text,
      })),
      requestTable([...activity.running, ...activity.recent]),
      ...(activity.refused_logins.length === 0 ? [] : [refusalSection(activity.refused_logins)]),
    ],
  };
}

function requestTable(requests: readonly JsonObject[]): PageTable {
  return {
    kind: "table",
    caption: "Requests",
    narrow: "Narrow by user, status or path",
    columns: [
      { label: "Status" },
      { label: "Method" },
      { label: "Path" },
      { label: "User" },
      { label: "Started (UTC)" },
      { label: "ms", isNumber: true },
    ],
    rows: requests.map(({ status, method, path, query, user, started, milliseconds }) => [
      { text: status === null ? "running" : text(status), tone: toneOf(status) },
      text(method),
      { text: `${text(path)}${query === "" ? "" : `?${text(query)}`}`, isCode: true },
      text(user),
      text(started).replace("T", " "),
      text(milliseconds),
    ]),
    empty: "There has been no request yet.",
  };
}

function text(value: Json | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function toneOf(status: Json | undefined): Tone {
  if (typeof status !== "number") return "warning";
  return status >= 500 ? "problem" : status >= 400 ? "warning" : "plain";
}

function refusalSection(refusals: readonly JsonObject[]): PageBlock {
  return {
    kind: "section",
    id: "refusals",
    title: "Refused single sign-ons",
    blocks: [{
      kind: "table",
      caption: "Refused single sign-ons, the last one first",
      columns: [{ label: "At (UTC)" }, { label: "Address" }, { label: "Reason" }, {
        label: "Told by the provider",
      }],
      rows: refusals.map((
        { at, address, reason, value },
      ) => [text(at), text(address), text(reason), text(value)]),
      empty: "None.",
    }],
  };
}
