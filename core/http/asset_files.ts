/**
 * Serves the files that pages load.
 *
 * @module
 */

import { notFound, quote } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { matchesTag } from "@/core/tables/etag.ts";

/** Seconds of a year. */
const LONGEST_AGE = 31_536_000;

/** Answers GET and HEAD. Throws 404 for a name or hash that this version does not have. */
export function serveAsset(exchange: Exchange, parameters: ReadonlyMap<string, string>): Response {
  const { method, headers, service: { assets } } = exchange;
  const key = `${parameters.get("hash")}/${parameters.get("name")}`;
  const asset = assets.files.get(key);
  if (!asset) throw notFound(`Cannot find file ${quote(key)}: load the page again`);
  const etag = `"${key}"`;
  const facts = {
    "ETag": etag,
    "Cache-Control": `public, max-age=${LONGEST_AGE}, immutable`,
    "Content-Type": asset.contentType,
  };
  const known = headers.get("if-none-match");
  if (known !== null && matchesTag(known, etag)) return new Response(null, { status: 304, headers: facts });
  const body = method === "HEAD" ? undefined : asset.bytes;
  exchange.written = body;
  return new Response(body, { headers: facts });
}
