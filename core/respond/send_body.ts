/**
 * Sends bodies only as fast as their clients take them, and gives up those that nobody takes.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import { type Built, type Bytes, SLICE } from "./write_body.ts";
import type { Log } from "@/plugins/contract.ts";

/** A body that is made as it is sent. */
export interface Source {
  /** The next piece; undefined at the end. */
  next(): Eventual<Bytes | undefined>;
  /** Lets go of everything; called once, at the end or before it. */
  end(): Eventual<void>;
}

/** How a body is sent. */
export interface SendOptions {
  readonly requestId: string;
  readonly log: Log;
  /** Milliseconds that a client may leave between two pieces. Default: 30 seconds. */
  readonly patience?: number;
}

const PATIENCE = 30_000;

/** A server may show its message to the client. */
function cutOff(cause?: unknown): Error {
  return new Error("The answer was cut off", { cause });
}

/**
 * The body of a response. An error ends the connection on Node's server; `Deno.serve` leaves it open, and what the body held
 * is let go in any case.
 */
export function sendBody(source: Source, options: SendOptions): ReadableStream<Bytes> {
  const { requestId, log, patience = PATIENCE } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = async () => {
    isOver = true;
    clearTimeout(timer);
    await source.end();
  };
  const expectReader = (controller: ReadableStreamDefaultController<Bytes>) => {
    timer = setTimeout(() => {
      log.warn(
        `A client took nothing of its answer for ${patience / 1000} seconds and was cut off (${requestId})`,
      );
      void end().catch((error: unknown) => log.error("A stream could not be ended", error));
      controller.error(cutOff());
    }, patience);
  };
  return new ReadableStream<Bytes>({
    start: expectReader,
    async pull(controller) {
      clearTimeout(timer);
      try {
        const piece = await source.next();
        if (isOver) return;
        if (piece) {
          controller.enqueue(piece);
          return expectReader(controller);
        }
        controller.close();
        await end();
      } catch (error) {
        // A client that leaves ends what is under way.
        if (isOver) return;
        log.error("A stream was cut off", error);
        await end();
        controller.error(cutOff(error));
      }
    },
    cancel: end,
  }, { highWaterMark: 0 });
}

/** What was built before; each slice is let go when the client asks for the next. */
export function builtSource({ slices, room }: Built): Source {
  const waiting = [...slices];
  let [slice, at, taken] = [waiting.shift(), 0, 0];
  return {
    next() {
      room.release(taken);
      if (slice && at >= slice.length) [slice, at] = [waiting.shift(), 0];
      const piece = slice?.subarray(at, at + SLICE);
      taken = piece?.length ?? 0;
      at += taken;
      return piece;
    },
    end() {
      waiting.length = 0;
      slice = undefined;
      room.close();
    },
  };
}
