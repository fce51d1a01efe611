/**
 * URLs in the configuration and in documents.
 *
 * @module
 */

/** Characters of URLs. The parser skips line breaks and encodes other characters, which are invalid in headers. */
const WRITTEN = /^[\x21-\x7e]+$/;

/** Whether a text is a valid URL of a web server in its final spelling. */
export function isUrl(text: string): boolean {
  return WRITTEN.test(text) && /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
