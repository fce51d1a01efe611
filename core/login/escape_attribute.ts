/**
 * Texts in the few pages of HTML that no format writes.
 *
 * @module
 */

/** A text as it may stand in an attribute's double quotes, or between tags. */
export function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
