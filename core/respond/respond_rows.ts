/**
 * Answers with rows: whole, in slices, or streamed.
 *
 * @module
 */

import { answerTooLarge } from "@/core/base/client_memory.ts";
import { defined } from "@/core/base/defined.ts";
import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { blame } from "@/core/base/plugin_failures.ts";
import type { Admitted, Exchange } from "@/core/exchange.ts";
import type { Row } from "@/core/model.ts";
import { type Negotiated, titleOf } from "@/core/request/formats.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { CompiledRead } from "@/core/tables/compile_read.ts";
import { matchesTag, recordTag } from "@/core/tables/etag.ts";
import type { ShownRows } from "@/core/tables/execute_read.ts";
import type { Result } from "@/core/tables/read_statements.ts";
import type { Body, Chunk, Page } from "@/plugins/contract.ts";
import { pageOf } from "./page.ts";
import { ReadAhead } from "./read_ahead.ts";
import { contentType, encodeChunk, respondBytes } from "./respond_chunk.ts";
import { sendBody, type Source } from "./send_body.ts";
import { type Bytes, type Piece, rowPieces, slicesOf, writeBody } from "./write_body.ts";

/** The page for formats without pages. */
const NO_PAGE: Page = {
  path: "",
  user: "",
  prefix: "",
  origin: "",
  formats: [],
  offset: 0,
  link: () => "",
  menu: [],
  crumbs: [],
  ui: new Map(),
  asset: () => "",
};

/**
 * 304 if the record's tag is one that the client has. HEAD has the same headers, and reads no further rows.
 */
export function respondRows(rows: ShownRows, admitted: Admitted): Eventual<Response> {
  const { compiled, result } = rows;
  const { request, exchange } = admitted;
  const { service } = exchange;
  const tag = tagOf(compiled, result);
  const made = tag !== undefined && isKnown(tag, request, exchange)
    ? new Response(null, { status: 304, headers: contentType(request.format, service) })
    : respondBody(rows, admitted);
  return whenThere(made, (response) => {
    // Set one by one: a list of several headers takes a slow path in the constructor.
    if (tag !== undefined) response.headers.set("ETag", tag);
    if (result.total !== undefined && compiled.countedUpTo === undefined) {
      response.headers.set(service.countHeader, String(result.total));
    }
    return response;
  });
}

/** The header of a POST does not concern the record that it creates. */
function isKnown(tag: string, { method }: ApiRequest, { headers }: Exchange): boolean {
  const known = method === "POST" ? null : headers.get("if-none-match");
  return known !== null && matchesTag(known, tag);
}

function respondBody({ compiled, result, shown }: ShownRows, admitted: Admitted): Eventual<Response> {
  const { request, exchange } = admitted;
  const { format } = request;
  const { service } = exchange;
  const init = { headers: contentType(format, service) };
  if (request.method === "HEAD") return end(result).then(() => new Response(null, init));
  const { total } = result;
  const page = format.format.paged ? { ...pageOf(admitted, shown), ...defined({ total }) } : NO_PAGE;
  let body: Body;
  try {
    body = bodyOf(compiled, page, format);
  } catch (error) {
    return end(result).then(() => Promise.reject(error));
  }
  if (result.kind === "stream") {
    const response = new Response(streamBody(body, result, format, exchange), init);
    streamed.add(response);
    return response;
  }
  const rows = compiled.shape.form === "columns" ? transpose(compiled, result.rows) : result.rows;
  const encode = (chunk: Chunk) => encodeChunk(chunk, format, service);
  const records = result.rows.length + (result.related ?? 0);
  exchange.rows = records;
  const written = attempt(() => writeBody(body, rows, encode, exchange, records), (error) => {
    if (exchange.signal.aborted) throw error;
    throw isTooLong(error) ? answerTooLarge(error) : blame(error, `${titleOf(format)} failed in its writer`);
  });
  return whenThere(written, (whole) => respondBytes(whole, init, exchange));
}

/** V8's refusal of a text of more than half a billion characters. */
function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && error.message === "Invalid string length";
}

/** Returns the connection of a stream that is not read. */
async function end(result: Result): Promise<void> {
  if (result.kind === "stream") await result.chunks.return?.();
}

/** The body of one answer. Throws what names the format. */
function bodyOf({ writer }: CompiledRead, page: Page, format: Negotiated): Body {
  try {
    const body = writer(page);
    if (typeof body?.row === "function") return body;
    throw new TypeError("it gave no body");
  } catch (error) {
    throw blame(error, `${titleOf(format)} failed in its writer`);
  }
}

/** Whole single records have a tag, see etag.ts. A column list has none, because it could not be compared. */
function tagOf({ single, isPage, shape, representation }: CompiledRead, result: Result): string | undefined {
  const row = single && !isPage && shape.locate !== undefined && result.kind === "rows"
    ? result.rows[0]
    : undefined;
  return row && recordTag(row, { columns: shape.columns.length, representation });
}

const streamed = new WeakSet<Response>();

/** Whether rows are still read while the answer is sent, so that it may fail after its beginning. */
export function isStreamed(response: Response): boolean {
  return streamed.has(response);
}

/** Each column becomes a row that begins with its name. */
function transpose({ shape }: CompiledRead, rows: readonly Row[]): readonly Row[] {
  return shape.columns.map(({ name }, position) => [name, ...rows.map((row) => row[position] ?? null)]);
}

/** Writes rows as they are read: a mebibyte ahead of the client, then only as fast as it reads. */
function streamBody(
  body: Body,
  { first, chunks }: Extract<Result, { kind: "stream" }>,
  format: Negotiated,
  exchange: Exchange,
): ReadableStream<Bytes> {
  const { signal, service, log } = exchange;
  const encode = (chunk: Chunk) => encodeChunk(chunk, format, service);
  const slices = async function* (pieces: Iterable<Piece>) {
    try {
      yield* slicesOf(pieces, encode, exchange);
    } catch (error) {
      throw blame(error, `${titleOf(format)} failed in its writer`);
    }
  };
  const bytes = writeStream(body, { first, chunks, exchange }, slices);
  const source: Source = {
    next: async () => (await bytes.next()).value ?? undefined,
    end: async () => void await chunks.return?.(),
  };
  const ahead = new ReadAhead(source, exchange.room());
  return sendBody(sized(ahead, exchange), { signal, log });
}

/** One piece per chunk of rows, or several if it exceeds a slice. */
async function* writeStream(
  body: Body,
  { first, chunks, exchange }: Pick<Extract<Result, { kind: "stream" }>, "first" | "chunks"> & {
    readonly exchange: Exchange;
  },
  slices: (pieces: Iterable<Piece>) => AsyncGenerator<Bytes, void, void>,
): AsyncGenerator<Bytes, void, void> {
  const begin = function* () {
    yield body.begin();
    yield* rowPieces(body, first, true);
  };
  exchange.rows = first.length;
  yield* slices(begin());
  let isFirst = first.length === 0;
  for (let rows = await take(chunks); rows; rows = await take(chunks)) {
    exchange.rows += rows.length;
    yield* slices(rowPieces(body, rows, isFirst));
    isFirst &&= rows.length === 0;
  }
  yield* slices(endOf(body));
}

function* endOf(body: Body): Generator<Piece, void, void> {
  yield body.end();
}

/** The source, which tells the log at its end how many bytes the client has taken. */
function sized(source: Source, exchange: Exchange): Source {
  const sent = Promise.withResolvers<number>();
  exchange.sent = sent.promise;
  let bytes = 0;
  return {
    next: () =>
      whenThere(source.next(), (piece) => {
        bytes += piece?.length ?? 0;
        return piece;
      }),
    end() {
      sent.resolve(bytes);
      return source.end();
    },
  };
}

async function take(chunks: AsyncIterator<readonly Row[]>): Promise<readonly Row[] | undefined> {
  const { value, done } = await chunks.next();
  return done ? undefined : value;
}
