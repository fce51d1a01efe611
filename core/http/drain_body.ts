/**
 * What a client is still sending when its answer is ready: a server that answers and leaves it unread has to close the
 * connection, under the feet of a client that has not read the answer yet.
 *
 * @module
 */

/** Milliseconds that an answer waits for the rest of a body. */
const PATIENCE = 500;
/** A client that has more to send than that loses its connection. */
const LARGEST = 16_777_216;

/** Reads a body that nobody has begun to read, for a while. */
export async function takeRest(request: Request): Promise<void> {
  if (request.bodyUsed || !request.body) return;
  const reader = request.body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(ignoreEnd), PATIENCE);
  try {
    await readUpTo(LARGEST, reader);
  } catch (error) {
    ignoreEnd(error);
  } finally {
    clearTimeout(timer);
  }
}

async function readUpTo(limit: number, reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let size = 0; size <= limit;) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.length;
  }
  await reader.cancel();
}

/** Nobody is left to be told that a client went away in the middle of what is not wanted. */
function ignoreEnd(_error: unknown): void {}
