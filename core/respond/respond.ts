/**
 * Stage 5: converts an outcome to a response. The only stage that calls a format's writer.
 *
 * @module
 */

import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Admitted, Exchange } from "@/core/exchange.ts";
import type { CreatedRecords, Outcome } from "@/core/execute.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { SchemaPlan, ViewPlan } from "@/core/plan.ts";
import { titleOf } from "@/core/request/formats.ts";
import { writeOptions } from "@/core/tables/compile_read.ts";
import type { ShownRows } from "@/core/tables/execute_read.ts";
import type { Chunk, PageBlock } from "@/plugins/contract.ts";
import { pageOf } from "./page.ts";
import { respondChunk, respondShared } from "./respond_chunk.ts";
import { warningText } from "./respond_problem.ts";
import { respondRows } from "./respond_rows.ts";

/** Each kind of outcome has one kind of answer. */
export function respond(outcome: Outcome, admitted: Admitted): Eventual<Response> {
  const { request, caller, exchange } = admitted;
  switch (outcome.kind) {
    case "redirect":
      return new Response(null, { status: outcome.status, headers: { Location: outcome.location } });
    case "options":
      return new Response(null, { status: 204, headers: { Allow: outcome.allow } });
    case "text":
      exchange.written = outcome.text;
      return respondText(outcome.text);
    case "bytes":
      return respondShared(outcome.bytes, outcome.contentType, exchange);
    case "document": {
      const { format } = request;
      const options = writeOptions(request, exchange.service, false);
      const chunk = format.format.document(outcome.document, options, pageOf(admitted));
      return whenThere(chunk, (written) => respondChunk(written, format, exchange));
    }
    case "view":
      return respondView(outcome, admitted);
    case "schema": {
      const { format, options: { contentType } } = outcome;
      const typed = { ...format, contentType };
      return whenThere(writeSchema(outcome), (written) => respondChunk(written, typed, exchange));
    }
    case "rows": {
      const { shown } = outcome;
      const rows = shown?.run ? { ...outcome, shown: { ...shown, ...formToken(caller, exchange) } } : outcome;
      if (!exchange.effect) return respondRows(rows, admitted);
      return attempt(() => respondRows(rows, admitted), (error) => respondUnshown(error, exchange));
    }
    case "records":
      return respondCreated(outcome, admitted);
    case "done":
      return new Response(null, { status: 204, headers: warningHeader(outcome.warning) });
    case "created":
      return respondUrl(`${exchange.origin}${outcome.path}`, outcome.warning, exchange);
    default:
      return outcome satisfies never;
  }
}

function respondView({ view, crumbs, refusal }: ViewPlan, admitted: Admitted): Eventual<Response> {
  const { request, caller, exchange } = admitted;
  const { format } = request;
  const options = writeOptions(request, exchange.service, false);
  const page = {
    ...pageOf(admitted),
    ...(crumbs ? { crumbs } : {}),
    ...(view.blocks.some(sendsForm) ? formToken(caller, exchange) : {}),
  };
  const chunk = format.format.view?.(view, options, page);
  if (chunk === undefined) throw new TypeError(`The ${titleOf(format)} gave nothing in view()`);
  return whenThere(chunk, (written) => {
    const response = respondChunk(written, format, exchange);
    if (refusal === undefined) return response;
    response.headers.set("Warning", warningText(refusal.message));
    return new Response(response.body, { status: refusal.status, headers: response.headers });
  });
}

const UNSHOWN =
  "The query has been run, but its rows cannot be shown: they are too large, or too many answers wait for clients";

/** The changes of the query are stored: its caller must not take this for a refusal, and run it again. */
function respondUnshown(error: unknown, { signal }: Exchange): Response {
  if (error instanceof ServiceError || signal.aborted) {
    return new Response(null, { status: 204, headers: warningHeader(UNSHOWN) });
  }
  throw error;
}

/** The token of forms for a browser without a session: other sites must not make it send one. */
function formToken({ session }: Caller, exchange: Exchange): { readonly csrfToken?: string } {
  if (session) return {};
  const { token, cookies } = exchange.service.formTokens.issue(exchange);
  exchange.cookies.push(...cookies);
  return { csrfToken: token };
}

function sendsForm(block: PageBlock): boolean {
  return block.kind === "section"
    ? block.blocks.some(sendsForm)
    : block.kind === "form" && block.method !== "get";
}

/** Planning has chosen a format that has the function. */
function writeSchema({ format: named, described, options }: SchemaPlan): Eventual<Chunk> {
  const { format } = named;
  const chunk = described.by === "schema"
    ? format.schema?.(described.shape, options)
    // All formats share it, and OpenAPI: a format may change its copy.
    : format.documentSchema?.(structuredClone(described.shape), options);
  if (chunk === undefined) throw new TypeError(`The ${titleOf(named)} gave nothing in ${described.by}()`);
  return chunk;
}

/** A text that no format writes. */
export function respondText(text: string, status = 200, contentType = "text/plain; charset=utf-8"): Response {
  return new Response(text, { status, headers: { "Content-Type": contentType } });
}

/** 201 with the URL of a new definition in `Location` and in the body. */
function respondUrl(url: string, warning: string | undefined, { service: { encoder } }: Exchange): Response {
  const headers = {
    "Content-Type": `text/html; charset=${encoder.charset}`,
    Location: url,
    ...warningHeader(warning),
  };
  return new Response(encoder.encode(url, undefined), { status: 201, headers });
}

function warningHeader(warning: string | undefined): Readonly<Record<string, string>> {
  return warning === undefined ? {} : { Warning: warningText(warning) };
}

/** 201; one record has its URL in `Location`. */
function respondCreated({ paths, only, shown }: CreatedRecords, admitted: Admitted): Eventual<Response> {
  const { exchange } = admitted;
  const answer = shown
    ? attempt(() => showRecords(shown, only === undefined, admitted), (error) => {
      // The records exist, so missing memory for showing them is not a failure.
      if (error instanceof ServiceError) return showPaths(paths, exchange);
      throw error;
    })
    : showPaths(paths, exchange);
  return whenThere(answer, (response) => {
    if (only !== undefined) response.headers.set("Location", `${exchange.origin}${only}.json`);
    return response;
  });
}

/** One path per line, as the specification says: whatever `Accept` has, clients split this text. */
function showPaths(paths: readonly string[], exchange: Exchange): Response {
  const { encoder } = exchange.service;
  const body = exchange.written = encoder.encode(paths.join("\n"), undefined);
  return new Response(body, {
    status: 201,
    headers: [["Content-Type", `text/html; charset=${encoder.charset}`]],
  });
}

function showRecords(shown: ShownRows, isList: boolean, admitted: Admitted): Eventual<Response> {
  return whenThere(respondRows(shown, admitted), ({ body, headers }) => {
    const response = new Response(body, { status: 201, headers });
    // A tag is for one record.
    if (isList) response.headers.delete("ETag");
    response.headers.set("Preference-Applied", "return=representation");
    return response;
  });
}
