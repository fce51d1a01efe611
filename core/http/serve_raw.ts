/**
 * The bytes of one value: `GET /ui/raw/{path of the value}`, for downloads and previews. Nothing in them runs: the policy
 * is that of an empty sandbox.
 *
 * @module
 */

import { badRequest, notFound } from "@/core/errors.ts";
import { Exchange } from "@/core/exchange.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { serve } from "./serve.ts";

/** The first bytes of pictures that browsers decode without running anything. */
const PICTURES: readonly (readonly [start: RegExp, contentType: string])[] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[^]{4}WEBP/, "image/webp"],
];

/**
 * Reads the value as a program would. Throws 400 for a path that leads to no single value, and its errors. Only values of
 * tables are sent: a saved query may change data, which would not be in the audit log.
 */
export async function serveRaw(exchange: Exchange, path: string): Promise<Response> {
  const { raw, client, service, method } = exchange;
  if (method !== "GET" && method !== "HEAD") throw refuseMethod(method, "GET, HEAD");
  if (!path.startsWith("/db/")) throw notFound("Cannot find this: only values of tables can be downloaded");
  const request = new Request(new URL(raw.url).origin, { headers: raw.headers, signal: raw.signal });
  const inner = new Exchange(request, `${service.prefix}${path}.json`, client, service);
  const response = await serve(inner);
  exchange.caller = inner.caller;
  const bytes = bytesOf(await textOf(response));
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const picture = PICTURES.find(([pattern]) => pattern.test(start))?.[1];
  const headers = {
    "Content-Type": picture ?? "application/octet-stream",
    "Content-Disposition": picture ? "inline" : "attachment",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
  };
  return new Response(method === "HEAD" ? null : bytes, { headers });
}

/** The first byte of a text in JSON. */
const QUOTE = 0x22;

/** Reads nothing else than a text to its end: a whole list could take all memory. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of body ?? []) {
    if (chunks.push(chunk) === 1 && chunk[0] !== QUOTE) break;
  }
  const value: unknown = chunks[0]?.[0] === QUOTE ? JSON.parse(await new Blob(chunks).text()) : undefined;
  if (typeof value === "string") return value;
  throw badRequest("Cannot download this: it is not one value with bytes or text");
}

/** Bytes are base64 in JSON; any other text is sent as it is. */
function bytesOf(value: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(value);
  } catch (error) {
    if (error instanceof SyntaxError) return new TextEncoder().encode(value);
    throw error;
  }
}
