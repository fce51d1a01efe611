/**
 * HTTP requests exactly as they are written: a URL parser would fold `..` and encode `<`.
 *
 * @module
 */

import { inTime } from "@/tests/support/until.ts";

/** One request. The headers `Host` and `Connection` are added if they are absent. */
export interface RawRequest {
  readonly method?: string;
  /** The request's target, sent unchanged: `/db/Demo/../x`. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Awaited after the head was sent, before the body is. */
  readonly beforeBody?: () => Promise<unknown>;
}

/** An answer that was read to its end. */
export interface RawAnswer {
  /** `HTTP/1.1 200 OK`. */
  readonly statusLine: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Sends one request on a separate connection. */
export async function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  using connection = await RawConnection.open(port);
  return await connection.send({ ...request, headers: { Connection: "close", ...request.headers } });
}

/**
 * Sends requests on so many connections side by side, each one request after the other. After the first
 * failure nothing more is sent, and everything has ended before it is thrown.
 */
export async function sendSideBySide<Sent extends RawRequest>(
  port: number,
  requests: readonly Sent[],
  { connections, check }: {
    readonly connections: number;
    /** Throws for an unexpected answer. */
    check(answer: RawAnswer, request: Sent): void;
  },
): Promise<void> {
  const waiting = requests.values();
  let hasFailed = false;
  const work = async () => {
    using connection = await RawConnection.open(port);
    for (const request of waiting) {
      if (hasFailed) return;
      check(await connection.send(request), request);
    }
  };
  const fail = (error: unknown) => {
    hasFailed = true;
    throw error;
  };
  const ended = await Promise.allSettled(Array.from({ length: connections }, () => work().catch(fail)));
  for (const end of ended) if (end.status === "rejected") throw end.reason;
}

/** A connection that sends one request after the other and stays open as long as the service keeps it. */
export class RawConnection implements Disposable {
  readonly #port: number;
  #connection: Deno.Conn;
  #reader: ByteReader;
  /** The service has said that it closes this connection. */
  #isOver = false;

  private constructor(connection: Deno.Conn, port: number) {
    this.#connection = connection;
    this.#port = port;
    this.#reader = new ByteReader(connection);
  }

  static async open(port: number): Promise<RawConnection> {
    return new RawConnection(await connect(port), port);
  }

  async send(request: RawRequest): Promise<RawAnswer> {
    if (this.#isOver) await this.#openAnew();
    const { method, body = "", beforeBody } = request;
    const head = headOf(request, this.#port);
    await this.#write(beforeBody ? head : head + body);
    if (beforeBody) {
      await beforeBody();
      await this.#write(body);
    }
    const answer = await readAnswer(this.#reader, method === "HEAD");
    this.#isOver = answer.headers.get("connection") === "close";
    return answer;
  }

  async #write(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
  }

  async #openAnew(): Promise<void> {
    this.#connection.close();
    this.#connection = await connect(this.#port);
    this.#reader = new ByteReader(this.#connection);
    this.#isOver = false;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}

function connect(port: number): Promise<Deno.Conn> {
  return Deno.connect({ hostname: "127.0.0.1", port });
}

function headOf({ method = "GET", target, headers = {}, body }: RawRequest, port: number): string {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const all = {
    ...(given.has("host") ? {} : { Host: `127.0.0.1:${port}` }),
    ...(body === undefined ? {} : { "Content-Length": String(new TextEncoder().encode(body).length) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

async function readAnswer(reader: ByteReader, isHead: boolean): Promise<RawAnswer> {
  const statusLine = await reader.line();
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  const headers = new Headers();
  for (let line = await reader.line(); line !== ""; line = await reader.line()) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const hasBody = !isHead && status !== 204 && status !== 304;
  const bytes = hasBody ? await readBody(reader, headers) : new Uint8Array();
  return {
    statusLine,
    status,
    headers,
    bytes,
    get text() {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    },
  };
}

async function readBody(reader: ByteReader, headers: Headers): Promise<Uint8Array> {
  const length = headers.get("content-length");
  if (length !== null) return await reader.bytes(Number(length));
  if (headers.get("transfer-encoding") !== "chunked") return await reader.rest();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const size = parseInt(await reader.line(), 16);
    const chunk = await reader.bytes(size);
    await reader.line();
    if (size === 0) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    chunks.push(chunk);
  }
}

/** Bytes of a connection, piece by piece as a caller needs them. */
class ByteReader {
  readonly #connection: Deno.Conn;
  /** Unread data is between `start` and `end`. */
  #buffer = new Uint8Array(65536);
  #start = 0;
  #end = 0;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** Up to the next line break, which is taken off. Headers are Latin-1. */
  async line(): Promise<string> {
    for (let from = this.#start;;) {
      const at = this.#buffer.subarray(0, this.#end).indexOf(10, from);
      if (at >= 0) return String.fromCharCode(...this.#take(at + 1 - this.#start)).replace(/\r?\n$/, "");
      const searched = this.#end - this.#start;
      await this.#more();
      from = this.#start + searched;
    }
  }

  async bytes(count: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#end - this.#start < count) await this.#more();
    return this.#take(count);
  }

  async rest(): Promise<Uint8Array<ArrayBuffer>> {
    while (await this.#read());
    return this.#take(this.#end - this.#start);
  }

  #take(count: number): Uint8Array<ArrayBuffer> {
    const taken = this.#buffer.slice(this.#start, this.#start + count);
    this.#start += count;
    return taken;
  }

  async #more(): Promise<void> {
    if (!await this.#read()) throw new Error("The connection ended within an answer");
  }

  async #read(): Promise<boolean> {
    this.#makeRoom();
    const read = this.#connection.read(this.#buffer.subarray(this.#end));
    const count = await inTime(read, "More of an answer");
    this.#end += count ?? 0;
    return count !== null;
  }

  /** Moves the unread data to the front; a buffer that is more than half full is doubled. */
  #makeRoom(): void {
    const left = this.#buffer.subarray(this.#start, this.#end);
    const isFull = left.length * 2 > this.#buffer.length;
    const target = isFull ? new Uint8Array(this.#buffer.length * 2) : this.#buffer;
    target.set(left);
    [this.#buffer, this.#start, this.#end] = [target, 0, left.length];
  }
}
