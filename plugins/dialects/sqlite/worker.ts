/**
 * The program of a worker: a process that speaks the protocol over standard input and output or, where
 * processes are impossible, a thread that speaks it in messages.
 *
 * @module
 */

import { LineBuffer } from "./protocol.ts";
import { Session } from "./session.ts";

/** The members that only threads have; Deno's types of both do not fit into one module. */
interface ThreadScope {
  postMessage(text: string): void;
  onmessage: ((event: MessageEvent<string>) => void) | null;
}

/** The signals of Ctrl+C and of service managers; Windows only has the former. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];

/** Characters of answers that are written together: every write wakes the service. */
const MOST_WRITTEN = 65536;

if ("postMessage" in globalThis) serveThread(globalThis as unknown as ThreadScope);
else if (import.meta.main) serveProcess();

function serveThread(scope: ThreadScope): void {
  const session = new Session((line) => scope.postMessage(line));
  scope.onmessage = (event) => session.handle(event.data);
}

/**
 * Blocks while waiting for a line, having nothing else to do. Ends with the service, which closes the pipe.
 */
function serveProcess(): void {
  // These signals may reach the whole process group; the service may still finish running requests.
  for (const signal of SIGNALS) Deno.addSignalListener(signal, () => {});
  let answers = "";
  const write = () => {
    writeAll(answers);
    answers = "";
  };
  const session = new Session((line) => {
    answers += `${line}\n`;
    if (answers.length > MOST_WRITTEN) write();
  });
  for (const line of readLines()) {
    session.handle(line);
    write();
  }
  Deno.exit(0);
}

function* readLines(): Generator<string> {
  const buffer = new LineBuffer();
  const piece = new Uint8Array(65536);
  for (let size = Deno.stdin.readSync(piece); size !== null; size = Deno.stdin.readSync(piece)) {
    yield* buffer.take(piece.subarray(0, size));
  }
}

function writeAll(text: string): void {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
}
