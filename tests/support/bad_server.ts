/**
 * A server that treats every connection as the test says.
 *
 * @module
 */

/** Listens on a free loopback port until it is disposed of. */
export class BadServer implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections: Deno.Conn[] = [];
  readonly #accepting: Promise<void>;

  constructor(serve: (connection: Deno.Conn) => Promise<void>) {
    this.#accepting = this.#accept(serve);
  }

  /** `127.0.0.1:54321`. */
  get address(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
  }

  async #accept(serve: (connection: Deno.Conn) => Promise<void>): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#connections.push(connection);
      served.push(serve(connection).catch(ignoreClosed));
    }
    for (const connection of this.#connections) closeOnce(connection);
    await Promise.all(served);
  }
}

/** The client gave the connection up first. */
function ignoreClosed(error: unknown): void {
  const { ConnectionReset, BrokenPipe, BadResource, Interrupted } = Deno.errors;
  for (const kind of [ConnectionReset, BrokenPipe, BadResource, Interrupted]) {
    if (error instanceof kind) return;
  }
  throw error;
}

function closeOnce(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
