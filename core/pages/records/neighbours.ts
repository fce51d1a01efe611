/**
 * The way from a record to the next one of the list that its reader came from. The list's links tell a
 * record's page the list as its reader has seen it (`ui.in`), and the row (`ui.at`). "Next" asks the list for
 * another row (`ui.open`), which leads to the page of its record: that behind the one that the reader leaves
 * (`ui.behind`), which may have left the list since, by a change that the reader has made.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { changeQuery } from "@/core/request/change_query.ts";
import { decodeName } from "@/core/request/parameter_values.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { PageRecord } from "@/plugins/contract.ts";
import { listInQuery } from "./place.ts";
import { plainRead } from "./plain_read.ts";

/** A row of a list, whose record's page is shown. */
export interface OpenPlan {
  readonly kind: "open";
  /** The row, and the one before it if that may be the record that the reader leaves. */
  readonly rows: ReadPlan;
  /** The path of that record, without its percent-encoding, which proxies change. */
  readonly behind?: string;
  /** The list, before the number of the row, for the record's page. */
  readonly place: string;
  /** The list, where no record is in the row. */
  readonly list: string;
}

/** The end of links to records of a list, before the number of the row. */
export function placeInList(
  segments: readonly string[],
  { request: { query }, service: { credentialNames } }: DataRequest,
): string {
  const kept = changeQuery(query, {}, credentialNames);
  return `?${listInQuery(segments.join("/") + kept)}`;
}

/**
 * The author of a link to a record must not choose another page behind "next", which may change something,
 * nor make the reader somebody else by an API key in it.
 */
const LEAVING = /#|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** Links to the list that the reader came from, and to the records before and after in it. */
export function neighboursOf(
  { request: { query, segments, path: own }, service: { prefix, credentialNames } }: DataRequest,
): Pick<PageRecord, "previous" | "next" | "list"> {
  const ui = uiValues(query);
  const row = Number(ui.get("at")?.[0]);
  const [list] = ui.get("in") ?? [];
  if (list === undefined || !Number.isSafeInteger(row) || row < 0) return {};
  const [, path = "", kept = ""] = /^([^?]*)\??(.*)$/s.exec(list) ?? [];
  if (LEAVING.test(path)) return {};
  const page = `${prefix}/db/${segments[0] ?? ""}/${path}.html`;
  const to = (changes: Readonly<Record<string, string>>) => {
    return encodeUrl(page + changeQuery(kept, changes, credentialNames));
  };
  return {
    ...(row > 0 ? { previous: to({ "ui.open": `${row - 1}` }) } : {}),
    next: to({ "ui.open": `${row + 1}`, "ui.behind": decodeName(prefix + own) }),
    list: to({}),
  };
}

/** Plans the step to a row of a list; `columns` are those that the list shows. */
export function planOpen(
  segments: readonly string[],
  columns: readonly string[],
  input: DataRequest,
): OpenPlan {
  const { request: { parameters, query, path }, service: { prefix, credentialNames } } = input;
  const { sort, distinct } = parameters;
  const ui = uiValues(query);
  const row = Number(ui.get("open")?.[0]);
  const wanted = Number.isSafeInteger(row) && row > 0 ? row : 0;
  const behind = wanted > 0 ? ui.get("behind")?.[0] : undefined;
  const [limit, offset] = behind === undefined ? [1, wanted] : [2, wanted - 1];
  return {
    kind: "open",
    // Neither counted nor with related records, as the list may be.
    rows: plainRead(segments, input, { ...defined({ sort, distinct }), limit, offset }),
    ...defined({ behind }),
    place: placeInList([...segments, ...columns], input),
    list: `${prefix}${path}.html${changeQuery(query, { "ui.done": "end" }, credentialNames)}`,
  };
}
