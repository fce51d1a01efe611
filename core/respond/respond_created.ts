/**
 * The answer to new records: their paths as text or JSON, or the records themselves.
 *
 * @module
 */

import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { CreatedRecords } from "@/core/execute.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { match, type Negotiated } from "@/core/request/formats.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { ShownRows } from "@/core/tables/execute_read.ts";
import { respondRows } from "./respond_rows.ts";

/** 201; one record has its URL in `Location`. */
export function respondCreated(
  { paths, only, shown }: CreatedRecords,
  request: ApiRequest,
  caller: Caller,
  exchange: Exchange,
): Eventual<Response> {
  const answer = shown
    ? attempt(() => showRecords(shown, only === undefined, request, caller, exchange), (error) => {
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

/** One path per line; a JSON list for a client that prefers JSON to HTML. */
function showPaths(paths: readonly string[], exchange: Exchange): Response {
  const { headers, service } = exchange;
  const { formats, encoder } = service;
  const json = formats.get("json");
  if (json && prefersJson(headers.get("accept"), json)) {
    const body = exchange.written = encoder.encode(JSON.stringify(paths), json.format.escape);
    return new Response(body, { status: 201, headers: [["Content-Type", service.contentTypeOf(json)]] });
  }
  const body = exchange.written = encoder.encode(paths.join("\n"), undefined);
  return new Response(body, {
    status: 201,
    headers: [["Content-Type", `text/html; charset=${encoder.charset}`]],
  });
}

/** Most programs accept anything: then the paths are lines. */
function prefersJson(accept: string | null, json: Negotiated): boolean {
  if (accept === null || accept === "*/*") return false;
  const asLines = { contentType: "text/html" };
  return match(accept, [asLines, json], asLines) === json;
}

function showRecords(
  shown: ShownRows,
  isList: boolean,
  request: ApiRequest,
  caller: Caller,
  exchange: Exchange,
): Eventual<Response> {
  return whenThere(respondRows(shown, request, caller, exchange), ({ body, headers }) => {
    const response = new Response(body, { status: 201, headers });
    // A tag is for one record.
    if (isList) response.headers.delete("ETag");
    response.headers.set("Preference-Applied", "return=representation");
    return response;
  });
}
