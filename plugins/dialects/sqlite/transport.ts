/**
 * Starts workers, exchanges lines with them, and stops them.
 *
 * A statement inside SQLite cannot be stopped from outside its thread: better-sqlite3 has no interrupt, and a terminated
 * Deno worker keeps running until SQLite returns, for ever if the statement is endless (tried with Deno 2.9.6). A process
 * can be killed, starts about as fast (40 ms against 30) and answers as fast (0.15 ms), so workers are processes wherever
 * possible.
 *
 * @module
 */

import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { LineBuffer } from "./lines.ts";

/** The service's end of the connection to one worker. */
export interface Transport {
  /** Never throws: {@link Receiver.ended} reports the end of the worker. */
  send(line: string): void;
  /** Stops any work at once; resolves when the worker is gone. */
  stop(): Promise<void>;
}

/** The receiver of a worker's messages. */
export interface Receiver {
  /** One message, without the end of its line. */
  line(text: string): void;
  /** The worker has ended, stopped or not. */
  ended(): void;
}

const WORKER = new URL("./worker.ts", import.meta.url);

/** A compiled binary cannot run another script, and the operator may have denied the permission to run programs. */
export async function canRunProcesses(): Promise<boolean> {
  if (Deno.build.standalone) return false;
  const permission = await Deno.permissions.query({ name: "run", command: Deno.execPath() });
  return permission.state === "granted";
}

/** A worker in a separate process, which can be stopped in the middle of a statement. */
export function startProcess(receiver: Receiver): Transport {
  const child = spawnWorker();
  const input = child.stdin.getWriter();
  const output = readLines(child.stdout, receiver).catch(broken);
  const ended = Promise.all([child.status, output]).then(() => receiver.ended());
  const finished = Promise.all([ended, input.closed.catch(broken)]);
  return {
    send: (line) => void input.write(new TextEncoder().encode(`${line}\n`)).catch(broken),
    async stop() {
      kill(child);
      await input.abort().catch(broken);
      await finished;
    },
  };
}

/** Throws `unavailable`: descriptors, memory or processes may be exhausted temporarily. */
function spawnWorker() {
  try {
    return new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--cached-only", ...PERMISSIONS, WORKER.href],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
      // Signals to the service's process group must not end a worker that is starting.
      detached: true,
    }).spawn();
  } catch (cause) {
    throw new DatabaseFailure("unavailable", "A worker cannot be started", { cause });
  }
}

/** The permissions for loading and opening; native code opens the files, outside Deno's control. */
const PERMISSIONS = ["--allow-read", "--allow-env", "--allow-sys", "--allow-ffi"] as const;

/** A worker in a thread, where processes are impossible: its statements always run to their end. */
export function startThread(receiver: Receiver): Transport {
  const worker = new Worker(WORKER, { type: "module" });
  worker.onmessage = (event: MessageEvent<string>) => receiver.line(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    receiver.ended();
  };
  return {
    send: (line) => worker.postMessage(line),
    stop() {
      worker.terminate();
      receiver.ended();
      return Promise.resolve();
    },
  };
}

async function readLines(output: ReadableStream<Uint8Array>, receiver: Receiver): Promise<void> {
  const buffer = new LineBuffer();
  for await (const bytes of output) {
    for (const line of buffer.take(bytes)) receiver.line(line);
  }
}

/** The process may have ended meanwhile. */
function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** A broken pipe means that the process has ended, which {@link Receiver.ended} reports. */
function broken(): void {}
