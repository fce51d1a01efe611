/**
 * Receives the bytes of a body, and gives a client up that sends them too slowly.
 *
 * @module
 */

import type { MemoryRoom } from "@/core/base/client_memory.ts";
import { pause } from "@/core/base/cooperative.ts";
import { badRequest, ServiceError, tryLater } from "@/core/errors.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { TimerQueue } from "@/plugins/kit/timer_queue.ts";

/** The time without a byte after which reading is given up. */
const SILENCE = new TimerQueue(30_000);
/** Least rate in bytes per millisecond, a kilobyte per second, for each further millisecond. */
const LEAST_RATE = 1;
/**
 * Largest body, in bytes, that is read without a stream if its length is known. A stream survives, with all
 * that it refers to, until the next full garbage collection.
 */
const SMALL = 16_384;
/** Turns of the microtask queue after which a body is there that has arrived with its head. Measured: 2. */
const TURNS = 4;

/**
 * Pieces after which other requests run: of a body that is sent line by line, thousands come at once. A pause
 * takes milliseconds, and ten megabytes come in 150 pieces.
 */
export const TOGETHER = 256;

/** A body that is being sent. */
export interface SentBytes {
  readonly body: ReadableStream<Uint8Array> | null;
  /** Reads a small body instead of {@link body}; undefined for others. */
  whole?(): Promise<ArrayBuffer> | undefined;
  /** The memory of the body and its records. */
  readonly room: MemoryRoom;
  /** Aborted when the service stops, which cuts bodies off. Absent: it does not. */
  readonly stopping?: AbortSignal;
}

/** The limits of receiving a body. */
export interface ReceiveLimits {
  /** Largest size in bytes. */
  readonly limit: number;
  /** The time without a byte until reading is given up; a small body has it in all. Default: 30 seconds. */
  readonly silence?: TimerQueue;
}

/** Whether a body is read without a stream. */
export function isSmall(headers: Headers): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= SMALL;
}

/** Throws 413 above the limit, 408 for a slow client, 503 without memory or when the service stops. */
export function receiveBytes(source: SentBytes, limits: ReceiveLimits): Promise<Uint8Array> {
  const { limit, silence = SILENCE } = limits;
  const whole = source.whole?.();
  return whole ? receiveWhole(whole, source, { limit, silence }) : receivePieces(source, { limit, silence });
}

async function receivePieces(
  { body, room, stopping }: SentBytes,
  { limit, silence }: Required<ReceiveLimits>,
): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const begun = performance.now();
  let bytes = new Uint8Array();
  let [size, pieces] = [0, 0];
  try {
    for (let piece = await next(reader, silence); piece; piece = await next(reader, silence)) {
      const before = size;
      size += piece.length;
      if (size > limit) throw tooLarge(limit);
      if (performance.now() - begun > silence.milliseconds + size / LEAST_RATE) {
        throw tooSlow("The body comes too slowly");
      }
      room.add(piece.length);
      bytes = withRoom(bytes, size);
      bytes.set(piece, before);
      if (++pieces % TOGETHER === 0) await pause();
    }
  } catch (cause) {
    // The client gets this refusal, whatever happens to the rest of the body.
    reader.cancel().catch(() => {});
    throw cause instanceof ServiceError ? cause : brokenOff(cause, stopping);
  }
  return bytes.subarray(0, size);
}

/**
 * The bytes with room for so many. Pieces are copied, not kept: in a body that is sent line by line, each
 * line would keep a buffer of 64 KiB.
 */
function withRoom(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  if (size <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.max(size, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}

/** Starts a timer only for a body that has not arrived yet: it costs as much as all else of the reading. */
async function receiveWhole(
  whole: Promise<ArrayBuffer>,
  { room, stopping }: SentBytes,
  { limit, silence }: Required<ReceiveLimits>,
): Promise<Uint8Array> {
  let bytes: Uint8Array | undefined;
  const coming = whole.then((buffer) => bytes = new Uint8Array(buffer), (cause) => {
    throw brokenOff(cause, stopping);
  });
  for (let turn = 0; turn < TURNS && !bytes; turn++) await undefined;
  const seconds = silence.milliseconds / 1000;
  const expired = () => tooSlow("The body comes too slowly");
  bytes ??= await bounded(coming, { seconds, expired });
  if (bytes.length > limit) throw tooLarge(limit);
  room.add(bytes.length);
  return bytes;
}

/** Undefined at the end. Cancelling the reader ends its read, too. */
async function next(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  silence: TimerQueue,
): Promise<Uint8Array | undefined> {
  let isLate = false;
  const stop = silence.start(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  });
  const { value } = await reader.read().finally(stop);
  if (isLate) throw tooSlow(`Nothing of the body has come for ${silence.milliseconds / 1000} seconds`);
  return value;
}

function tooSlow(reason: string): ServiceError {
  return new ServiceError("slow-request", `${reason}: send it again`, { headers: { Connection: "close" } });
}

/** A client that has disconnected does not get this refusal; one that has ended only its own half does. */
function brokenOff(cause: unknown, stopping: AbortSignal | undefined): ServiceError {
  return stopping?.aborted
    ? tryLater("The upload was cut off: send the request again", 2, cause)
    : badRequest("The body ended before it was complete: send it again", { cause });
}

/** The refusal of a body above the limit. */
export function tooLarge(limit: number): ServiceError {
  return new ServiceError("too-large", `The body is too large: at most ${limit} bytes are accepted`);
}
