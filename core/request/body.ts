/**
 * Receives the body of a request: its text within the limits of size, time and memory, and its records.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";
import type { ClientMemory, MemoryRoom } from "@/core/base/client_memory.ts";
import { pause } from "@/core/base/cooperative.ts";
import { whenThere } from "@/core/base/eventual.ts";
import { isLargeProcess } from "@/core/base/process_memory.ts";
import { badRequest } from "@/core/errors.ts";
import type { ReadInput, Sender } from "@/plugins/contract.ts";
import { isSmall, receiveBytes, type ReceiveLimits, type SentBytes, tooLarge } from "./receive_bytes.ts";
import { type BodyFormat, BodyReading, type ReadLimits, type Records } from "./read_records.ts";

/** The first bytes of a body are not counted, so that a login works while large bodies are read. */
const FREE = 65_536;
/**
 * Bodies at the same time, above which each also counts with its buffers while the process has much memory.
 */
const MANY = 256;
/** Bytes that the server keeps for a body that has begun. Measured: 130 kB with HTTP/2, 55 kB with HTTP/1. */
const BUFFERS = 131_072;

/** The parts of a request that reading its body uses. */
export interface BodySource extends SentBytes {
  readonly headers: Headers;
  readonly limits: ReadLimits;
  /** True: its length is known and small. Absent: it is not. */
  readonly isSmall?: boolean;
}

/** A request whose body may be read. */
interface BodySender extends Sender {
  readonly raw: Request;
  readonly signal: AbortSignal;
  /** The body, if it was read for its digest. */
  readonly held?: { stream(): ReadableStream<Uint8Array> } | undefined;
  readonly service: BodyKeeper & {
    readonly settings: Pick<Settings, "server.plugin_timeout">;
    readonly stopping: AbortSignal;
  };
}

/** The memory of bodies, and the number of workers that share the process. */
export interface BodyKeeper {
  readonly bodyMemory: ClientMemory;
  readonly group: { readonly workers: number };
}

/** Opens the room of a body. Throws 503 while bodies that have begun use too much. */
export function openRoom(network: string, { bodyMemory, group }: BodyKeeper): MemoryRoom {
  const room = bodyMemory.open(network, FREE);
  if (bodyMemory.rooms > MANY && isLargeProcess(group)) room.add(FREE + BUFFERS);
  return room;
}

/** Runs work on a request's body, whose memory is counted until the work is done. */
export async function withBody<T>(sender: BodySender, work: (source: BodySource) => Promise<T>): Promise<T> {
  using room = openRoom(sender.client.network, sender.service);
  return await work(new SentBody(sender, room));
}

/** The body of a request, and the limits of its format's work. */
class SentBody implements BodySource, ReadLimits {
  readonly headers: Headers;
  readonly room: MemoryRoom;
  readonly seconds: number;
  readonly isSmall: boolean;
  readonly #sender: BodySender;

  constructor(sender: BodySender, room: MemoryRoom) {
    this.headers = sender.headers;
    this.isSmall = isSmall(sender.headers);
    this.room = room;
    this.seconds = sender.service.settings["server.plugin_timeout"];
    this.#sender = sender;
  }

  get limits(): ReadLimits {
    return this;
  }

  get signal(): AbortSignal {
    return this.#sender.signal;
  }

  get stopping(): AbortSignal {
    return this.#sender.service.stopping;
  }

  get body(): ReadableStream<Uint8Array> | null {
    const { held, raw } = this.#sender;
    return held ? held.stream() : raw.body;
  }

  whole(): Promise<ArrayBuffer> | undefined {
    const { held, raw } = this.#sender;
    return held || !this.isSmall ? undefined : raw.arrayBuffer();
  }
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
  /** The body has no bytes. Absent: it has some. */
  readonly isEmpty?: boolean;
}

/** Receives the whole body. Throws 413 above the limit, 503 without memory and 400 if it is not text. */
export function receiveBody(
  source: BodySource,
  format: BodyFormat,
  { input, limit }: { readonly input: Omit<ReadInput, "signal">; readonly limit: number },
): Promise<Body> {
  const label = format.name.toUpperCase();
  return receiveBytes(source, { limit }).then((bytes) => {
    const sent = format.format.binary ? new Uint8Array(bytes) : decode(bytes, format.charset, label);
    // Large bodies that end at the same time begin one after another.
    return whenThere(sent.length > FREE ? pause() : undefined, () => {
      const records = new BodyReading(format, source.limits, source.room).begin(sent, input);
      return whenThere(records, (read): Body => ({ records: read, label, isEmpty: bytes.length === 0 }));
    });
  });
}

interface TextOptions extends ReceiveLimits {
  /** The expected content, for messages. */
  readonly label: string;
  readonly charset: string;
}

/**
 * Reads the whole body as text. Throws 413 and 400, 408 for a slow client, 503 without
 * memory or when the service stops.
 */
export async function readText(source: SentBytes, options: TextOptions): Promise<string> {
  return decode(await receiveBytes(source, options), options.charset, options.label);
}

/** The bytes of a body. Throws as {@link readText}. */
export async function readBytes(source: SentBytes, options: ReceiveLimits): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await receiveBytes(source, options));
}

/** Refuses a body by its `Content-Length` before any of it is read. */
export function requireSize(headers: Headers, limit: number): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > limit) throw tooLarge(limit);
}

/** Without `stream` a decoder keeps nothing from one body to the next. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array, charset: string, label: string): string {
  try {
    const decoder = charset === "utf-8" ? UTF_8 : new TextDecoder(charset, { fatal: true });
    return decoder.decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw badRequest(
      `Could not parse ${label}: the body is not ${charset} text: send that, or name its charset in Content-Type`,
      { cause },
    );
  }
}
