/**
 * Addresses in the configuration.
 *
 * @module
 */

import { isIP } from "node:net";

/** Whether a text is a URL of a web server. */
export function isUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

/**
 * Whether the host of a URL is one word, which may be another machine in every network. This machine's own name and
 * addresses in digits are none of these.
 */
export function isSingleLabel(text: string): boolean {
  const host = URL.parse(text)?.hostname.replace(/^\[|\]$|\.$/g, "") ?? "";
  return host !== "" && host !== "localhost" && !host.includes(".") && isIP(host) === 0;
}
