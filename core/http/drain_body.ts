/**
 * Reads the rest of a body that the client is still sending when its answer is ready: a server that leaves it
 * unread has to close the connection, possibly before the client has read the answer.
 *
 * @module
 */

import { pause } from "@/core/base/cooperative.ts";
import { TOGETHER } from "@/core/request/receive_bytes.ts";

/** Milliseconds that an answer waits for the rest of a body. */
const PATIENCE = 500;
/** Bytes; a client with more left to send loses its connection. */
const LARGEST = 16_777_216;
/**
 * Bodies at the same time; the rest of others stays unread, because each has buffers of 130 kB with HTTP/2.
 */
const MOST = 256;

let waiting = 0;

/** Reads and discards an untouched body for a limited time; undefined if there is none. */
export function drainBody(request: Request): Promise<void> | undefined {
  if (request.bodyUsed || !request.body || waiting >= MOST) return undefined;
  return discard(request.body.getReader());
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  waiting++;
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), PATIENCE);
  try {
    await readAll(reader);
  } catch {
    // The client has disconnected.
  } finally {
    waiting--;
    clearTimeout(timer);
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let [size, pieces] = [0, 1]; size <= LARGEST; pieces++) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.length;
    if (pieces % TOGETHER === 0) await pause();
  }
  await reader.cancel();
}
