/**
 * A server's messages in the protocol [MS-TDS].
 *
 * @module
 */

import { Buffer } from "node:buffer";

const RESPONSE = 4;

type Ending = "done" | "proc" | "in-proc";
const ENDINGS: Readonly<Record<Ending, number>> = { "done": 0xfd, "proc": 0xfe, "in-proc": 0xff };

/** One packet with the whole of an answer. */
export function packet(...tokens: readonly Uint8Array[]): Uint8Array {
  const payload = Buffer.concat(tokens);
  const header = Buffer.from([RESPONSE, 1, 0, 0, 0, 0, 1, 0]);
  header.writeUInt16BE(payload.length + header.length, 2);
  return Buffer.concat([header, payload]);
}

/** The answer to PRELOGIN of a server without encryption. */
export const NO_ENCRYPTION = packet(Buffer.from([1, 0, 6, 0, 1, 0xff, 2]));

/** The answer to PRELOGIN of a server that requires encryption. */
export const ONLY_ENCRYPTION = packet(Buffer.from([1, 0, 6, 0, 1, 0xff, 3]));

/** To LOGIN7: TDS 7.4 it is. */
export const WELCOME = packet(
  sized(0xad, Buffer.from([1, 0x74, 0, 0, 4]), shortText("peer"), Buffer.from([16, 0, 0, 0])),
  done(),
);

/** ERROR of class 16, which ends a statement. */
export function error(number: number, message: string): Uint8Array {
  const text = Buffer.concat([u16(message.length), Buffer.from(message, "utf16le")]);
  return sized(0xaa, i32(number), Buffer.from([1, 16]), text, shortText(""), shortText(""), i32(1));
}

/**
 * The end of a statement or of the answer; `status`: 1 more follows, 2 an
 * error, 32 an attention has been seen.
 */
export function done(kind: Ending = "done", status = 0): Uint8Array {
  return Buffer.concat([Buffer.from([ENDINGS[kind]]), u16(status), Buffer.alloc(10)]);
}

/** The end of a statement within a procedure that has changed rows; more follows. */
export function changed(count: number): Uint8Array {
  const token = Buffer.from(done("in-proc", 0x11));
  token.writeBigUInt64LE(BigInt(count), 5);
  return token;
}

/** RETURNSTATUS: the return value of a procedure. */
export function returnStatus(value: number): Uint8Array {
  return Buffer.concat([Buffer.from([0x79]), i32(value)]);
}

/** Columns of integers. */
export function columns(...names: readonly string[]): Uint8Array {
  const each = names.map((name) => Buffer.concat([Buffer.alloc(6), Buffer.from([0x26, 4]), shortText(name)]));
  return Buffer.concat([Buffer.from([0x81]), u16(names.length), ...each]);
}

/** A row of {@link columns}. */
export function row(values: readonly (number | null)[]): Uint8Array {
  return Buffer.concat([Buffer.from([0xd1]), ...values.map(nullable)]);
}

/** A result of one row: an integer and a text. */
export function numberAndText(number: number, text: string): Uint8Array {
  return result([[number, text]]);
}

/** A result whose columns are integers or texts, as the cells of its first row are. */
export function result(rows: readonly (readonly (number | string)[])[]): Uint8Array {
  const [first = []] = rows;
  const each = first.map((cell) => {
    const type = typeof cell === "number" ? [0x26, 4] : [0xe7, 0x40, 0x1f, 0, 0, 0, 0, 0];
    return Buffer.concat([Buffer.alloc(6), Buffer.from(type), shortText("c")]);
  });
  const told = rows.flatMap((cells) => [Buffer.from([0xd1]), ...cells.map(written)]);
  return Buffer.concat([Buffer.from([0x81]), u16(first.length), ...each, ...told]);
}

function written(cell: number | string): Uint8Array {
  if (typeof cell === "number") return nullable(cell);
  return Buffer.concat([u16(cell.length * 2), Buffer.from(cell, "utf16le")]);
}

function nullable(value: number | null): Uint8Array {
  return value === null ? Buffer.from([0]) : Buffer.concat([Buffer.from([4]), i32(value)]);
}

function sized(token: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([token]), u16(body.length), body]);
}

function shortText(text: string): Uint8Array {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, "utf16le")]);
}

function u16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function i32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
