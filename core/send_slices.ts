/**
 * Sends large answers only as fast as their clients take them.
 *
 * @module
 */

import { type Bytes, SLICE } from "./write_body.ts";

/** The body of a response; what has been sent is let go. */
export function sendSlices(slices: readonly Bytes[]): ReadableStream<Bytes> {
  const waiting = cut([...slices]);
  return new ReadableStream<Bytes>({
    pull(controller) {
      const { value, done } = waiting.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void waiting.return(),
  }, { highWaterMark: 0 });
}

/** A format may give more in one piece than a slice has. */
function* cut(slices: Bytes[]): Generator<Bytes, void, void> {
  for (let slice = slices.shift(); slice; slice = slices.shift()) {
    for (let at = 0; at < slice.length; at += SLICE) yield slice.subarray(at, at + SLICE);
  }
}
