/**
 * Splits arriving bytes into lines of text.
 *
 * @module
 */

/** One stream of UTF-8 bytes in arbitrary pieces. Text after the last line end is kept for the next bytes. */
export class LineBuffer {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line, in pieces: a line of many megabytes is joined only once. */
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
