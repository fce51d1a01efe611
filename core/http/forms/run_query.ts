/**
 * Runs of queries by a form: the answer is the page of the result, its chart, or a file.
 *
 * @module
 */

import { badRequest } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { AS_CHART, AS_SPREADSHEET, SPREADSHEET } from "@/core/pages/queries/run_form.ts";
import { readName } from "@/core/request/path_grammar.ts";
import { pageFormat } from "@/core/respond/page.ts";
import type { Service } from "@/core/service.ts";

/** The answer that a form asks for. */
export interface RunAnswer {
  /** The address below the prefix. */
  readonly target: string;
  /** The name of a file. Absent: the answer is a page. */
  readonly file?: string;
  readonly isHandedOver: true;
}

/** The state of a page that the fields of a form may set. */
const STATE = ["ui.x", "ui.y", "ui.by", "ui.total", "ui.offset"];

/** Throws 400 for a format that has no files. */
export function runAnswer(
  { path, values }: { readonly path: string; readonly values: ReadonlyMap<string, readonly string[]> },
  service: Service,
): RunAnswer {
  const { formats, grammar } = service;
  const as = values.get("ui.as")?.at(-1) ?? "";
  if (as === "" || as === AS_CHART) {
    const state = new URLSearchParams(as === "" ? {} : { "ui.chart": values.get("ui.chart")?.at(-1) ?? "" });
    for (const name of STATE) {
      const value = values.get(name)?.at(-1);
      if (value !== undefined) state.set(name, value);
    }
    const extension = pageFormat(service)?.name;
    const page = extension === undefined ? path : `${path}.${extension}`;
    return { target: `${page}?${state}`, isHandedOver: true };
  }
  const isForSpreadsheets = as.startsWith(AS_SPREADSHEET);
  const extension = isForSpreadsheets ? as.slice(AS_SPREADSHEET.length) : as;
  const format = formats.get(extension)?.format;
  if (!format || format.view || format.schemasOf) {
    throw badRequest("The form asks for a file of no known format");
  }
  const query = isForSpreadsheets ? `?${SPREADSHEET.map((name) => `${name}=true`).join("&")}` : "";
  const { literal } = readName(path.slice(path.lastIndexOf("/") + 1), grammar);
  return { target: `${path}.${extension}${query}`, file: `${literal}.${extension}`, isHandedOver: true };
}

/** The answer of the inner request as that of the form. */
export function handOver(
  response: Response,
  { request, cookies }: Exchange,
  { file }: RunAnswer,
  exchange: Exchange,
): Response {
  exchange.isForm = true;
  exchange.format = request?.format;
  exchange.cookies.push(...cookies);
  const headers = new Headers({ "Content-Type": response.headers.get("content-type") ?? "text/plain" });
  if (file !== undefined) {
    const name = encodeURIComponent(file.toWellFormed()).replace(/['()*]/g, (mark) => ESCAPED[mark] ?? mark);
    headers.set("Content-Disposition", `attachment; filename*=UTF-8''${name}`);
  }
  return new Response(response.body, { status: response.status, headers });
}

/** Characters that a URL may have, and a parameter of a header (RFC 8187, section 3.2.1) may not. */
const ESCAPED: Readonly<Record<string, string>> = { "'": "%27", "(": "%28", ")": "%29", "*": "%2A" };
