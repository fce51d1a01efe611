/**
 * The parts of pages that are the same in every run.
 *
 * @module
 */

/** The text without hashes of files and ids of requests, which differ between builds and runs. */
export function stable(text: string): string {
  return text.replaceAll(/\/assets\/[0-9a-f]{16}\//g, "/assets/…/")
    .replaceAll(/(request <code>)[\w.-]+(?=<)/g, "$1…");
}
