/**
 * A client's requests in the detail that tests need: joined from packets, and written as a line.
 *
 * @module
 */

import { Buffer } from "node:buffer";

const HEADER = 8;
/** Bits of a packet's status: the last one of a request, and a session to reset before it. */
const LAST = 1;
const RESET = 8;
const BATCH = 1;
const CALL = 3;
const ATTENTION = 6;
const TRANSACTION = 14;
const LOGIN = 16;
const PRELOGIN = 18;

const KINDS: ReadonlyMap<number, string> = new Map([
  [ATTENTION, "attention"],
  [LOGIN, "login"],
  [PRELOGIN, "prelogin"],
]);
const TRANSACTIONS: ReadonlyMap<number, string> = new Map([[5, "begin"], [7, "commit"], [8, "rollback"]]);
const PROCEDURES: ReadonlyMap<number, string> = new Map([[10, "sp_executesql"]]);

/** Collects the packets of one connection; each request is told as a line when it is whole. */
export class Requests {
  #bytes = Buffer.alloc(0);
  #message: Uint8Array[] = [];
  #isReset = false;
  readonly #onRequest: (line: string) => void;

  constructor(onRequest: (line: string) => void) {
    this.#onRequest = onRequest;
  }

  add(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#bytes.length >= HEADER && this.#bytes.length >= this.#bytes.readUInt16BE(2)) {
      const length = this.#bytes.readUInt16BE(2);
      const whole = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      this.#addPacket(whole);
    }
  }

  #addPacket(bytes: Buffer): void {
    this.#message.push(bytes.subarray(HEADER));
    const status = bytes[1] ?? 0;
    this.#isReset ||= (status & RESET) !== 0;
    if ((status & LAST) === 0) return;
    const message = Buffer.concat(this.#message);
    this.#message = [];
    this.#onRequest(this.#isReset ? "reset" : lineOf(bytes[0] ?? 0, message));
    this.#isReset = false;
  }
}

/** `batch set nocount off`, `sp_executesql`, `begin`. */
function lineOf(kind: number, message: Buffer): string {
  if (kind === BATCH) return `batch ${message.subarray(message.readUInt32LE(0)).toString("utf16le")}`;
  if (kind === CALL) return call(message.subarray(message.readUInt32LE(0)));
  if (kind !== TRANSACTION) return KINDS.get(kind) ?? `request ${kind}`;
  const number = message.readUInt16LE(message.readUInt32LE(0));
  return TRANSACTIONS.get(number) ?? `transaction ${number}`;
}

function call(message: Buffer): string {
  const length = message.readUInt16LE(0);
  if (length === 0xffff) return PROCEDURES.get(message.readUInt16LE(2)) ?? "procedure";
  return message.subarray(2, 2 + length * 2).toString("utf16le");
}
