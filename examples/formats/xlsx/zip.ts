/**
 * The container of a workbook: deflated files, written piece by piece, and read within limits.
 *
 * @module
 */

import { promisify } from "node:util";
import { constants, crc32, deflateRaw, inflateRaw, type InputType, type ZlibOptions } from "node:zlib";

type Work = (data: InputType, options: ZlibOptions) => Promise<Uint8Array<ArrayBuffer>>;
const deflate = promisify(deflateRaw) as Work;
const inflate = promisify(inflateRaw) as Work;

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_LENGTH = 22;
/** Sizes follow the data, and names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** The first of January 1980. */
const NO_DATE = 0x21;
const LARGEST = 0xffff_ffff;

interface Written {
  readonly name: Uint8Array;
  readonly offset: number;
  crc: number;
  packed: number;
  size: number;
}

/** Makes the bytes of a container, file after file. */
export class ZipWriter {
  readonly #files: Written[] = [];
  #offset = 0;

  /** Begins a file. */
  file(name: string): Uint8Array<ArrayBuffer> {
    const bytes = new TextEncoder().encode(name);
    this.#files.push({ name: bytes, offset: this.#offset, crc: 0, packed: 0, size: 0 });
    return this.#count(
      record("IHHHHHIIIHH", [LOCAL, 20, FLAGS, DEFLATED, 0, NO_DATE, 0, 0, 0, bytes.length, 0], bytes),
    );
  }

  /**
   * A part of the file. Each part is deflated for itself, outside of this thread, so
   * nothing is left open in between.
   */
  async part(text: string, isLast = false): Promise<Uint8Array<ArrayBuffer>> {
    const file = this.#present;
    const bytes = new TextEncoder().encode(text);
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    const packed = await deflate(bytes, { finishFlush });
    file.crc = crc32(bytes, file.crc);
    file.packed += packed.length;
    file.size += bytes.length;
    if (file.size > LARGEST) throw new RangeError("A file of a workbook has at most 4 GiB");
    return this.#count(packed);
  }

  /** What follows a file. */
  endOfFile(): Uint8Array<ArrayBuffer> {
    const { crc, packed, size } = this.#present;
    return this.#count(record("IIII", [DESCRIPTOR, crc, packed, size]));
  }

  /** The list of files, after the last one. */
  end(): Uint8Array<ArrayBuffer> {
    const start = this.#offset;
    const entries = this.#files.map(({ name, offset, crc, packed, size }) =>
      record(
        "IHHHHHHIIIHHHHHII",
        [CENTRAL, 20, 20, FLAGS, DEFLATED, 0, NO_DATE, crc, packed, size, name.length, 0, 0, 0, 0, 0, offset],
        name,
      )
    );
    const length = entries.reduce((sum, entry) => sum + entry.length, 0);
    const count = entries.length;
    return joined([...entries, record("IHHHHIIH", [END, 0, 0, count, count, length, start, 0])]);
  }

  get #present(): Written {
    const file = this.#files.at(-1);
    if (!file) throw new Error("There is no file yet");
    return file;
  }

  #count(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    this.#offset += bytes.length;
    if (this.#offset > LARGEST) throw new RangeError("A workbook has at most 4 GiB");
    return bytes;
  }
}

/** Numbers of two (H) or four (I) bytes, then bytes. */
function record(
  form: string,
  numbers: readonly number[],
  rest: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  const length = [...form].reduce((sum, letter) => sum + (letter === "I" ? 4 : 2), 0);
  const view = new DataView(new ArrayBuffer(length));
  let at = 0;
  for (const [index, letter] of [...form].entries()) {
    const number = numbers[index] ?? 0;
    if (letter === "I") view.setUint32(at, number, true);
    else view.setUint16(at, number, true);
    at += letter === "I" ? 4 : 2;
  }
  return joined([new Uint8Array(view.buffer), rest]);
}

/** All bytes as one piece. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The body is no workbook, or one that is not read; the message is for the caller. */
export class Refusal extends Error {}

interface Packed {
  readonly method: number;
  readonly crc: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const MOST_FILES = 1000;
const LONGEST_COMMENT = 65_535;

/** Reads the files of a container. Throws {@link Refusal}. */
export class ZipReader {
  readonly #files = new Map<string, Packed>();
  /** Bytes that all files together may still have. */
  #left: number;

  constructor(bytes: Uint8Array<ArrayBuffer>, most: number) {
    this.#left = most;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#list(bytes, view);
    } catch (error) {
      // Offsets that lead outside.
      if (error instanceof RangeError) throw damaged();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** The text of a file. It is unpacked outside of this thread, and no further than the limit. */
  async text(name: string): Promise<string> {
    const file = this.#files.get(name);
    if (!file) throw new Refusal(`the workbook lacks a part: ${name.replace(/[^ -~]/g, "?").slice(0, 100)}`);
    const bytes = await this.#unpack(file);
    if (bytes.length > this.#left) throw this.#tooLarge();
    this.#left -= bytes.length;
    if (crc32(bytes) !== file.crc) throw damaged();
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new Refusal("a part of the workbook is not UTF-8");
    }
  }

  async #unpack({ method, bytes }: Packed): Promise<Uint8Array<ArrayBuffer>> {
    if (method === 0) return bytes;
    if (method !== DEFLATED) throw new Refusal("the workbook is packed in another way than deflate");
    try {
      return await inflate(bytes, { maxOutputLength: this.#left });
    } catch (error) {
      throw error instanceof RangeError ? this.#tooLarge() : damaged();
    }
  }

  #tooLarge(): Refusal {
    return new Refusal("the workbook is larger than 32 MiB when it is unpacked: send it in parts");
  }

  #list(bytes: Uint8Array<ArrayBuffer>, view: DataView): void {
    let end = bytes.length - END_LENGTH;
    const lowest = Math.max(0, end - LONGEST_COMMENT);
    while (end >= lowest && view.getUint32(end, true) !== END) end--;
    if (end < lowest) throw new Refusal("this is no workbook: it is no ZIP container");
    const count = view.getUint16(end + 10, true);
    if (count > MOST_FILES) throw new Refusal(`the workbook has more than ${MOST_FILES} parts`);
    let at = view.getUint32(end + 16, true);
    for (let index = 0; index < count; index++) {
      if (view.getUint32(at, true) !== CENTRAL) throw damaged();
      const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
      if (flags & 1) throw new Refusal("the workbook is encrypted");
      const [crc, length] = [view.getUint32(at + 16, true), view.getUint32(at + 20, true)];
      const nameLength = view.getUint16(at + 28, true);
      const local = view.getUint32(at + 42, true);
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
      if (this.#files.has(name)) throw damaged();
      if (view.getUint32(local, true) !== LOCAL) throw damaged();
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      if (start + length > bytes.length) throw damaged();
      this.#files.set(name, { method, crc, bytes: bytes.subarray(start, start + length) });
      at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
  }
}

function damaged(): Refusal {
  return new Refusal("the workbook is damaged");
}
