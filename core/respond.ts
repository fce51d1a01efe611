/**
 * Stage 5: a result to a response. The only stage that touches a format's writer.
 *
 * @module
 */

import type { CompiledRead } from "./compile_read.ts";
import { ServiceError } from "./errors.ts";
import { matchesTag, recordTag } from "./etag.ts";
import { type Eventual, whenThere } from "./eventual.ts";
import type { Result } from "./execute.ts";
import type { Document, Row } from "./model.ts";
import type { Negotiated } from "./negotiate.ts";
import type { SchemaPlan } from "./plan_schema.ts";
import type { WriteResult } from "./execute_write.ts";
import type { WritePlan } from "./plan_write.ts";
import type { Service } from "./service.ts";
import { pause } from "./turns.ts";
import type { Body, Chunk, Page, WriteOptions } from "@/plugins/contract.ts";

/** What formats that show no pages get. */
const NO_PAGE: Page = { path: "", user: "", prefix: "", formats: [], offset: 0, link: () => "" };

type Bytes = Uint8Array<ArrayBuffer>;

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
  /** The tags that the caller has; a record that still has one of them is not sent again. */
  readonly ifNoneMatch: string | null;
}

/** Longest text that is built in memory, in UTF-16 units; V8 ends at 2^29. */
const MAX_TEXT = 2 ** 27;
/** Text after which other requests get their turn. */
const PAUSE = 2 ** 20;

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
  return whenThere(bufferBody(body, rows, input), (text) => new Response(text, init));
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

/** 201 with the paths of new records, 204 for what has been changed. */
export function respondWritten(
  plan: WritePlan,
  result: WriteResult,
  { service, origin }: { readonly service: Service; readonly origin: string },
): Response {
  if (result.kind === "done" || plan.kind !== "insert") return new Response(null, { status: 204 });
  const table = `${plan.place.databasePath}/${plan.table.segment}`;
  const paths = result.paths.map((path) => path ?? table);
  const headers: [string, string][] = [["Content-Type", `text/html; charset=${service.encoder.charset}`]];
  const [only] = result.paths;
  if (!result.isList && typeof only === "string") headers.push(["Location", `${origin}${only}.json`]);
  return new Response(service.encoder.encode(paths.join("\n"), undefined), { status: 201, headers });
}

/** Each column becomes a row that begins with its name. */
function transpose({ shape }: CompiledRead, rows: readonly Row[]): readonly Row[] {
  return shape.columns.map(({ name }, position) => [name, ...rows.map((row) => row[position] ?? null)]);
}

/** Text is joined as long as a format gives text at once; a format of bytes or promises goes piece by piece. */
function bufferBody(body: Body, rows: readonly Row[], input: RespondInput): Eventual<string | Bytes> {
  const begin = body.begin();
  if (typeof begin !== "string") {
    return Promise.resolve(begin).then((first) => collectBody(body, rows, first, input));
  }
  return bufferText(begin, { body, rows, input, from: 0 });
}

/** What is left to be written of a text. */
interface Rest {
  readonly body: Body;
  readonly rows: readonly Row[];
  readonly input: RespondInput;
  readonly from: number;
}

/** Other requests get their turn whenever a lot of text has been joined. */
function bufferText(begin: string, { body, rows, input, from }: Rest): Eventual<string | Bytes> {
  let text = begin;
  const turn = text.length + PAUSE;
  for (let index = from; index < rows.length; index++) {
    text += textOf(body.row(rows[index] ?? [], index === 0), input);
    if (text.length < turn) continue;
    if (text.length > MAX_TEXT) throw tooLarge();
    return pause().then(() => bufferText(text, { body, rows, input, from: index + 1 }));
  }
  return input.service.encoder.encode(text + textOf(body.end(), input), input.format.format.escape);
}

function textOf(chunk: Chunk | Promise<Chunk>, { format }: RespondInput): string {
  if (typeof chunk === "string") return chunk;
  throw new TypeError(`Format "${format.name}" begins with text and goes on with bytes`);
}

async function collectBody(
  body: Body,
  rows: readonly Row[],
  begin: Chunk,
  input: RespondInput,
): Promise<Bytes> {
  const parts = [encodeChunk(begin, input)];
  for (const [index, row] of rows.entries()) parts.push(encodeChunk(await body.row(row, index === 0), input));
  parts.push(encodeChunk(await body.end(), input));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function tooLarge(): ServiceError {
  return new ServiceError(
    "bad-request",
    "The answer is too large to be built at once: add a limit, or use stream=true",
  );
}

/** Rows are written as they come and only as fast as the client reads. */
function streamBody(
  body: Body,
  { first, chunks }: Extract<Result, { kind: "stream" }>,
  input: RespondInput,
): ReadableStream<Bytes> {
  const encoder = new TextEncoder();
  const bytes = async (pieces: readonly (Chunk | Promise<Chunk>)[]) => {
    const parts = (await Promise.all(pieces)).map((piece) => encodeChunk(piece, input));
    if (parts.every((part) => typeof part === "string")) return encoder.encode(parts.join(""));
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  let next: readonly Row[] | undefined = first;
  let count = 0;
  let hasLeft = false;
  const write = (rows: readonly Row[]) => rows.map((row) => body.row(row, count++ === 0));
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const rows = next ?? await take(chunks);
        next = undefined;
        const begin = count === 0 && rows === first ? [body.begin()] : [];
        const piece = await bytes([...begin, ...(rows ? write(rows) : [body.end()])]);
        if (hasLeft) return;
        controller.enqueue(piece);
        if (!rows) controller.close();
      } catch (error) {
        // Whoever leaves ends what is under way.
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
