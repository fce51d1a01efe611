/**
 * Stage 5: a result to a response. The only stage that touches a format's writer.
 *
 * @module
 */

import type { CompiledRead } from "./compile_read.ts";
import { matchesTag, recordTag } from "./etag.ts";
import { type Eventual, whenThere } from "./eventual.ts";
import type { Result } from "./execute.ts";
import type { Document, Row } from "./model.ts";
import type { Negotiated } from "./negotiate.ts";
import type { SchemaPlan } from "./plan_schema.ts";
import type { Service } from "./service.ts";
import { sendSlices } from "./send_slices.ts";
import { type Bytes, piecesOf, rowPieces, SLICE, slicesOf, writeBody } from "./write_body.ts";
import type { Body, Chunk, Page, WriteOptions } from "@/plugins/contract.ts";

/** What formats that show no pages get. */
const NO_PAGE: Page = { path: "", user: "", prefix: "", formats: [], offset: 0, link: () => "" };

/** What a response is made for. */
export interface RespondInput {
  readonly format: Negotiated;
  readonly service: Service;
}

/** What the answer depends on beside its rows. */
export interface RespondRowsInput extends RespondInput {
  /** Asked for only by formats that show pages. */
  page(): Page;
  /** HEAD: the same headers, and no row more than is already here is read. */
  readonly head: boolean;
  /** Tells whether the client is still there. */
  readonly client: { readonly signal: AbortSignal };
  /** The tags that the caller has; a record that still has one of them is not sent again. */
  readonly ifNoneMatch: string | null;
}

/** Also 304, when the record has a tag that the caller has. */
export function respondRows(
  compiled: CompiledRead,
  result: Result,
  input: RespondRowsInput,
): Eventual<Response> {
  const tag = tagOf(compiled, result);
  const isKnown = tag !== undefined && input.ifNoneMatch !== null && matchesTag(input.ifNoneMatch, tag);
  const made = isKnown
    ? new Response(null, { status: 304, headers: contentType(input) })
    : respondBody(compiled, result, input);
  return whenThere(made, (response) => {
    // Set one by one: a list of several headers takes a slow way through the constructor.
    if (tag !== undefined) response.headers.set("ETag", tag);
    if (result.total !== undefined) response.headers.set(input.service.countHeader, String(result.total));
    return response;
  });
}

function respondBody(compiled: CompiledRead, result: Result, input: RespondRowsInput): Eventual<Response> {
  const init = { headers: contentType(input) };
  if (input.head) return respondHead(result, init);
  const body = compiled.writer(pageFor(result, input));
  if (result.kind === "stream") return markStreamed(new Response(streamBody(body, result, input), init));
  const rows = compiled.shape.form === "columns" ? transpose(compiled, result.rows) : result.rows;
  const encode = (chunk: Chunk) => encodeChunk(chunk, input);
  return whenThere(writeBody(piecesOf(body, rows), encode, input.client), (written) => {
    return respondBytes(written, init);
  });
}

/** What is small is sent whole, as the server likes it best. */
function respondBytes(written: string | readonly Bytes[], init: { headers: [string, string][] }): Response {
  if (typeof written === "string") return new Response(written, init);
  const [only, ...others] = written;
  const size = written.reduce((sum, { length }) => sum + length, 0);
  if (others.length === 0 && size <= SLICE) return new Response(only ?? "", init);
  const headers: [string, string][] = [...init.headers, ["Content-Length", String(size)]];
  return new Response(sendSlices(written), { headers });
}

async function respondHead(result: Result, init: ResponseInit): Promise<Response> {
  if (result.kind === "stream") await result.chunks.return?.();
  return new Response(null, init);
}

function contentType({ format, service }: RespondInput): [string, string][] {
  return [["Content-Type", service.contentTypeOf(format)]];
}

/** Whole single records have a tag; what it is made of tells etag.ts. A list of columns could not be compared with it. */
function tagOf({ single, shape, representation }: CompiledRead, result: Result): string | undefined {
  const row = single && shape.locate !== undefined && result.kind === "rows" ? result.rows[0] : undefined;
  return row && recordTag(row, { columns: shape.columns.length, representation });
}

const streamed = new WeakSet<Response>();

/** Whether rows are still being read while the answer is sent, so that it may fail after it has begun. */
export function isStreamed(response: Response): boolean {
  return streamed.has(response);
}

function markStreamed(response: Response): Response {
  streamed.add(response);
  return response;
}

function pageFor({ total }: Result, input: RespondRowsInput): Page {
  if (!input.format.format.paged) return NO_PAGE;
  return total === undefined ? input.page() : { ...input.page(), total };
}

/** The whole document at once, with status 200. */
export function respondDocument(
  document: Document,
  options: WriteOptions,
  { format, page, service }: RespondInput & { readonly page: Page },
): Response {
  const chunk = format.format.document(document, options, page);
  return new Response(encodeChunk(chunk, { format, service }), { headers: contentType({ format, service }) });
}

/** The schema in the format's own words. */
export function respondSchema(
  { format, contentType, write }: SchemaPlan,
  { service }: Pick<RespondInput, "service">,
): Response {
  const negotiated = { ...format, contentType };
  return new Response(encodeChunk(write(), { format: negotiated, service }), {
    headers: [["Content-Type", service.contentTypeOf(negotiated)]],
  });
}

/** Each column becomes a row that begins with its name. */
function transpose({ shape }: CompiledRead, rows: readonly Row[]): readonly Row[] {
  return shape.columns.map(({ name }, position) => [name, ...rows.map((row) => row[position] ?? null)]);
}

/** Rows are written as they come and only as fast as the client reads. */
function streamBody(
  body: Body,
  { first, chunks }: Extract<Result, { kind: "stream" }>,
  input: RespondInput,
): ReadableStream<Bytes> {
  const bytes = writeStream(body, { first, chunks }, input);
  let hasLeft = false;
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const { value, done } = await bytes.next();
        if (hasLeft) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // A client that leaves ends what is under way.
        if (hasLeft) return;
        input.service.log.error("A stream was cut off", error);
        // A server may show its message to the caller.
        controller.error(new Error("The answer was cut off", { cause: error }));
      }
    },
    async cancel() {
      hasLeft = true;
      await chunks.return?.();
    },
  }, { highWaterMark: 0 });
}

/** One piece for each chunk of rows, or several where it gives more than a slice. */
async function* writeStream(
  body: Body,
  { first, chunks }: Pick<Extract<Result, { kind: "stream" }>, "first" | "chunks">,
  input: RespondInput,
): AsyncGenerator<Bytes, void, void> {
  const encode = (chunk: Chunk) => encodeChunk(chunk, input);
  const begin = function* () {
    yield body.begin();
    yield* rowPieces(body, first, true);
  };
  yield* slicesOf(begin(), encode);
  let isFirst = first.length === 0;
  for (let rows = await take(chunks); rows; rows = await take(chunks)) {
    yield* slicesOf(rowPieces(body, rows, isFirst), encode);
    isFirst &&= rows.length === 0;
  }
  yield* slicesOf([body.end()], encode);
}

async function take(chunks: AsyncIterator<readonly Row[]>): Promise<readonly Row[] | undefined> {
  const { value, done } = await chunks.next();
  return done ? undefined : value;
}

function encodeChunk(
  chunk: Chunk,
  { format, service }: Pick<RespondInput, "format" | "service">,
): string | Bytes {
  return typeof chunk === "string"
    ? service.encoder.encode(chunk, format.format.escape)
    : new Uint8Array(chunk);
}
