/**
 * Requests that the service makes for a page: those that a program would send.
 *
 * @module
 */

import { Exchange } from "@/core/exchange.ts";
import { TOKEN_HEADER } from "@/core/identity/cross_site.ts";
import type { JsonObject } from "@/core/model.ts";
import { createEncoder } from "@/core/request/encoder.ts";
import type { Service } from "@/core/service.ts";

/**
 * A request with the credentials and the id of the one that the browser has sent. Its answer is UTF-8, unless
 * it is handed over to the browser.
 */
export function innerRequest(
  { raw, client, service, requestId }: Exchange,
  { method, target, body, token, match, isHandedOver }: {
    readonly method: string;
    readonly target: string;
    /** Members of a JSON object, or lines of CSV. */
    readonly body?: JsonObject | string;
    readonly token?: string;
    readonly match?: string;
    readonly isHandedOver?: boolean;
  },
): Exchange {
  const headers = new Headers(raw.headers);
  for (const name of NOT_PASSED) headers.delete(name);
  headers.set("X-Request-Id", requestId);
  if (token !== undefined) headers.set(TOKEN_HEADER, token);
  if (match !== undefined) headers.set("If-Match", `"${match}"`);
  const isCsv = typeof body === "string";
  const text = body === undefined ? null : isCsv ? body : JSON.stringify(body);
  const length = text === null ? 0 : new TextEncoder().encode(text).length;
  if (text !== null) {
    headers.set("Content-Type", isCsv ? "text/csv" : "application/json");
    headers.set("Content-Length", String(length));
  }
  const inner = new Request(`${new URL(raw.url).origin}/`, {
    method,
    headers,
    body: text,
    signal: raw.signal,
  });
  const roomy = withRoomFor(length, service);
  return new Exchange(inner, target, client, isHandedOver ? roomy : { ...roomy, encoder: UTF_8 });
}

/** The form was within the limit; as JSON, its files are larger by a third. */
function withRoomFor(length: number, service: Service): Service {
  const { settings } = service;
  return length <= settings.max_body_size
    ? service
    : { ...service, settings: { ...settings, max_body_size: length } };
}

/** The service reads its own answers, whatever `output_encoding` says. */
const UTF_8 = createEncoder("utf-8");

const NOT_PASSED = [
  "content-length",
  "content-type",
  "content-encoding",
  "transfer-encoding",
  "if-match",
  "if-none-match",
  "accept",
  "prefer",
];
