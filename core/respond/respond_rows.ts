/**
 * Stage 5: a result to a response. The only stage that touches a format's writer.
 *
 * @module
 */

import type { CompiledRead } from "@/core/tables/compile_read.ts";
import { matchesTag, recordTag } from "@/core/tables/etag.ts";
import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import type { Result } from "@/core/tables/execute_read.ts";
import type { Row } from "@/core/model.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import type { Service } from "@/core/service.ts";
import { builtSource, sendBody, type SendOptions } from "./send_body.ts";
import {
  type Built,
  type Bytes,
  type Client,
  piecesOf,
  rowPieces,
  slicesOf,
  writeBody,
} from "./write_body.ts";
import type { Body, Chunk, Page } from "@/plugins/contract.ts";

/** What formats that show no pages get. */
const NO_PAGE: Page = { path: "", user: "", prefix: "", formats: [], offset: 0, link: () => "" };

/** What a response is made for. */
export interface RespondInput {
  readonly format: Negotiated;
  readonly service: Service;
  /** Who gets it; absent: nothing large is sent. */
  readonly client?: Recipient;
}

/** A client, as far as sending needs to know it. */
export interface Recipient extends Client {
  readonly requestId: string;
}

/** What the answer depends on beside its rows. */
export interface RespondRowsInput extends RespondInput {
  /** Asked for only by formats that show pages. */
  page(): Page;
  /** HEAD: the same headers, and no row more than is already here is read. */
  readonly head: boolean;
  readonly client: Recipient;
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
  return whenThere(
    writeBody(piecesOf(body, rows), encode, input.client, result.rows.length + (result.related ?? 0)),
    (written) => {
      return respondBytes(written, init, input);
    },
  );
}

/** What is small is sent whole, as the server likes it best. */
export function respondBytes(
  written: string | Bytes | Built,
  init: { headers: [string, string][] },
  input: Required<RespondInput>,
): Response {
  if (typeof written === "string" || written instanceof Uint8Array) return new Response(written, init);
  const size = written.slices.reduce((sum, { length }) => sum + length, 0);
  const headers: [string, string][] = [...init.headers, ["Content-Length", String(size)]];
  return new Response(sendBody(builtSource(written), sendOptions(input)), { headers });
}

function sendOptions({ client, service: { log } }: Required<RespondInput>): SendOptions {
  return { requestId: client.requestId, log };
}

async function respondHead(result: Result, init: ResponseInit): Promise<Response> {
  if (result.kind === "stream") await result.chunks.return?.();
  return new Response(null, init);
}

/** The header `Content-Type` of the format. */
export function contentType({ format, service }: RespondInput): [string, string][] {
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

/** Each column becomes a row that begins with its name. */
function transpose({ shape }: CompiledRead, rows: readonly Row[]): readonly Row[] {
  return shape.columns.map(({ name }, position) => [name, ...rows.map((row) => row[position] ?? null)]);
}

/** Rows are written as they come and only as fast as the client reads. */
function streamBody(
  body: Body,
  { first, chunks }: Extract<Result, { kind: "stream" }>,
  input: Required<RespondInput>,
): ReadableStream<Bytes> {
  const bytes = writeStream(body, { first, chunks }, input);
  return sendBody({
    next: async () => (await bytes.next()).value ?? undefined,
    end: async () => void await chunks.return?.(),
  }, sendOptions(input));
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

/** A chunk of the format in the charset of answers. */
export function encodeChunk(
  chunk: Chunk,
  { format, service }: Pick<RespondInput, "format" | "service">,
): string | Bytes {
  return typeof chunk === "string"
    ? service.encoder.encode(chunk, format.format.escape)
    : new Uint8Array(chunk);
}
