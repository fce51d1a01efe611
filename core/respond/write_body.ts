/**
 * Drives a format's writer: produces bodies piece by piece.
 *
 * @module
 */

import type { MemoryRoom } from "@/core/base/client_memory.ts";
import type { Eventual } from "@/core/base/eventual.ts";
import type { Row } from "@/core/model.ts";
import { pause } from "@/core/base/cooperative.ts";
import type { Body, Chunk } from "@/plugins/contract.ts";

/** Bytes of an answer. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A piece from a format. */
export type Piece = Chunk | Promise<Chunk>;

/** Encodes a piece in the answer's charset; text in UTF-8 stays text. */
export type Encode = (chunk: Chunk) => string | Bytes;

/**
 * Bodies up to this number of characters or bytes are sent whole. A body in slices costs `Deno.serve` about a millisecond
 * more, a third of the time for a list of 1,000 records.
 */
export const WHOLE = 524_288;
/** Bytes per slice of a longer body. */
export const SLICE = 65_536;
/** Assumed bytes of a record until it is written. */
const RECORD = 512;
/** Bytes after which other requests may run. */
const PAUSE = 2 ** 20;

/** The output of a format for these rows, in order. */
export function* piecesOf(body: Body, rows: readonly Row[]): Generator<Piece, void, void> {
  yield body.begin();
  yield* rowPieces(body, rows, true);
  yield body.end();
}

/** `isFirst`: the answer begins with the first of these rows. */
export function* rowPieces(
  body: Body,
  rows: readonly Row[],
  isFirst: boolean,
): Generator<Piece, void, void> {
  for (let index = 0; index < rows.length; index++) {
    const written = body.row(rows[index] ?? [], isFirst && index === 0);
    if (isPiece(written)) yield written;
    else yield* written;
  }
}

function isPiece(written: ReturnType<Body["row"]>): written is Piece {
  return typeof written === "string" || written instanceof Uint8Array || written instanceof Promise;
}

/** A body in slices, with its memory until it is sent. */
export interface Built {
  readonly slices: readonly Bytes[];
  readonly room: MemoryRoom;
}

/** The client of a body. Used only for large bodies. */
export interface Client {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  room(): MemoryRoom;
}

/**
 * Writes a small body at once; a large one in slices, with pauses in which a disconnect is noticed. Throws 400 if it is
 * too large, 503 while other clients use too much memory. `records` are kept until they are written.
 */
export function writeBody(
  pieces: Generator<Piece, void, void>,
  encode: Encode,
  client: Client,
  records: number,
): Eventual<string | Bytes | Built> {
  let text = "";
  for (let step = pieces.next(); !step.done; step = pieces.next()) {
    const isSmall = typeof step.value === "string" && text.length <= WHOLE;
    if (!isSmall) return build(goOn([text, step.value], pieces), encode, client, records);
    text += step.value;
  }
  return encode(text);
}

function* goOn(begun: readonly Piece[], pieces: Generator<Piece, void, void>): Generator<Piece, void, void> {
  yield* begun;
  yield* pieces;
}

async function build(
  pieces: Iterable<Piece>,
  encode: Encode,
  client: Client,
  records: number,
): Promise<Bytes | Built> {
  const slices: Bytes[] = [];
  const room = client.room();
  let [size, turn] = [0, PAUSE];
  const rows = records * RECORD;
  try {
    room.add(rows);
    for await (const slice of slicesOf(pieces, encode)) {
      room.add(slice.length);
      slices.push(slice);
      size += slice.length;
      if (size < turn) continue;
      await pause();
      client.signal.throwIfAborted();
      turn = size + PAUSE;
    }
  } catch (error) {
    room.close();
    throw error;
  }
  room.release(rows);
  if (size > WHOLE) return { slices, room };
  // Bytes and promises take this path at any size.
  room.close();
  return joinBytes(slices, size);
}

/** The bytes of several pieces in slices; the last slice has the rest. */
export async function* slicesOf(pieces: Iterable<Piece>, encode: Encode): AsyncGenerator<Bytes, void, void> {
  const slice = new Slice(encode);
  for (const piece of pieces) {
    slice.add(piece instanceof Promise ? await piece : piece);
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
    const bytes = joinBytes(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    return bytes;
  }

  #addBytes(chunk: Uint8Array): void {
    this.#encodeText();
    // The format may reuse its buffer.
    this.#keep(new Uint8Array(chunk));
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

function joinBytes(parts: readonly Bytes[], size: number): Bytes {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
