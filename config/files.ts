/**
 * Reads configuration files as text.
 *
 * @module
 */

import { complain, type Place } from "./complaints.ts";

/** The text of a file, without byte order mark; undefined if it does not exist or is unreadable (a complaint). */
export function readText(path: string, complaints: Place["complaints"]): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    const place = { file: path, key: "", complaints };
    if (error instanceof TypeError) return complain(place, "Expected UTF-8 text, found other bytes");
    if (error instanceof Error) return complain(place, `Cannot read file: ${error.message}`);
    throw error;
  }
}
