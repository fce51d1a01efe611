/**
 * One worker in the service: one caller at a time sends a request and takes the answers.
 *
 * Workers are processes wherever possible, because nothing stops a statement of SQLite in a thread: see
 * `docs/decisions/sqlite-processes.md`.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure, lacksDescriptors } from "@/plugins/kit/database_failure.ts";
import type { PooledSession } from "@/plugins/kit/session_pool.ts";
import { failureOf, unresponsive, WorkerEnded } from "./failures.ts";
import { type Answer, LineBuffer, type Request, unpackRows } from "./protocol.ts";

/** The service's end of the connection to one worker. */
interface Transport {
  /** Never throws: {@link Receiver.ended} reports the end of the worker. */
  send(line: string): void;
  /** Stops any work at once; resolves when the worker is gone. */
  stop(): Promise<void>;
}

/** The receiver of a worker's messages. */
export interface Receiver {
  /** One message, without the end of its line. */
  line(text: string): void;
  /** A message has not reached the worker, which runs only whole messages. */
  lost(): void;
  /** The worker has ended, stopped or not. Called after {@link lost}. */
  ended(): void;
}

/** Seconds that an unneeded worker may take to end. */
const PATIENCE = 5;

type Given = Exclude<Answer, { kind: "error" }>;

/** The end of the answers to a request. */
type Done = Extract<Answer, { kind: "done" }>;

/** Owns the worker's process or thread; unusable once its transport ends. */
export class Lane implements PooledSession {
  /** Resolves when the worker has opened its file. */
  readonly started: Promise<unknown>;
  readonly #transport: Transport;
  readonly #answers: Answer[] = [];
  #waiting: PromiseWithResolvers<void> | undefined;
  #ended = false;
  #isLost = false;
  #isStarted = false;

  constructor(start: (receiver: Receiver) => Transport, greeting: Request) {
    this.#transport = start({
      line: (text) => this.#take(text),
      lost: () => this.#isLost = true,
      ended: () => this.#end(),
    });
    this.started = this.ask(greeting);
    this.started.then(() => this.#isStarted = true, () => {});
  }

  /** True if {@link started} has resolved. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  get alive(): boolean {
    return !this.#ended;
  }

  /** Sends a request and returns its first answer. */
  ask(request: Request): Promise<Given> {
    if (this.#ended) return Promise.reject(new WorkerEnded(true));
    this.send(request);
    return this.#next();
  }

  /** Sends a request, adds the rows of each run to its result, and returns the last answer. */
  async collect(request: Request, results: readonly Row[][]): Promise<Done> {
    let answer = await this.ask(request);
    while (answer.kind === "rows") {
      const result = results[answer.run];
      for (const row of answer.rows) result?.push(row);
      answer = await this.#next();
    }
    if (answer.kind !== "done") throw new TypeError("The worker answers another request");
    return answer;
  }

  send(request: Request): void {
    this.#transport.send(JSON.stringify(request));
  }

  /** Ends an idle worker gracefully: the last handle to close a file removes its write-ahead log. */
  async end(): Promise<void> {
    const closed = this.ask({ kind: "end" });
    // Whether it closes the file or is stopped, committed changes are safe.
    await bounded(closed, { seconds: PATIENCE, expired: unresponsive }).catch(() => {});
    await this.stop();
  }

  /** Stops it, even in the middle of a statement. */
  async stop(): Promise<void> {
    this.#end();
    await this.#transport.stop();
  }

  /** The next answer; throws the worker's error, or that it has ended. */
  async #next(): Promise<Given> {
    while (this.#answers.length === 0 && !this.#ended) {
      this.#waiting = Promise.withResolvers();
      await this.#waiting.promise;
    }
    const answer = this.#answers.shift();
    if (!answer) throw new WorkerEnded(this.#isLost);
    if (answer.kind === "error") throw failureOf(answer);
    if (answer.kind === "rows" && answer.packed) unpackRows(answer.rows);
    return answer;
  }

  #take(text: string): void {
    this.#answers.push(JSON.parse(text) as Answer);
    this.#waiting?.resolve();
  }

  #end(): void {
    this.#ended = true;
    this.#waiting?.resolve();
  }
}

const WORKER = new URL("./worker.ts", import.meta.url);

/** The permissions for loading and opening; native code opens the files, outside Deno's control. */
const PERMISSIONS = ["--allow-read", "--allow-env", "--allow-sys", "--allow-ffi"] as const;

/**
 * A worker in a separate process, which can be stopped in the middle of a statement. `onFall` gets
 * the reason when it ends by itself.
 */
export function startProcess(receiver: Receiver, onFall?: (reason: string) => void): Transport {
  const child = spawnWorker();
  let isStopped = false;
  void child.status.then(({ success, signal, code }) => {
    if (success || isStopped) return;
    onFall?.(`process ${child.pid} ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}`);
  });
  const input = child.stdin.getWriter();
  const output = readLines(child.stdout, receiver).catch(broken);
  let sent: Promise<unknown> = Promise.resolve();
  const ended = Promise.all([child.status, output]).then(() => sent).then(() => receiver.ended());
  const finished = Promise.all([ended, input.closed.catch(broken)]);
  return {
    send(line) {
      sent = input.write(new TextEncoder().encode(`${line}\n`)).catch(() => receiver.lost());
    },
    async stop() {
      isStopped = true;
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
    const failure = lacksDescriptors(cause) ? "storage" : "unavailable";
    throw new DatabaseFailure(failure, "A process for statements cannot be started", { cause });
  }
}

/** Reads into one piece of memory: a stream by itself makes one of 64 KB for each message. */
async function readLines(output: ReadableStream<Uint8Array>, receiver: Receiver): Promise<void> {
  const buffer = new LineBuffer();
  const reader = output.getReader({ mode: "byob" });
  let memory = new ArrayBuffer(65536);
  for (;;) {
    const { value, done } = await reader.read(new Uint8Array(memory));
    if (done) return;
    for (const line of buffer.take(value)) receiver.line(line);
    memory = value.buffer;
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
