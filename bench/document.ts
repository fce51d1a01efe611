/**
 * Puts tables into docs/benchmarks.md, between `<!-- bench:NAME -->` and `<!-- end -->`.
 *
 * @module
 */

const DOCUMENT = new URL("../docs/benchmarks.md", import.meta.url);

/** Replaces a section. Throws if the document has none of this name. */
export async function writeSection(name: string, text: string): Promise<void> {
  const document = await Deno.readTextFile(DOCUMENT);
  const begin = `<!-- bench:${name} -->`;
  const at = document.indexOf(begin);
  const end = document.indexOf("<!-- end -->", at);
  if (at < 0 || end < 0) throw new Error(`docs/benchmarks.md has no section ${begin}`);
  const changed = document.slice(0, at + begin.length) + `\n\n${text}\n` + document.slice(end);
  await Deno.writeTextFile(DOCUMENT, changed);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", DOCUMENT.pathname] }).output();
}
