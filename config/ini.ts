/**
 * The only module that uses the INI library. It uses the library's rules for values (comments after `;` and `#`, quotes,
 * `\;`) but reads line by line, because the library drops duplicates, invalid lines and line numbers.
 *
 * @module
 */

import { unsafe } from "ini";

/** A line of an INI file, except empty lines and comments. */
export type IniLine =
  | {
    readonly kind: "entry";
    readonly line: number;
    readonly section: string;
    readonly key: string;
    readonly value: string;
  }
  | { readonly kind: "section"; readonly line: number; readonly section: string }
  | { readonly kind: "malformed"; readonly line: number };

/** Every section, entry and malformed line in order. Entries before the first section have the section "". */
export function parseIni(text: string): IniLine[] {
  const lines: IniLine[] = [];
  let section = "";
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const parsed = parseLine(raw.trim(), index + 1, section);
    if (!parsed) continue;
    if (parsed.kind === "section") section = parsed.section;
    lines.push(parsed);
  }
  return lines;
}

function parseLine(text: string, line: number, section: string): IniLine | undefined {
  if (text === "" || text.startsWith(";") || text.startsWith("#")) return undefined;
  const header = /^\[([^\]]*)\]\s*([;#].*)?$/.exec(text)?.[1];
  if (header !== undefined) return { kind: "section", line, section: header.trim() };
  const at = text.indexOf("=");
  if (at < 1) return { kind: "malformed", line };
  return { kind: "entry", line, section, key: plain(text.slice(0, at)), value: plain(text.slice(at + 1)) };
}

/** The library converts some single-quoted values to numbers and objects; here they stay text. */
function plain(raw: string): string {
  const value: unknown = unsafe(raw);
  return typeof value === "string" ? value : raw.trim().slice(1, -1);
}
