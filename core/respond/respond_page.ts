/**
 * Pages with a form to a response, in whichever format has such pages.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import type { Service } from "@/core/service.ts";
import type { FormPage, Page } from "@/plugins/contract.ts";

/** The format of pages; undefined where none is enabled. */
export function pageFormat({ formats }: Pick<Service, "formats">): Negotiated | undefined {
  for (const name of formats.names) {
    const named = formats.get(name);
    if (named?.format.form) return named;
  }
  return undefined;
}

/** Throws 404 where no enabled format has pages. */
export function respondPage(
  form: FormPage,
  { status, page, service }: { readonly status: number; readonly page: Page; readonly service: Service },
): Response {
  const format = pageFormat(service);
  const { encode, charset } = service.encoder;
  const contentType = format?.contentType ?? "";
  const options = { contentType, charset, nullMarker: "", stream: false };
  const chunk = format?.format.form?.(form, options, page);
  if (!format || chunk === undefined) {
    throw new ServiceError("not-found", "Cannot show a page: no format that has pages is enabled");
  }
  const body = typeof chunk === "string" ? encode(chunk, format.format.escape) : new Uint8Array(chunk);
  return new Response(body, { status, headers: { "Content-Type": service.contentTypeOf(format) } });
}
