/**
 * Bytes as they arrive, to whole lines of text.
 *
 * @module
 */

/** One stream of bytes in UTF-8, cut anywhere. What follows the last line's end is kept for the next bytes. */
export class LineBuffer {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line, in pieces: a line of many megabytes is put together once. */
  #pieces: string[] = [];

  /** The lines that end in these bytes. */
  *take(bytes: Uint8Array): Generator<string> {
    const lines = this.#decoder.decode(bytes, { stream: true }).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      const whole = this.#pieces.join("") + line;
      this.#pieces = [];
      yield whole;
    }
    this.#pieces.push(rest);
  }
}
