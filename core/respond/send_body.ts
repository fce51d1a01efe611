/**
 * Sends bodies as fast as their clients read, and gives up those that are not read.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import { METERS } from "@/core/base/meters.ts";
import type { Log } from "@/plugins/contract.ts";
import { type Built, type Bytes, SLICE } from "./write_body.ts";

/** A body that is created while it is sent. */
export interface Source {
  /** The next piece; undefined at the end. */
  next(): Eventual<Bytes | undefined>;
  /** Releases all resources; called once, at the end or earlier. */
  end(): Eventual<void>;
}

interface SendOptions {
  /** That of the request. */
  readonly log: Log;
  /** Aborted when the client disconnects, on Node's server before the body is cancelled. */
  readonly signal?: AbortSignal;
  /** Milliseconds that a client may wait between two pieces. Default: 30,000. */
  readonly patience?: number;
}

const PATIENCE = 30_000;

/** Node's adapter shows its message to the client, and all of it on standard error. The log has its cause. */
function cutOff(): Error {
  const error = new Error("The answer was cut off");
  error.stack = error.message;
  return error;
}

/**
 * The body of a response. An error ends the connection on Node's server; `Deno.serve` leaves it open. The
 * body's resources are released in both cases.
 */
export function sendBody(source: Source, options: SendOptions): ReadableStream<Bytes> {
  const { log, signal, patience = PATIENCE } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = async () => {
    isOver = true;
    clearTimeout(timer);
    try {
      await source.end();
    } catch (error) {
      log.error("A stream could not be ended", error);
    }
  };
  const expectReader = (controller: ReadableStreamDefaultController<Bytes>) => {
    timer = setTimeout(() => {
      METERS.count("rowhouse_cut_off_total", "reader");
      log.warn(`A client took nothing of its answer for ${patience / 1000} seconds and was cut off`);
      void end();
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
          expectReader(controller);
          // `Deno.serve` may cancel the body within this call.
          return controller.enqueue(piece);
        }
        controller.close();
        await end();
      } catch (error) {
        // A disconnected client has cancelled the work.
        if (isOver) return;
        if (!signal?.aborted) log.error("A stream was cut off", error);
        await end();
        controller.error(cutOff());
      }
    },
    cancel: end,
  }, { highWaterMark: 0 });
}

/** Node's adapter keeps so many pieces until the end of the answer, so these are short. */
const KEPT = 2;
const SHORT = 1024;

/** A complete body; each slice is released when the client requests the next. */
export function builtSource({ slices, room }: Built): Source {
  const waiting = [...slices];
  let [slice, at, taken, pieces] = [waiting.shift(), 0, 0, 0];
  return {
    next() {
      room.release(taken);
      if (slice && at >= slice.length) [slice, at] = [waiting.shift(), 0];
      const piece = pieces++ < KEPT ? slice?.slice(at, at + SHORT) : slice?.subarray(at, at + SLICE);
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
