/**
 * Addresses in the configuration and in documents.
 *
 * @module
 */

/** Whether a text is a URL of a web server. */
export function isUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
