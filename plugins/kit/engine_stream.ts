/**
 * Streams of an engine: portions of any size become chunks of one size.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { bounded, type Limits } from "./bounded.ts";

/** The portions of a cursor, and the work with its connection. */
interface ChunkOptions {
  readonly fetchSize: number;
  /** The limits of each portion; the signal also counts while the reader rests. */
  readonly limits: Limits & { readonly signal: AbortSignal };
  /** Notes that the engine works. */
  run<T>(work: () => T | Promise<T>): Promise<T>;
  /** Ends the connection: the engine is late, or its reader has left. */
  discard(reason: unknown): void;
}

/** Yields chunks of exactly `fetchSize` rows; only the last one may have fewer. */
export async function* chunksOf(
  portions: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
  options: ChunkOptions,
): AsyncGenerator<readonly Row[]> {
  const { fetchSize, limits, discard } = options;
  const onAbort = () => discard(limits.signal.reason);
  limits.signal.addEventListener("abort", onAbort, { once: true });
  const cursor = Symbol.asyncIterator in portions ? portions[Symbol.asyncIterator]() : pausing(portions);
  const next = () => {
    limits.signal.throwIfAborted();
    return bounded(options.run(() => cursor.next()), { ...limits, giveUp: discard });
  };
  let isDone = false;
  let rest: Row[] = [];
  try {
    for (let portion = await next(); !portion.done; portion = await next()) {
      if (rest.length === 0 && portion.value.length === fetchSize) {
        yield portion.value;
        continue;
      }
      for (const row of portion.value) {
        if (rest.push(row) < fetchSize) continue;
        yield rest;
        limits.signal.throwIfAborted();
        rest = [];
      }
    }
    isDone = true;
    if (rest.length > 0) yield rest;
    limits.signal.throwIfAborted();
  } finally {
    limits.signal.removeEventListener("abort", onAbort);
    if (!isDone) {
      // Unread rows would keep the connection busy. The end of a cursor that is
      // late may fail with its connection.
      cursor.return?.().catch(() => {});
      discard(limits.signal.reason);
    }
  }
}

/** Portions that are made in the service's own thread: other requests run between them. */
async function* pausing<T>(portions: Iterable<T>): AsyncGenerator<T> {
  for (const portion of portions) {
    yield portion;
    await new Promise((resolve) => setTimeout(resolve));
  }
}
