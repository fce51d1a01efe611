/**
 * Text answers in the configured `output_encoding`.
 *
 * @module
 */

/** Encodes text; what the charset lacks is written by `escape`, or as `?`. */
export interface Encoder {
  /** The charset's name in `Content-Type`. */
  readonly charset: string;
  encode(text: string, escape: ((codePoint: number) => string) | undefined): string | Uint8Array<ArrayBuffer>;
}

/**
 * An encoder for a label that `TextDecoder` knows: UTF-8, UTF-16LE or a single-byte encoding. Single-byte tables are made
 * by decoding all 256 bytes, so no table is kept here.
 */
export function createEncoder(label: string): Encoder {
  const charset = new TextDecoder(label).encoding;
  if (charset === "utf-8") return { charset, encode: (text) => text };
  if (charset === "utf-16le") return { charset, encode: encodeUtf16 };
  const bytes = bytesOf(charset);
  return { charset, encode: (text, escape) => encodeSingleByte(text, bytes, escape) };
}

function bytesOf(charset: string): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(charset);
  return new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
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
