/**
 * Certificates and keys in definitions of databases.
 *
 * @module
 */

/** Bytes. A bundle of every public authority has a quarter of it. */
const LARGEST_FILE = 1_048_576;

/** PEM text as it is, else what is in the file that it names, whose path is `file`. Throws a TypeError that names `key`. */
export async function readPem(text: string, key: string, file: string): Promise<string> {
  if (text.includes("-----BEGIN ")) return text;
  try {
    // What is no regular file may never end, or keep its reader waiting.
    const { isFile, size } = await Deno.stat(file);
    if (isFile && size <= LARGEST_FILE) return await Deno.readTextFile(file);
  } catch (cause) {
    throw new TypeError(`${key} names a file that cannot be read: ${JSON.stringify(text)}`, { cause });
  }
  throw new TypeError(`${key} is no regular file of at most 1 MiB: ${JSON.stringify(text)}`);
}
