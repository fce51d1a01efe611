/**
 * Chooses the format of a request's body: by its `Content-Type`, else by the URL's extension. Pure.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import type { FormatTable } from "./formats.ts";
import type { BodyFormat } from "./read_records.ts";

/** Choices by content type and extension: clients send very few different ones. */
const chosen = new WeakMap<FormatTable, Map<string, BodyFormat>>();
const MOST_CHOSEN = 200;
const LONGEST = 200;

/** The body's format: by a known `Content-Type` other than text, else by the URL's extension. Throws 415. */
export function chooseBodyFormat(
  headers: Headers,
  extension: string | undefined,
  service: { readonly formats: FormatTable },
): BodyFormat {
  refuseEncoded(headers);
  const contentType = headers.get("content-type") ?? "";
  if (contentType.length > LONGEST) return choose(contentType, extension, service);
  const known = chosen.getOrInsertComputed(service.formats, () => new Map());
  if (known.size > MOST_CHOSEN) known.clear();
  return known.getOrInsertComputed(
    `${extension}\n${contentType}`,
    () => choose(contentType, extension, service),
  );
}

function choose(
  contentType: string,
  extension: string | undefined,
  service: { readonly formats: FormatTable },
): BodyFormat {
  const { type, parameters } = partsOf(contentType);
  const byType = service.formats.byContentType(type);
  // Browsers send a string as text/plain, which says nothing about its format.
  const isTold = byType && (byType.format.read || type !== "text/plain");
  const format = isTold ? byType : extension === undefined ? undefined : service.formats.get(extension);
  if (!format?.format.read) throw unsupported(type, service);
  return {
    name: format.name,
    format: format.format,
    read: format.format.read,
    charset: charsetOf(parameters),
  };
}

/** Throws 415 for a body that is compressed. */
export function refuseEncoded(headers: Headers): void {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding === "identity") return;
  throw new ServiceError(
    "unsupported-media-type",
    `Cannot read a body of content encoding ${quote(encoding)}: send it as it is, without Content-Encoding`,
    { headers: { "Accept-Encoding": "identity" } },
  );
}

/** The type in small letters, and the parameters of `Content-Type`; empty without the header. */
export function contentTypeOf(
  headers: Headers,
): { readonly type: string; readonly parameters: readonly string[] } {
  return partsOf(headers.get("content-type") ?? "");
}

function partsOf(contentType: string): ReturnType<typeof contentTypeOf> {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  return { type: type.toLowerCase(), parameters };
}

/** The charset of a `Content-Type`; UTF-8 by default. Throws 415 for an unknown one. */
export function charsetOf(parameters: readonly string[]): string {
  const [label] = parameters.flatMap((part) => /^charset="?([^"]+)"?$/i.exec(part)?.[1] ?? []);
  if (label === undefined) return "utf-8";
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    throw new ServiceError("unsupported-media-type", `The charset ${quote(label)} is unknown: send utf-8`, {
      cause,
    });
  }
}

function unsupported(type: string, { formats }: { readonly formats: FormatTable }): ServiceError {
  const known = formats.readable.join(", ");
  return unreadableType(type, `send one of ${known} as Content-Type, or its extension in the URL`);
}

/** 415 for a body of this type, which is empty without `Content-Type`. */
export function unreadableType(type: string, remedy: string): ServiceError {
  const what = type === "" ? "a body without Content-Type" : `a body of ${quote(type)}`;
  return new ServiceError("unsupported-media-type", `Cannot read ${what}: ${remedy}`);
}
