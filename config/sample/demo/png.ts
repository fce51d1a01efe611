/**
 * Writes tiny PNG images: byte for byte the same everywhere, which a compressor would not promise.
 *
 * @module
 */

/** Each from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const WIDTH = 12;
const BAND_HEIGHT = 3;

/** A flag of horizontal bands. */
export function bandedFlag(bands: readonly Colour[]): Uint8Array {
  const line = (colour: Colour) => [0, ...Array.from({ length: WIDTH }, () => colour).flat()];
  const lines = bands.flatMap((colour) => Array.from({ length: BAND_HEIGHT }, () => line(colour)));
  // 8 bits per channel, colour type 2 is RGB
  const header = [...bigEndian(WIDTH), ...bigEndian(lines.length), 8, 2, 0, 0, 0];
  return Uint8Array.from([
    ...SIGNATURE,
    ...chunk("IHDR", header),
    ...chunk("IDAT", stored(lines.flat())),
    ...chunk("IEND", []),
  ]);
}

function chunk(type: string, data: readonly number[]): number[] {
  const body = [...new TextEncoder().encode(type), ...data];
  return [...bigEndian(data.length), ...body, ...bigEndian(crc32(body))];
}

/** A zlib stream of one block that is not compressed; holds up to 65,535 bytes. */
function stored(data: readonly number[]): number[] {
  const length = [data.length & 0xff, data.length >> 8];
  return [
    0x78,
    0x01,
    0x01,
    ...length,
    ...length.map((byte) => byte ^ 0xff),
    ...data,
    ...bigEndian(adler32(data)),
  ];
}

function bigEndian(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

function crc32(data: readonly number[]): number {
  let remainder = 0xffffffff;
  for (const byte of data) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  }
  return (remainder ^ 0xffffffff) >>> 0;
}

function adler32(data: readonly number[]): number {
  let low = 1;
  let high = 0;
  for (const byte of data) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return ((high << 16) | low) >>> 0;
}
