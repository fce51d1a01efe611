/**
 * The program as a process of its own, for tests of processes: the command line,
 * signals, workers, crashes, memory.
 *
 * @module
 */

import { join } from "node:path";
import project from "@/deno.json" with { type: "json" };
import { ROOT } from "@/tests/support/root.ts";
import { makeHome, type StartOptions, type TestService } from "@/tests/support/service.ts";
import { fetchInTime, inTime } from "@/tests/support/until.ts";

/**
 * The options of `deno run` in `deno task start`: a service that needs more fails in every test of processes.
 */
export const START: readonly string[] = project.tasks.start.command
  .replace(/"(.*)\$\(deno eval '[^']*'\)(.*)"/, `$1${Deno.execPath()}$2`).split(" ").slice(2, -2);

/** Members that only a process has. */
export interface ProcessOptions extends StartOptions {
  /** The hard limit of its open files; a service with it survives a limit on the size of files, too. */
  readonly openFiles?: number;
}

/** A service in a process of its own; disposing ends it and removes its home directory. */
export interface TestProcess extends TestService, Served {}

/** Runs `main.ts` to its end. */
export async function runMain(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly stdin?: string;
    /** The path of a module that runs before the program. */
    readonly preload?: string;
  } = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { env = {}, preload } = options;
  const child = spawn(args, env, "piped", { preload });
  const writer = child.stdin.getWriter();
  if (options.stdin !== undefined) await writer.write(new TextEncoder().encode(options.stdin));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** A process that serves. */
export interface Served {
  /** `http://127.0.0.1:54321`, without slash. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Waits until something is printed on standard error. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal (default SIGTERM) and returns the exit code and the output. */
  stop(
    signal?: Deno.Signal,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

/** Runs `main.ts serve --port 0` with these arguments and waits until it listens. */
export async function serve(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  openFiles?: number,
): Promise<Served> {
  const child = spawn(["serve", "--port", "0", ...args], env, "null", { openFiles });
  const errors = new Output(child.stderr);
  const output = new Output(child.stdout);
  const port = await output.port();
  if (port === undefined) {
    await child.status;
    throw new Error(`The service did not start: ${await output.text()}${await errors.text()}`);
  }
  let stopped: ReturnType<Served["stop"]> | undefined;
  let hasEnded = false;
  void child.status.then(() => hasEnded = true);
  const stop = async (signal: Deno.Signal) => {
    if (hasEnded) throw new Error(`The service ended by itself: ${await errors.text()}`);
    child.kill(signal);
    const { code } = await inTime(child.status, "The end of the service").catch((error) => {
      child.kill("SIGKILL");
      throw error;
    });
    return { code, stdout: await output.text(), stderr: await errors.text() };
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    said: (pattern) => errors.until(pattern),
    stop: (signal = "SIGTERM") => stopped ??= stop(signal),
  };
}

/**
 * Milliseconds of work of the thread that serves. Unlike those of the clock they do not grow with other work
 * on the machine. On Linux only.
 */
export function workOf({ pid }: Served): number {
  const [nanoseconds] = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/schedstat`).split(" ");
  return Number(nanoseconds) / 1e6;
}

/** Megabytes of memory that the process has in use. On Linux only. */
export function memory(served: Served): number {
  return megabytes("VmRSS", served);
}

/** The most of them that it has ever had in use. */
export function mostMemory(served: Served): number {
  return megabytes("VmHWM", served);
}

function megabytes(name: string, { pid }: Served): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m");
  return Number(line.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1]) / 1024;
}

/** The number of open files and sockets of the process. On Linux only. */
export function descriptors({ pid }: Served): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** Starts the service in a process of its own and waits until it listens. */
export async function startProcess(options: ProcessOptions = {}): Promise<TestProcess> {
  const home = await makeHome(options);
  const remove = () => Deno.remove(home, { recursive: true });
  const args = ["--home", home, ...(options.args ?? [])];
  const served = await serve(args, options.env, options.openFiles).catch(async (error) => {
    await remove();
    throw error;
  });
  return {
    ...served,
    home,
    fetch: (path, init) => fetchInTime(served.url + path, init),
    log: () => Deno.readTextFile(join(home, "log", "rowhouse.log")),
    [Symbol.asyncDispose]: async () => {
      await served.stop();
      await remove();
    },
  };
}

function spawn(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: "piped" | "null",
  { openFiles, preload }: { readonly openFiles?: number | undefined; readonly preload?: string | undefined },
): Deno.ChildProcess {
  const before = preload === undefined ? [] : ["--preload", preload];
  const options = [...START, ...before, "--cached-only"];
  const program = [Deno.execPath(), "run", ...options, join(ROOT, "main.ts"), ...args];
  const limited = ["sh", "-c", `trap "" XFSZ; ulimit -n ${openFiles} && exec "$0" "$@"`, ...program];
  const [command = "", ...rest] = openFiles === undefined ? program : limited;
  return new Deno.Command(command, {
    args: rest,
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** The output of a process. It is always read: a process whose pipe is full would stand still. */
class Output {
  #text = "";
  #hasEnded = false;
  /** Resolves with the next piece, or the end. */
  #next = Promise.withResolvers<void>();

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    void this.#read(stream);
  }

  async port(): Promise<number | undefined> {
    while (!this.#text.includes("\n")) if (!await this.#more()) return undefined;
    const [, port] = /^listening on http:\/\/[^\n]*:(\d+)/.exec(this.#text) ?? [];
    return port === undefined ? undefined : Number(port);
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found) return found;
      if (!await this.#more()) throw new Error(`Nothing like ${pattern} was printed: ${this.#text}`);
    }
  }

  async text(): Promise<string> {
    while (await this.#more());
    return this.#text;
  }

  /** Waits for more; false at the end. */
  async #more(): Promise<boolean> {
    if (this.#hasEnded) return false;
    await inTime(this.#next.promise, "What a process should print");
    return true;
  }

  async #read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
      this.#text += piece;
      this.#wake();
    }
    this.#hasEnded = true;
    this.#wake();
  }

  #wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
