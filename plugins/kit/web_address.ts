/**
 * Addresses in the configuration and in documents.
 *
 * @module
 */

/** Characters of URLs. The parser skips line breaks and encodes others, and headers can have neither. */
const WRITTEN = /^[\x21-\x7e]+$/;

/** Whether a text is a URL of a web server, written as it can be sent. */
export function isUrl(text: string): boolean {
  return WRITTEN.test(text) && /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
