/**
 * Stage 5: converts a result to a response. The only stage that uses a format's writer.
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

/** The page for formats without pages. */
const NO_PAGE: Page = { path: "", user: "", prefix: "", formats: [], offset: 0, link: () => "" };

/** The context of a response. */
export interface RespondInput {
  readonly format: Negotiated;
  readonly service: Service;
  /** The receiving client; absent: the answer is small. */
  readonly client?: Recipient;
}

/** A client, for sending. */
export interface Recipient extends Client {
  readonly requestId: string;
}

/** The input of the answer beside its rows. */
export interface RespondRowsInput extends RespondInput {
  /** Called only by formats with pages. */
  page(): Page;
  /** HEAD: the same headers; reads no rows beyond those already read. */
  readonly head: boolean;
  readonly client: Recipient;
  /** The tags that the client has; a record with one of them is not sent again. */
  readonly ifNoneMatch: string | null;
}

/** 304 if the record's tag is one that the client has. */
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
    // Set one by one: a list of several headers takes a slow path in the constructor.
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

/** A small body is sent whole, the fastest way for the server. */
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

/** Whole single records have a tag, see etag.ts. A column list has none, because it could not be compared. */
function tagOf({ single, shape, representation }: CompiledRead, result: Result): string | undefined {
  const row = single && shape.locate !== undefined && result.kind === "rows" ? result.rows[0] : undefined;
  return row && recordTag(row, { columns: shape.columns.length, representation });
}

const streamed = new WeakSet<Response>();

/** Whether rows are still read while the answer is sent, so that it may fail after its beginning. */
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

/** Writes rows as they are read, only as fast as the client reads. */
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

/** One piece per chunk of rows, or several if it exceeds a slice. */
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

/** Encodes a format's chunk in the charset of answers. */
export function encodeChunk(
  chunk: Chunk,
  { format, service }: Pick<RespondInput, "format" | "service">,
): string | Bytes {
  return typeof chunk === "string"
    ? service.encoder.encode(chunk, format.format.escape)
    : new Uint8Array(chunk);
}
