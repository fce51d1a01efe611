/**
 * Puts tables into a page of docs/, between `<!-- bench:NAME -->` and `<!-- end -->`.
 *
 * @module
 */

/** Replaces a section. Throws if the page has none of this name. */
export async function writeSection(name: string, text: string, page = "benchmarks.md"): Promise<void> {
  const place = new URL(`../docs/${page}`, import.meta.url);
  const document = await Deno.readTextFile(place);
  const begin = `<!-- bench:${name} -->`;
  const at = document.indexOf(begin);
  const end = document.indexOf("<!-- end -->", at);
  if (at < 0 || end < 0) throw new Error(`docs/${page} has no section ${begin}`);
  const changed = document.slice(0, at + begin.length) + `\n\n${text}\n` + document.slice(end);
  await Deno.writeTextFile(place, changed);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", place.pathname] }).output();
}
