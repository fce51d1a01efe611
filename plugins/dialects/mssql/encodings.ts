/**
 * The characters of the code pages of narrow columns. The server silently replaces characters that a page lacks by `?` or
 * a similar letter.
 *
 * @module
 */

/**
 * Encodings by the number of their code page; UTF-8 has every character, and the characters of further pages are unknown
 * here.
 */
const ENCODINGS: ReadonlyMap<number, string> = new Map([
  [874, "windows-874"],
  [932, "shift_jis"],
  [936, "gbk"],
  [949, "euc-kr"],
  [950, "big5"],
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => [page, `windows-${page}`] as const),
]);

const repertoires = new Map<string, ReadonlySet<string>>();

/** The name for `TextDecoder`; undefined for pages with all of Unicode, and for unknown ones. */
export function encodingOf(codePage: number): string | undefined {
  return ENCODINGS.get(codePage);
}

/** The first character of a text that an encoding lacks. */
export function findLacking(text: string, encoding: string): string | undefined {
  // deno-lint-ignore no-control-regex -- ASCII is in every code page
  if (/^[\x00-\x7f]*$/.test(text)) return undefined;
  const repertoire = repertoires.get(encoding) ?? readRepertoire(encoding);
  repertoires.set(encoding, repertoire);
  for (const character of text) {
    if (character.charCodeAt(0) > 0x7f && !repertoire.has(character)) return character;
  }
  return undefined;
}

/** Every character of one byte or two bytes. */
function readRepertoire(encoding: string): ReadonlySet<string> {
  const decoder = new TextDecoder(encoding);
  const characters = new Set<string>();
  for (let first = 0x80; first <= 0xff; first++) {
    characters.add(decoder.decode(new Uint8Array([first])));
    if (encoding.startsWith("windows-")) continue;
    for (let second = 0x40; second <= 0xfe; second++) {
      characters.add(decoder.decode(new Uint8Array([first, second])));
    }
  }
  characters.delete("\ufffd");
  return characters;
}
