/**
 * Receives the body of a request: its text within the limits of size, time and memory, and its records.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Settings } from "@/config/settings.ts";
import type { ClientMemory, MemoryRoom } from "@/core/base/client_memory.ts";
import { pause } from "@/core/base/cooperative.ts";
import { isLargeProcess } from "@/core/base/process_memory.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import type { ReadInput, Sender } from "@/plugins/contract.ts";
import { TimerQueue } from "@/plugins/kit/timer_queue.ts";
import { type BodyFormat, BodyReading, type ReadLimits, type Records } from "./read_records.ts";

/** The time without a byte after which reading is given up. */
const SILENCE = new TimerQueue(30_000);
/** Least rate in bytes per millisecond, a kilobyte per second, for each further millisecond. */
const LEAST_RATE = 1;
/** The first bytes of a body are not counted, so that a login works while large bodies are read. */
const FREE = 65_536;
/**
 * Bodies at the same time, above which each also counts with its buffers while the process has much memory.
 */
const MANY = 256;
/** Bytes that the server keeps for a body that has begun. Measured: 130 kB with HTTP/2, 55 kB with HTTP/1. */
const BUFFERS = 131_072;

/** The parts of a request that reading its body uses. */
export interface BodySource {
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The memory of the body and its records. */
  readonly room: MemoryRoom;
  readonly limits: ReadLimits;
}

/** A request whose body may be read. */
interface BodySender extends Sender {
  readonly raw: Request;
  readonly signal: AbortSignal;
  /** The body, if it was read for its digest. */
  readonly held?: { stream(): ReadableStream<Uint8Array> } | undefined;
  readonly service: BodyKeeper & { readonly settings: Pick<Settings, "server.plugin_timeout"> };
}

/** The memory of bodies, and the number of workers that share the process. */
export interface BodyKeeper {
  readonly bodyMemory: ClientMemory;
  readonly group: { readonly workers: number };
}

/** Opens the account of a body. Throws 503 while bodies that have begun use too much. */
export function openRoom(network: string, { bodyMemory, group }: BodyKeeper): MemoryRoom {
  const room = bodyMemory.open(network, FREE);
  if (bodyMemory.rooms > MANY && isLargeProcess(group)) room.add(FREE + BUFFERS);
  return room;
}

/** Runs work on a request's body, whose memory is counted until the work is done. */
export async function withBody<T>(
  sender: BodySender,
  work: (source: BodySource) => Promise<T>,
): Promise<T> {
  const { raw, held, client, headers, service } = sender;
  using room = openRoom(client.network, service);
  const seconds = service.settings["server.plugin_timeout"];
  return await work({
    headers,
    room,
    limits: {
      seconds,
      get signal() {
        return sender.signal;
      },
    },
    get body() {
      return held ? held.stream() : raw.body;
    },
  });
}

/** A body before its records are read. */
export interface Body {
  /**
   * Its records as written; the final value tells whether they are a list.
   * Throws 400 for mistakes in the format.
   */
  readonly records: Records;
  /** The format's name for messages: `JSON`. */
  readonly label: string;
}

/** Receives the whole body. Throws 413 above the limit, 503 without memory and 400 if it is not text. */
export async function receiveBody(
  source: BodySource,
  format: BodyFormat,
  { input, limit }: { readonly input: Omit<ReadInput, "signal">; readonly limit: number },
): Promise<Body> {
  const label = format.name.toUpperCase();
  const options = { limit, label, charset: format.charset };
  const sent = format.format.binary ? await readBytes(source, options) : await readText(source, options);
  // Large bodies that end at the same time begin one after another.
  if (sent.length > FREE) await pause();
  const reading = new BodyReading(format, source.limits, source.room);
  return { records: await reading.begin(sent, input), label };
}

/** The options of reading a body as text. */
interface TextOptions {
  /** Largest size in bytes. */
  readonly limit: number;
  /** The expected content, for messages. */
  readonly label: string;
  readonly charset: string;
  /** The time without a byte after which reading is given up. Default: 30 seconds. */
  readonly silence?: TimerQueue;
}

/**
 * Reads the whole body as text. Throws 413 and 400, 408 for a slow client, 503 without
 * memory or when the service stops.
 */
export async function readText(
  source: Pick<BodySource, "body" | "room">,
  options: TextOptions,
): Promise<string> {
  return decode(await collect(source, options), options.charset, options.label);
}

/** The bytes of a body. Throws as {@link readText}. */
export async function readBytes(
  source: Pick<BodySource, "body" | "room">,
  options: Pick<TextOptions, "limit" | "silence">,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await collect(source, options));
}

async function collect(
  { body, room }: Pick<BodySource, "body" | "room">,
  { limit, silence = SILENCE }: Pick<TextOptions, "limit" | "silence">,
): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  const begun = performance.now();
  let size = 0;
  try {
    for (let piece = await next(reader, silence); piece; piece = await next(reader, silence)) {
      size += piece.length;
      if (size > limit) throw tooLarge(limit);
      if (performance.now() - begun > silence.milliseconds + size / LEAST_RATE) {
        throw tooSlow("The body comes too slowly");
      }
      room.add(piece.length);
      chunks.push(piece);
    }
  } catch (cause) {
    // The client gets this refusal, whatever happens to the rest of the body.
    reader.cancel().catch(() => {});
    throw cause instanceof ServiceError ? cause : brokenOff(cause);
  }
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks, size);
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
  return new ServiceError("slow-request", `${reason}: send it again`, {
    headers: { Connection: "close" },
  });
}

/** `Deno.serve` closes a body both when it stops and when the client disconnects, so the cause is unknown. */
function brokenOff(cause: unknown): ServiceError {
  if (cause instanceof Deno.errors.BadResource) {
    const options = { headers: { "Retry-After": "2" }, cause };
    return new ServiceError("unavailable", "The upload was cut off: send the request again", options);
  }
  return badRequest("The body ended before it was complete: send it again", { cause });
}

/** Refuses a body by its `Content-Length` before any of it is read. */
export function requireSize(headers: Headers, limit: number): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError("too-large", `The body is too large: at most ${limit} bytes are accepted`);
}

function decode(bytes: Uint8Array, charset: string, label: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw badRequest(
      `Could not parse ${label}: the body is not ${charset} text: send that, or name its charset in Content-Type`,
      { cause },
    );
  }
}
