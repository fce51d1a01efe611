/**
 * Text of elements and attributes. The result is both HTML and well-formed XML, so
 * that any XML parser can check it.
 *
 * @module
 */

// deno-lint-ignore no-control-regex -- control characters are what has to be found
const SUSPECT = /[&<>"\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/;
/**
 * Markup, and characters that HTML cannot represent, shown as the replacement
 * character; halves of pairs only alone.
 */
const ESCAPED = new RegExp(SUSPECT, "gu");
/**
 * Characters beyond Latin-1 in the text of lists, as HTML. A single one doubles the memory of the whole page,
 * which moves it to the engine's space of large objects: joining its text then takes several times as long.
 */
export const [ELLIPSIS, DASH] = ["&#8230;", "&#8211;"] as const;

/** Characters that are invisible or change the direction of the text around them. */
const ODD =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]|\u{e0000}|[\u{e0001}-\u{e007f}]/gu;
const HAS_ODD = new RegExp(ODD.source, "u");
/** Joiners and variation selectors belong to emoji and to some scripts. */
const JOINED = /[\u200c\u200d\ufe00-\ufe0f]/;

/** The last character before letters and signs of other scripts than that of English. */
const LATIN = 0xa0;

/**
 * Most texts: of letters that are written from left to right, without markup, hidden characters or characters
 * of links and addresses, they are shown as they are.
 */
const PLAIN =
  /^[\w .,;()/+#%\u00c0-\u024f\u0370-\u052f\u10a0-\u10ff\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3-]*$/;
/** Texts of these scripts have a direction of their own, and so has what stands beside them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for element content and for double-quoted attributes. */
export function escapeHtml(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(ESCAPED, (character) => ENTITIES[character] ?? "\ufffd");
}

/** Escapes a text that people may have written: its hidden characters are shown by their code points. */
export function markOdd(text: string): string {
  if (PLAIN.test(text)) return text;
  const shown = HAS_ODD.test(text) ? showHidden(text) : escapeHtml(text);
  return RIGHT_TO_LEFT.test(text) ? `<span dir="auto">${shown}</span>` : shown;
}

/** A text; of a long one the beginning, never with half a character. */
export function beginning(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}

/** Whether a text is HTML as it is. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

function showHidden(text: string): string {
  let shown = "";
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ODD)) {
    if (isJoined(found, index, text)) continue;
    shown += `${escapeHtml(text.slice(end, index))}<span class="odd">${codeOf(found)}</span>`;
    end = index + found.length;
  }
  return shown + escapeHtml(text.slice(end));
}

function isJoined(found: string, index: number, text: string): boolean {
  return JOINED.test(found) && text.charCodeAt(index - 1) > LATIN;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A text for a place without markup: its hidden characters are their code points. */
function nameOdd(text: string): string {
  return text.replace(ODD, (found, index: number) => isJoined(found, index, text) ? found : codeOf(found));
}

/** {@link nameOdd}, escaped: for attributes and options. */
export function escapeLabel(text: string): string {
  return escapeHtml(nameOdd(text));
}

/** Attributes, each behind a space. One that is true has its name as its value; false leaves one out. */
export function attributes(given: Readonly<Record<string, string | boolean | undefined>>): string {
  return Object.entries(given).map(([name, value]) =>
    value === undefined || value === false ? "" : ` ${name}="${value === true ? name : escapeHtml(value)}"`
  ).join("");
}

/** Codes of characters in messages: headers have them, too, so they are ASCII. A backslash is doubled. */
const CODED = /\\\\|(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4})/g;
const VISIBLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

/** A message with the letters of all scripts; hidden characters stay codes. */
export function readable(message: string): string {
  return message.replace(CODED, (all: string, codes?: string) => {
    const text = codes === undefined ? "" : String(JSON.parse(`"${codes}"`));
    return VISIBLE.test(text) && !HAS_ODD.test(text) ? text : all;
  });
}

/** A link; `label` is plain text. */
export function link(href: string, label: string): string {
  return `<a href="${escapeHtml(href)}">${markOdd(label)}</a>`;
}

/** A number with a separator for thousands. */
export function showCount(count: number): string {
  const digits = String(count);
  return count < 1000 ? digits : digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
}
