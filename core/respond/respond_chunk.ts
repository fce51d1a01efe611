/**
 * Complete answers: the text or bytes of a format, and pages with a form.
 *
 * @module
 */

import { kindOf } from "@/core/base/plugin_answers.ts";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import { isLargeProcess } from "@/core/base/process_memory.ts";
import { notFound, quote } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import type { Service } from "@/core/service.ts";
import type { Chunk, FormPage, Page, WriteOptions } from "@/plugins/contract.ts";
import { pageFormats } from "./page.ts";
import { builtSource, sendBody } from "./send_body.ts";
import { type Built, type Bytes, SLICE, WHOLE } from "./write_body.ts";

/**
 * Encodes a format's chunk in the charset of answers. Throws for what is neither
 * text nor bytes, naming the format.
 */
export function encodeChunk(
  chunk: Chunk | undefined,
  { name, format }: Negotiated,
  { encoder }: Service,
): string | Bytes {
  if (typeof chunk === "string") return encoder.encode(chunk, format.escape);
  // A format may reuse its buffer.
  if (chunk instanceof Uint8Array) return new Uint8Array(chunk);
  throw new TypeError(`The format ${quote(name)} gave ${kindOf(chunk)}, which is neither text nor bytes`);
}

/** The header `Content-Type` of the format. */
export function contentType(format: Negotiated, service: Service): [string, string][] {
  return [["Content-Type", service.contentTypeOf(format)]];
}

/** The options of an answer without data of a table. */
export function plainOptions({ contentType }: Negotiated, { encoder: { charset } }: Service): WriteOptions {
  return { contentType, charset, nullMarker: "<null>", stream: false };
}

/** The whole chunk with status 200. */
export function respondChunk(chunk: Chunk, format: Negotiated, exchange: Exchange): Response {
  const { service } = exchange;
  const encoded = encodeChunk(chunk, format, service);
  return respondWhole(encoded, { headers: contentType(format, service) }, exchange);
}

/** Counts large bodies for the client. Throws 503 while others use too much. */
export function respondWhole(
  written: string | Bytes,
  init: { readonly headers: [string, string][] },
  exchange: Exchange,
): Response {
  return respondBytes(written.length <= WHOLE ? written : counted(written, exchange), init, exchange);
}

/** Bytes that are kept for several answers, so they count for no client. */
export function respondShared(bytes: Bytes, contentType: string, exchange: Exchange): Response {
  const shared = bytes.length <= WHOLE ? bytes : { slices: [bytes], room: exchange.room() };
  return respondBytes(shared, { headers: [["Content-Type", contentType]] }, exchange);
}

/** The bytes in slices, each of which is free when it is taken. Throws 503 while others use too much. */
function counted(encoded: string | Bytes, exchange: Exchange): Built {
  const bytes = typeof encoded === "string" ? new TextEncoder().encode(encoded) : encoded;
  const room = exchange.room();
  room.add(bytes.length);
  const slices = Array.from(
    { length: Math.ceil(bytes.length / SLICE) },
    (_, at) => bytes.slice(at * SLICE, (at + 1) * SLICE),
  );
  return { slices, room };
}

/** A small body is sent whole, the fastest way for `Deno.serve`. */
export function respondBytes(
  written: string | Bytes | Built,
  init: { readonly headers: [string, string][] },
  exchange: Exchange,
): Response {
  const { method, log, service: { group } } = exchange;
  exchange.written = written;
  const isWhole = typeof written === "string" || written instanceof Uint8Array;
  if (isWhole && written.length <= SLICE) return new Response(written, init);
  // `Deno.serve` keeps whole bodies for clients that take nothing, and does not say for how long.
  if (isWhole && !exchange.takesSlices && !isLargeProcess(group)) return new Response(written, init);
  const built = isWhole ? counted(written, exchange) : written;
  const size = built.slices.reduce((sum, { length }) => sum + length, 0);
  const headers: [string, string][] = [...init.headers, ["Content-Length", String(size)]];
  if (method !== "HEAD") return new Response(sendBody(builtSource(built), { log }), { headers });
  // Servers neither take a body for HEAD nor cancel it.
  built.room.close();
  return new Response(null, { headers });
}

/**
 * A page with a form, in the first format that has such pages. If that one fails, the next one writes it: the
 * login must not depend on one plugin. Throws 404 if no enabled format has pages.
 */
export async function respondPage(
  form: FormPage,
  status: number,
  frameFor: (format: string) => Page,
  exchange: Exchange,
): Promise<Response> {
  const { service } = exchange;
  let failure: unknown = notFound("Cannot show a page: no format that has pages is enabled");
  for (const format of pageFormats(service)) {
    try {
      const chunk = await format.format.form?.(form, plainOptions(format, service), frameFor(format.name));
      const encoded = encodeChunk(chunk, format, service);
      exchange.format = format;
      exchange.written = encoded;
      return new Response(encoded, { status, headers: contentType(format, service) });
    } catch (error) {
      failure = error;
      const reason = error instanceof LatePlugin ? error.reason : error;
      exchange.log.error(
        `The format ${quote(format.name)} cannot show the page ${quote(form.title)}`,
        reason,
      );
    }
  }
  throw failure;
}
