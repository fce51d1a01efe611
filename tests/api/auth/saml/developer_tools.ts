/**
 * The protocol of Chromium's developer tools, as much of it as tests need.
 *
 * @module
 */

/** A refusal by the browser. */
export class ToolsError extends Error {}

/** A connection to the developer tools of a page. */
export class Tools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)));
    socket.onclose = () => this.#giveUp();
  }

  static async connect(url: string): Promise<Tools> {
    const socket = new WebSocket(url);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`Chromium does not answer at ${url}`));
    await promise;
    return new Tools(socket);
  }

  async send(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
  ): Promise<Record<string, unknown>> {
    const id = ++this.#last;
    const waiting = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, waiting);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return await waiting.promise;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.onclose = () => resolve();
    this.#socket.close();
    await promise;
  }

  #take(message: { id?: number; result?: Record<string, unknown>; error?: { message: string } }): void {
    const waiting = this.#waiting.get(message.id ?? 0);
    this.#waiting.delete(message.id ?? 0);
    if (message.error) waiting?.reject(new ToolsError(message.error.message));
    else waiting?.resolve(message.result ?? {});
  }

  #giveUp(): void {
    for (const waiting of this.#waiting.values()) waiting.reject(new Error("Chromium has gone"));
  }
}
