/**
 * The parts of pages that are the same in every run.
 *
 * @module
 */

/** The text without hashes of files, ids of requests and ports, which differ between builds and runs. */
export function stable(text: string): string {
  return text.replaceAll(/\/assets\/[0-9a-f]{16}\//g, "/assets/…/")
    .replaceAll(/(request <code>)[\w.-]+(?=<)/g, "$1…")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:…");
}
