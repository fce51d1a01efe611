/**
 * Text of elements and attributes. The result is both HTML and well-formed XML, so that any XML parser can check it.
 *
 * @module
 */

// deno-lint-ignore no-control-regex -- control characters are what has to be found
const SUSPECT = /[&<>"\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/;
/** Markup, and characters that HTML cannot represent, shown as the replacement character; halves of pairs only alone. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const ESCAPED = /[&<>"\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/gu;
/**
 * Characters beyond Latin-1 in the text of lists, as HTML. A single one doubles the memory of the whole page, which moves
 * it to the engine's space of large objects: joining its text then takes several times as long.
 */
export const [ELLIPSIS, DASH] = ["&#8230;", "&#8211;"] as const;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Escapes text for element content and for double-quoted attributes. */
export function escapeHtml(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(ESCAPED, (character) => ENTITIES[character] ?? "\ufffd");
}

/** A link; `label` is plain text. */
export function link(href: string, label: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(label)}</a>`;
}

/** Made once: `toLocaleString` takes eighteen times as long. */
const COUNTS = new Intl.NumberFormat("en");

/** A number with a separator for thousands. */
export function showCount(count: number): string {
  return COUNTS.format(count);
}

/** The decoded form of a path segment, for people. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}
