/**
 * Servers under test, each in a process that ends with its scope.
 *
 * @module
 */

/** The permissions of `deno task start`. */
const PERMISSIONS = ["read", "write", "net", "env", "sys", "ffi", "run"].map((name) => `--allow-${name}`);
const START_TIMEOUT = 30_000;
const STOP_TIMEOUT = 12_000;

/** A running server and its address, `http://127.0.0.1:PORT`. */
export class Server implements AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    this.pid = child.pid;
  }

  /**
   * Runs `deno run` with the permissions of `deno task start` and waits until it prints its address.
   * `folder`: that of another checkout.
   */
  static async start(args: readonly string[], folder?: string): Promise<Server> {
    const root = folder ?? new URL("../", import.meta.url);
    const command = new Deno.Command(Deno.execPath(), {
      args: ["run", ...PERMISSIONS, ...args],
      cwd: root,
      stdout: "piped",
      stderr: "inherit",
    });
    const child = command.spawn();
    try {
      return new Server(child, await address(child.stdout));
    } catch (cause) {
      await stop(child);
      throw new Error(`Cannot start ${args.join(" ")}`, { cause });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stop(this.#child);
  }
}

/** The address in the output. Later output is read and discarded, so that the server never blocks. */
async function address(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => reject(new Error(`It did not listen after ${START_TIMEOUT} ms`)),
    START_TIMEOUT,
  );
  let text = "";
  const find = new WritableStream<string>({
    write(part) {
      text = (text + part).slice(-1000);
      const url = /^listening on (http:\/\/\S+?)\/?\s/m.exec(text)?.[1];
      if (url) resolve(url);
    },
    close: () => reject(new Error("It ended before it listened")),
  });
  output.pipeThrough(new TextDecoderStream()).pipeTo(find).catch(reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a process, by force if it takes too long. */
export async function stop(child: Deno.ChildProcess): Promise<void> {
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT);
  try {
    child.kill("SIGTERM");
  } catch (error) {
    // It may have ended already.
    if (!(error instanceof TypeError)) throw error;
  }
  await child.status;
  clearTimeout(timer);
}
