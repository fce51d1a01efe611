/**
 * The part of the protocol RESP2 that the requests of a cache are answered with:
 * texts, numbers, nothing, refusals.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** An answer; null: there is no value. */
export type Reply = string | number | null | Refusal;

/** The server refuses a request. */
export class Refusal {
  /** The server's sentence, which begins with a code: `NOAUTH Authentication required.` */
  readonly reason: string;

  constructor(text: string) {
    // "unknown command 'AUTH', with args beginning with: …" repeats what was sent, passwords included.
    this.reason = text.replace(/,? with args.*$/s, "");
  }

  /** Its first word. */
  get code(): string {
    return this.reason.split(" ", 1)[0] ?? "";
  }
}

/** Bytes of a value; those of this service are far smaller. */
const LONGEST_VALUE = 16_777_216;
const LONGEST_LINE = 65_536;
const LINE_END = "\r\n";

/** Cuts what a server sends into its answers. */
export class ReplyReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The answers that are whole with these bytes. Throws for another protocol. */
  take(bytes: Uint8Array): readonly Reply[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const replies: Reply[] = [];
    let at = 0;
    for (let next = replyAt(this.#rest, at); next; next = replyAt(this.#rest, at)) {
      replies.push(next.reply);
      at = next.end;
    }
    this.#rest = this.#rest.subarray(at);
    return replies;
  }
}

/** The answer that begins at an offset, and where it ends. Undefined: it is not whole yet. */
function replyAt(bytes: Buffer, at: number): { readonly reply: Reply; readonly end: number } | undefined {
  if (at === bytes.length) return undefined;
  const kind = String.fromCharCode(bytes[at] ?? 0);
  if (!"+-:$".includes(kind)) throw foreign();
  const lineEnd = bytes.indexOf(LINE_END, at);
  if (lineEnd < 0) {
    if (bytes.length - at > LONGEST_LINE) throw foreign();
    return undefined;
  }
  const line = bytes.toString("utf8", at + 1, lineEnd);
  const end = lineEnd + LINE_END.length;
  if (kind === "+") return { reply: line, end };
  if (kind === "-") return { reply: new Refusal(line), end };
  const number = Number(line);
  if (!/^-?\d+$/.test(line)) throw foreign();
  return kind === ":" ? { reply: number, end } : valueAt(bytes, end, number);
}

/** A text of so many bytes; -1: there is no value. */
function valueAt(bytes: Buffer, start: number, length: number): ReturnType<typeof replyAt> {
  if (length === -1) return { reply: null, end: start };
  if (length < 0 || length > LONGEST_VALUE) throw foreign();
  const end = start + length + LINE_END.length;
  if (bytes.length < end) return undefined;
  const text = bytes.toString("utf8", start, start + length);
  if (bytes.toString("latin1", start + length, end) !== LINE_END) throw foreign();
  return { reply: text, end };
}

function foreign(): Error {
  return new Error("It does not speak the protocol of Redis");
}

/** A request, as the server reads it. */
export function requestOf(words: readonly string[]): Buffer {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}${LINE_END}${word}${LINE_END}`);
  return Buffer.from(`*${words.length}${LINE_END}${parts.join("")}`);
}
