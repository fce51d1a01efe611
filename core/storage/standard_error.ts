/**
 * Lines on standard error while the service runs. Another thread writes them, because a pipe whose reader has
 * stopped, such as a container's log on a full disk, would hold up all requests.
 *
 * @module
 */

/** Characters that wait for the reader. Later lines are dropped. */
const MOST = 65_536;

let waiting = "";
let isWriting = false;

/** Returns at once. A failure cannot be reported: standard error may be closed, or on a full disk. */
export function writeToStandardError(text: string): void {
  if (waiting.length + text.length > MOST) return;
  waiting += text;
  if (!isWriting) void writeWaiting();
}

async function writeWaiting(): Promise<void> {
  isWriting = true;
  while (waiting !== "") {
    const bytes = new TextEncoder().encode(waiting);
    waiting = "";
    try {
      for (let written = 0; written < bytes.length;) {
        written += await Deno.stderr.write(bytes.subarray(written));
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
  isWriting = false;
}
