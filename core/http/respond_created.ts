/**
 * The answer to new records: their paths as text or JSON, or the records themselves.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import { whenThere } from "@/core/base/eventual.ts";
import { executeRead, type Result } from "@/core/tables/execute_read.ts";
import type { WriteResult } from "@/core/tables/execute_write.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { planRequest } from "@/core/resources.ts";
import { type ReadPlan } from "@/core/tables/plan_read.ts";
import { pageOf } from "@/core/respond/page.ts";
import type { InsertPlan } from "@/core/tables/plan_write.ts";
import { match } from "@/core/request/formats.ts";
import { type ApiRequest, parseRequest } from "@/core/request/parse_request.ts";
import type { RequestClient } from "./request_client.ts";
import { type RespondInput, respondRows } from "@/core/respond/respond_rows.ts";

type Created = Extract<WriteResult, { kind: "created" }>;

/** The input of the answer beside the new paths. */
export interface RespondCreatedInput extends RespondInput {
  readonly headers: Headers;
  readonly request: ApiRequest;
  readonly caller: Caller;
  /** The client that waits for the answer. */
  readonly client: RequestClient;
  /** Scheme and host for absolute URLs. */
  readonly origin: string;
}

/** Above this number of new records the answer has their paths, whatever the client prefers. */
const MOST_SHOWN = 1000;

/** 201; one record has its URL in `Location`. */
export async function respondCreated(
  { place, table }: InsertPlan,
  { paths: found, isList }: Created,
  input: RespondCreatedInput,
): Promise<Response> {
  const paths = found.map((path) => path ?? `${place.databasePath}/${table.segment}`);
  const records = wantsRecords(input) && !found.includes(null)
    ? await showRecords(paths, isList, input)
    : undefined;
  const response = records ?? showPaths(paths, input);
  const [only] = found;
  if (!isList && typeof only === "string") response.headers.set("Location", `${input.origin}${only}.json`);
  return response;
}

function wantsRecords({ headers }: RespondCreatedInput): boolean {
  return /(?:^|,)\s*return\s*=\s*"?representation"?\s*(?:[,;]|$)/i.test(headers.get("prefer") ?? "");
}

/** One path per line; a JSON list for a client that prefers JSON to HTML. */
function showPaths(paths: readonly string[], { headers, service }: RespondCreatedInput): Response {
  const { formats, encoder } = service;
  const json = formats.get("json");
  const asLines = { contentType: "text/html" };
  const offers = json ? [asLines, json] : [asLines];
  if (json && match(headers.get("accept") ?? "*/*", offers, asLines) === json) {
    const body = encoder.encode(JSON.stringify(paths), json.format.escape);
    return new Response(body, { status: 201, headers: [["Content-Type", service.contentTypeOf(json)]] });
  }
  return new Response(encoder.encode(paths.join("\n"), undefined), {
    status: 201,
    headers: [["Content-Type", `text/html; charset=${encoder.charset}`]],
  });
}

/** Undefined if the records cannot be shown: they exist by then, so this is not a failure. */
async function showRecords(
  paths: readonly string[],
  isList: boolean,
  input: RespondCreatedInput,
): Promise<Response | undefined> {
  if (paths.length > MOST_SHOWN) return undefined;
  try {
    const { compiled, rows } = await readRecords(paths, isList, input);
    const result: Result = { kind: "rows", rows };
    const { request, caller, service } = input;
    const shown = await respondRows(compiled, result, {
      ...input,
      head: false,
      ifNoneMatch: null,
      page: () => pageOf(request, caller, service),
    });
    const response = new Response(shown.body, { status: 201, headers: shown.headers });
    if (isList) response.headers.delete("ETag"); // a tag is for one record
    response.headers.set("Preference-Applied", "return=representation");
    return response;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Reads the records like GET of each path, in the order of the paths. */
async function readRecords(
  paths: readonly string[],
  isList: boolean,
  { request, caller, service, headers, client }: RespondCreatedInput,
) {
  const query = isList ? "?wantarray" : "";
  const plans = paths.map((path): ReadPlan => {
    const read = parseRequest("GET", `${path}.${request.format.name}${query}`, headers, service);
    const plan = planRequest(read, caller, { service, headers });
    if (plan instanceof Promise || plan.kind !== "read") throw new TypeError(`"${path}" is no record`);
    return plan;
  });
  const [first] = plans;
  if (!first) throw new TypeError("There are no new records");
  const rows = [];
  for (const plan of plans) {
    const result = await whenThere(executeRead(plan, client), (read) => read);
    if (result.kind === "rows") rows.push(...result.rows);
  }
  return { compiled: first.compiled, rows };
}
