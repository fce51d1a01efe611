/**
 * The answer to new records: their paths, or the records themselves.
 *
 * @module
 */

import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Admitted, Exchange } from "@/core/exchange.ts";
import type { CreatedRecords } from "@/core/execute.ts";
import type { ShownRows } from "@/core/tables/execute_read.ts";
import { respondRows } from "./respond_rows.ts";

/** 201; one record has its URL in `Location`. */
export function respondCreated(
  { paths, only, shown }: CreatedRecords,
  admitted: Admitted,
): Eventual<Response> {
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
