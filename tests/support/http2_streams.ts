/**
 * A client of HTTP/2 without encryption that asks on many streams of one connection, and takes no
 * byte of an answer, or ends no body.
 *
 * @module
 */

const HEAD = 9;
/** Types of frames (RFC 9113, section 6). */
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
/** The last frame of a request, with all of its headers. */
const END = 0x5;
/** The last frame of headers, before a body. */
const END_HEADERS = 0x4;
/** The setting for the bytes of an answer that the client takes unasked. */
const INITIAL_WINDOW_SIZE = 4;

function frame(type: number, flags: number, stream: number, payload: readonly number[]): number[] {
  const { length } = payload;
  const place = [stream >> 24, stream >> 16, stream >> 8, stream].map((byte) => byte & 0xff);
  return [length >> 16, (length >> 8) & 0xff, length & 0xff, type, flags, ...place, ...payload];
}

const bytesOf = (text: string) => [...new TextEncoder().encode(text)];

/** The methods, by their index in the static table. */
const GET = 0x82;
const POST = 0x83;

/**
 * Without compression (RFC 7541): the method, http, the path, the authority, and JSON as the type of a body.
 */
function headersOf(method: number, path: string): readonly number[] {
  const texts = [[0x04, path], [0x01, "localhost"], ...(method === POST ? [CONTENT_TYPE] : [])] as const;
  const literals = texts.flatMap(([name, text]) => [...indexOf(name), text.length, ...bytesOf(text)]);
  return [method, 0x86, ...literals];
}

const CONTENT_TYPE = [31, "application/json"] as const;

/** Of a name in the static table; four bits, and more in another byte. */
function indexOf(name: number): readonly number[] {
  return name < 15 ? [name] : [15, name - 15];
}

/** One connection. */
export class Http2Streams implements Disposable {
  readonly #connection: Deno.Conn;
  readonly #reading: Promise<void>;
  #streams = 0;
  /** Answers whose headers have come. */
  answered = 0;

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
    this.#reading = this.#read();
  }

  /** Opens a connection and asks `count` times. */
  static async open(port: number, path: string, count: number): Promise<Http2Streams> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const client = new Http2Streams(connection);
    const settings = frame(SETTINGS, 0, 0, [0, INITIAL_WINDOW_SIZE, 0, 0, 0, 0]);
    await client.#write([...bytesOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...settings]);
    for (let time = 0; time < count; time++) await client.ask(path);
    return client;
  }

  ask(path: string): Promise<void> {
    return this.#write(frame(HEADERS, END, 2 * this.#streams++ + 1, headersOf(GET, path)));
  }

  /** Begins a JSON body. */
  async begin(path: string): Promise<void> {
    const stream = 2 * this.#streams++ + 1;
    await this.#write([
      ...frame(HEADERS, END_HEADERS, stream, headersOf(POST, path)),
      ...frame(DATA, 0, stream, bytesOf("{")),
    ]);
  }

  /** Resolves when the connection has ended. */
  get ended(): Promise<void> {
    return this.#reading;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  async #write(bytes: readonly number[]): Promise<void> {
    const rest = new Uint8Array(bytes);
    for (let at = 0; at < rest.length;) at += await this.#connection.write(rest.subarray(at));
  }

  async #read(): Promise<void> {
    let waiting: number[] = [];
    const piece = new Uint8Array(65536);
    // A connection that was closed, here or there, has ended.
    const read = () => this.#connection.read(piece).catch(() => null);
    for (let count = await read(); count !== null; count = await read()) {
      waiting.push(...piece.subarray(0, count));
      for (let length = lengthOf(waiting); waiting.length >= length; length = lengthOf(waiting)) {
        if (waiting[3] === HEADERS) this.answered++;
        waiting = waiting.slice(length);
      }
    }
  }
}

/** Bytes of the first frame; Infinity until its head is there. */
function lengthOf([high = 0, middle = 0, low = 0, ...rest]: readonly number[]): number {
  return rest.length < HEAD - 3 ? Infinity : HEAD + (high << 16) + (middle << 8) + low;
}
