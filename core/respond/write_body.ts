/**
 * Drives a format's writer: produces bodies piece by piece.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { MemoryRoom } from "@/core/base/client_memory.ts";
import { pause, TURN } from "@/core/base/cooperative.ts";
import type { Eventual } from "@/core/base/eventual.ts";
import type { Row } from "@/core/model.ts";
import type { Body, Chunk, Pieces } from "@/plugins/contract.ts";

/** Bytes of an answer. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A piece from a format. */
export type Piece = Chunk | Promise<Chunk>;

/** Encodes a piece in the answer's charset; text in UTF-8 stays text. */
type Encode = (chunk: Chunk) => string | Bytes;

/**
 * Bodies up to this number of characters or bytes are sent whole. A body in slices costs `Deno.serve` about a
 * millisecond more, a third of the time for a list of 1,000 records.
 */
export const WHOLE = 524_288;
/** Bytes after which other requests may run, even if they took less than a turn. */
const PAUSE = 2 ** 20;
/** Bytes per slice of a longer body. */
export const SLICE = 65_536;
/** Assumed bytes of a record until it is written. */
const RECORD = 512;

/** A part of a body: its begin, one row, or its end. */
type Part = Piece | Pieces;

/** `isFirst`: the answer begins with the first of these rows. */
export function* rowPieces(body: Body, rows: readonly Row[], isFirst: boolean): Generator<Piece, void, void> {
  for (let index = 0; index < rows.length; index++) {
    yield* piecesOf(body.row(rows[index] ?? [], isFirst && index === 0));
  }
}

/** Takes anything but a list for one piece; the encoder refuses pieces that are neither text nor bytes. */
function piecesOf(part: Part): Iterable<Piece> {
  const isPiece = typeof part !== "object" || part === null || part instanceof Uint8Array ||
    !(Symbol.iterator in part);
  return isPiece ? [part as Piece] : part;
}

/** A body in slices, with its memory until it is sent. */
export interface Built {
  readonly slices: readonly Bytes[];
  readonly room: MemoryRoom;
}

/** The client of a body. Used only for large bodies. */
interface Client {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  room(): MemoryRoom;
  /** Waits for a piece that comes later, within a limit. */
  settle(piece: Promise<Chunk>): Promise<Chunk>;
}

/**
 * Writes a small body at once; a large one in slices, with pauses in which a disconnect is
 * noticed. Throws 400 if it is too large, 503 while other clients use too much memory. `records`
 * are kept until they are written.
 */
export function writeBody(
  body: Body,
  rows: readonly Row[],
  encode: Encode,
  client: Client,
  records: number,
): Eventual<string | Bytes | Built> {
  let text = "";
  let part: Part = body.begin();
  let next = 0;
  for (; typeof part === "string" && text.length <= WHOLE; next++) {
    text += part;
    if (next > rows.length) return encode(text);
    part = partOf(body, rows, next);
  }
  return build(restOf(body, rows, { text, part, next }), encode, client, records);
}

/** A row, and behind the last row the end. */
function partOf(body: Body, rows: readonly Row[], position: number): Part {
  return position === rows.length ? body.end() : body.row(rows[position] ?? [], position === 0);
}

function* restOf(
  body: Body,
  rows: readonly Row[],
  { text, part, next }: { readonly text: string; readonly part: Part; readonly next: number },
): Generator<Piece, void, void> {
  yield text;
  yield* piecesOf(part);
  for (let position = next; position <= rows.length; position++) {
    yield* piecesOf(partOf(body, rows, position));
  }
}

async function build(
  pieces: Iterable<Piece>,
  encode: Encode,
  client: Client,
  records: number,
): Promise<Bytes | Built> {
  const slices: Bytes[] = [];
  const room = client.room();
  let [size, most, turn] = [0, PAUSE, performance.now() + TURN];
  const rows = records * RECORD;
  try {
    room.add(rows);
    for await (const slice of slicesOf(pieces, encode, client)) {
      room.add(slice.length);
      slices.push(slice);
      size += slice.length;
      if (size < most && performance.now() < turn) continue;
      await pause();
      client.signal.throwIfAborted();
      [most, turn] = [size + PAUSE, performance.now() + TURN];
    }
  } catch (error) {
    room.close();
    throw error;
  }
  room.release(rows);
  if (size > WHOLE) return { slices, room };
  // Bytes and promises take this path at any size.
  room.close();
  return Buffer.concat(slices, size);
}

/** The bytes of several pieces in slices; the last slice has the rest. */
export async function* slicesOf(
  pieces: Iterable<Piece>,
  encode: Encode,
  client: Pick<Client, "settle">,
): AsyncGenerator<Bytes, void, void> {
  const slice = new Slice(encode);
  for (const piece of pieces) {
    slice.add(piece instanceof Promise ? await client.settle(piece) : piece);
    if (slice.isFull) yield slice.take();
  }
  if (!slice.isEmpty) yield slice.take();
}

/** Collects pieces. */
class Slice {
  readonly #encode: Encode;
  #text = "";
  #parts: Bytes[] = [];
  #size = 0;

  constructor(encode: Encode) {
    this.#encode = encode;
  }

  get isFull(): boolean {
    return this.#text.length + this.#size >= SLICE;
  }

  get isEmpty(): boolean {
    return this.#text.length + this.#size === 0;
  }

  add(chunk: Chunk): void {
    if (typeof chunk === "string") this.#text += chunk;
    else this.#addBytes(chunk);
  }

  take(): Bytes {
    this.#encodeText();
    const bytes = Buffer.concat(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    return bytes;
  }

  #addBytes(chunk: Uint8Array): void {
    this.#encodeText();
    const bytes = this.#encode(chunk);
    this.#keep(typeof bytes === "string" ? UTF8.encode(bytes) : bytes);
  }

  #encodeText(): void {
    if (this.#text === "") return;
    const encoded = this.#encode(this.#text);
    this.#text = "";
    this.#keep(typeof encoded === "string" ? UTF8.encode(encoded) : encoded);
  }

  #keep(bytes: Bytes): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }
}

const UTF8 = new TextEncoder();
