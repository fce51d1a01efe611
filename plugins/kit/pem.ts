/**
 * Certificates and keys in definitions of databases.
 *
 * @module
 */

/** Bytes. A bundle of all public authorities has a quarter of it. */
const LARGEST_FILE = 1_048_576;

/**
 * PEM text unchanged, else the content of the file with the path `file`. Throws a TypeError that names `key`.
 */
export async function readPem(text: string, key: string, file: string): Promise<string> {
  if (text.includes("-----BEGIN ")) return text;
  try {
    // Anything but a regular file may be endless, or block its reader.
    const { isFile, size } = await Deno.stat(file);
    if (isFile && size <= LARGEST_FILE) return await Deno.readTextFile(file);
  } catch (cause) {
    throw new TypeError(`${key} names a file that cannot be read: ${JSON.stringify(text)}`, { cause });
  }
  throw new TypeError(`${key} is no regular file of at most 1 MiB: ${JSON.stringify(text)}`);
}
