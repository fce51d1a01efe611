/**
 * Servers that end with the process that uses them, however that ends.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asServerUser, run } from "./programs.ts";

const SCRIPT = fileURLToPath(new URL("./keeper.sh", import.meta.url));

/** A server to keep running. */
export interface Kept {
  /** Filled by the server; removed with it. */
  readonly directory: string;
  /** The signal that ends the server, in the form of `kill`: `INT`. */
  readonly signal: string;
  readonly command: readonly string[];
}

/** A server that ends with its keeper. */
export class Keeper implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<string>;
  readonly #output: ReadableStreamDefaultReader<string>;

  constructor(kept: Kept) {
    const [program = "", ...args] = keeperCommand(kept);
    this.#child = new Deno.Command(program, {
      args,
      cwd: "/",
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    })
      .spawn();
    const encoder = new TextEncoderStream();
    void encoder.readable.pipeTo(this.#child.stdin);
    this.#input = encoder.writable.getWriter();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Resolves when the command was carried out; a server that was started may need some time still. */
  async tell(command: "start" | "kill"): Promise<void> {
    await this.#input.write(`${command}\n`);
    let answer = "";
    while (!answer.includes("\n")) {
      const { value, done } = await this.#output.read();
      if (done) throw new Error("The keeper of a server has ended");
      answer += value;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close();
    while (!(await this.#output.read()).done);
    await this.#child.status;
  }
}

/** Starts a server without a holder: it ends when the process `parent` does. */
export async function keepBeside(parent: number, kept: Kept): Promise<void> {
  const script = `exec >/dev/null 2>&1 </dev/null; { echo start; tail --pid=${parent} -f /dev/null; } | "$@"`;
  const detached = ["setsid", "--fork", "bash", "-c", script, "keeper"];
  await run([...detached, ...keeperCommand(kept)]);
}

/** The log of the server. */
export async function readLog(directory: string): Promise<string> {
  return await Deno.readTextFile(join(directory, "log")).catch(() => "");
}

function keeperCommand({ directory, signal, command }: Kept): readonly string[] {
  return ["bash", SCRIPT, directory, signal, ...asServerUser(command)];
}
