/**
 * Stage 5 for complete results: documents, schemas, pages with a form, and results of tasks.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Document } from "@/core/model.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import type { SchemaPlan, TaskResult } from "@/core/plan.ts";
import type { Service } from "@/core/service.ts";
import { warningText } from "./respond_problem.ts";
import { contentType, encodeChunk, respondBytes, type RespondInput } from "./respond_rows.ts";
import { WHOLE } from "./write_body.ts";
import type { Chunk, FormPage, Page, WriteOptions } from "@/plugins/contract.ts";

/** The whole document at once, with status 200. */
export function respondDocument(
  document: Document,
  options: WriteOptions,
  input: RespondInput & { readonly page: Page },
): Response {
  return respondChunk(input.format.format.document(document, options, input.page), input);
}

/** A schema, written by its format. */
export function respondSchema({ format, contentType, write }: SchemaPlan, input: RespondInput): Response {
  return respondChunk(write(), { ...input, format: { ...format, contentType } });
}

function respondChunk(chunk: Chunk, { client, ...input }: RespondInput): Response {
  const encoded = encodeChunk(chunk, input);
  const init = { headers: contentType(input) };
  if (client === undefined || encoded.length <= WHOLE) return new Response(encoded, init);
  const bytes = typeof encoded === "string" ? new TextEncoder().encode(encoded) : encoded;
  const room = client.room();
  room.add(bytes.length);
  return respondBytes({ slices: [bytes], room }, init, { ...input, client });
}

/** The input of the answer beside the task's result. */
export interface RespondTaskInput extends RespondInput {
  /** Scheme and host for absolute URLs. */
  readonly origin: string;
  readonly options: WriteOptions;
  readonly page: Page;
}

/** 201 has the URL in `Location` and in the body. A task's warning becomes the header `Warning`. */
export function respondTask(result: TaskResult, input: RespondTaskInput): Response {
  switch (result.kind) {
    case "done":
      return new Response(null, { status: 204, headers: warningHeader(result.warning) });
    case "created": {
      const { encoder } = input.service;
      const url = `${input.origin}${result.path}`;
      const headers = {
        "Content-Type": `text/html; charset=${encoder.charset}`,
        Location: url,
        ...warningHeader(result.warning),
      };
      return new Response(encoder.encode(url, undefined), { status: 201, headers });
    }
    case "document":
      return respondDocument(result.document, input.options, input);
    default:
      return result satisfies never;
  }
}

/** The format of pages; undefined if none is enabled. */
export function pageFormat({ formats }: Pick<Service, "formats">): Negotiated | undefined {
  for (const name of formats.names) {
    const named = formats.get(name);
    if (named?.format.form) return named;
  }
  return undefined;
}

/** Throws 404 if no enabled format has pages. */
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

function warningHeader(warning: string | undefined): Readonly<Record<string, string>> {
  return warning === undefined ? {} : { Warning: warningText(warning) };
}
