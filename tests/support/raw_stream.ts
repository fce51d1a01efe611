/**
 * An answer that is read piece by piece from the socket: how it is cut into chunks, whether it
 * ends, and leaving in the middle.
 *
 * @module
 */

/** One request on a separate connection; the answer's body is read on demand. */
export class RawStream implements Disposable {
  readonly #connection: Deno.Conn;
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  static async open(port: number, target: string): Promise<RawStream> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    return new RawStream(connection);
  }

  /** Reads one piece of any size; false at the end. A connection that is cut off has ended. */
  async readSome(): Promise<boolean> {
    const piece = new Uint8Array(65536);
    const count = await this.#connection.read(piece).catch((error: unknown) => {
      if (error instanceof Deno.errors.ConnectionReset) return null;
      throw error;
    });
    if (count === null) return false;
    this.#pieces.push(piece.slice(0, count));
    return true;
  }

  /** The status of the answer, of which no more than the first piece is read. */
  async readStatus(): Promise<number> {
    await this.readSome();
    const [first] = this.#pieces;
    return Number(new TextDecoder().decode(first).slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  }

  /** Everything that came, head included. */
  async readAll(): Promise<string> {
    while (await this.readSome());
    return await new Blob(this.#pieces).text();
  }

  /** The number of chunks that hold rows: the last one of a CSV stream is empty. */
  async countChunks(): Promise<number> {
    const text = await this.readAll();
    return [...text.matchAll(/\r\n([0-9a-f]+)\r\n/g)].filter(([, size]) => size !== "0").length;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
