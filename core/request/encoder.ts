/**
 * Encodes text answers in the configured `output_encoding`.
 *
 * @module
 */

/** Encodes text; a character that the charset lacks becomes the result of `escape`, or `?`. */
export interface Encoder {
  /** The charset's name in `Content-Type`. */
  readonly charset: string;
  encode(text: string, escape: ((codePoint: number) => string) | undefined): string | Uint8Array<ArrayBuffer>;
}

/**
 * Encodings whose bytes are code points, with their number. Readers take both for windows-1252, as
 * `TextDecoder` does, so the control characters where the two differ count as lacking.
 */
const DIRECT: ReadonlyMap<string, number> = new Map([["iso-8859-1", 256], ["us-ascii", 128]]);

/**
 * An encoder for ISO-8859-1, US-ASCII, or a label of `TextDecoder`: UTF-8,
 * UTF-16LE or a single-byte encoding.
 */
export function createEncoder(label: string): Encoder {
  const charset = DIRECT.has(label) ? label : new TextDecoder(label).encoding;
  if (charset === "utf-8") return { charset, encode: (text) => text };
  if (charset === "utf-16le") return { charset, encode: encodeUtf16 };
  const bytes = bytesOf(charset);
  return { charset, encode: (text, escape) => encodeSingleByte(text, bytes, escape) };
}

/** The byte of each character, found by decoding all bytes, which replaces tables. */
function bytesOf(charset: string): ReadonlyMap<string, number> {
  const size = DIRECT.get(charset);
  const decoder = new TextDecoder(charset);
  const all = Array.from(
    { length: size ?? 256 },
    (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const,
  );
  return new Map(
    size === undefined ? all : all.filter(([character, byte]) => character.charCodeAt(0) === byte),
  );
}

function encodeSingleByte(
  text: string,
  bytes: ReadonlyMap<string, number>,
  escape: (codePoint: number) => string = () => "?",
): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  for (const character of text) {
    const byte = bytes.get(character);
    if (byte !== undefined) out.push(byte);
    else for (const plain of escape(character.codePointAt(0) ?? 0)) out.push(plain.charCodeAt(0));
  }
  return Uint8Array.from(out);
}

function encodeUtf16(text: string): Uint8Array<ArrayBuffer> {
  const out = new DataView(new ArrayBuffer(text.length * 2));
  for (let index = 0; index < text.length; index++) out.setUint16(index * 2, text.charCodeAt(index), true);
  return new Uint8Array(out.buffer);
}
