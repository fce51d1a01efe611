/**
 * The bytes of one value: `GET /ui/raw/{path of the value}`, for downloads and previews. Nothing in them
 * runs: the policy is that of an empty sandbox.
 *
 * @module
 */

import { badRequest, notFound, type ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { READING, refuseMethod } from "@/core/tables/allowed_methods.ts";
import { respondWhole } from "@/core/respond/respond_chunk.ts";
import { readRows } from "@/core/tables/execute_read.ts";
import type { Cell } from "@/plugins/contract.ts";
import { innerRequest } from "./inner_request.ts";
import { planOnly } from "../serve.ts";

/** The first bytes of pictures that browsers decode without running anything. */
const PICTURES: readonly (readonly [start: RegExp, contentType: string])[] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[^]{4}WEBP/, "image/webp"],
];

/**
 * Reads the value with the rights of a program. Throws 400 for a path that leads to no single value, before
 * anything is read: a whole list could take all memory. Only values of tables are sent: a saved query may
 * change data, which would not be in the audit log.
 */
export async function serveRaw(exchange: Exchange, path: string): Promise<Response> {
  const { service, method } = exchange;
  if (method !== "GET" && method !== "HEAD") throw refuseMethod(method, READING);
  if (!path.startsWith("/db/")) throw notFound("Cannot find this: only values of tables can be downloaded");
  const inner = innerRequest(exchange, { method: "GET", target: `${service.prefix}${path}.json` });
  const plan = await planOnly(inner);
  exchange.caller = inner.caller;
  if (plan.kind !== "read" || plan.compiled.shape.form !== "value") throw noValue();
  const [row = []] = await readRows(plan, inner);
  const bytes = bytesOf(row[0]);
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const picture = PICTURES.find(([pattern]) => pattern.test(start))?.[1];
  const headers: [string, string][] = [
    ["Content-Type", picture ?? "application/octet-stream"],
    ["Content-Disposition", picture ? "inline" : "attachment"],
    ["Content-Security-Policy", "default-src 'none'; sandbox"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
  ];
  return method === "HEAD" ? new Response(null, { headers }) : respondWhole(bytes, { headers }, exchange);
}

function bytesOf(value: Cell | undefined): Uint8Array<ArrayBuffer> {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (typeof value === "string") return new TextEncoder().encode(value);
  throw noValue();
}

function noValue(): ServiceError {
  return badRequest("Cannot download this: it is not one value with bytes or text");
}
