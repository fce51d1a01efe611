import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { complaintsAbout } from "./directory.ts";

const SNIPPET = /```yaml\n([^]*?)```/g;
const FILE = /^# (\w+\.cfg)\b.*\n/m;
const VARIABLE = /\$\{(\w+)\}/g;

/** Stands for the secrets that snippets only hint at. */
const SECRET = "0123456789abcdef0123456789abcdef";

/** The documents for users, by their paths. */
function* documents(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(ROOT, folder))) {
    const path = join(folder, name);
    if (isDirectory) yield* documents(path);
    else if (name.endsWith(".md")) yield path;
  }
}

/** The files of a snippet by their names; `# NAME.cfg` begins each. */
function filesOf(snippet: string): Readonly<Record<string, string>> {
  const [before = "", ...parts] = snippet.split(FILE);
  assert.equal(before, "", `a snippet begins with the name of its file:\n${snippet}`);
  const names = parts.filter((_, at) => at % 2 === 0);
  return Object.fromEntries(names.map((name, at) => [name, parts[2 * at + 1] ?? ""]));
}

const paths = ["README.md", ...documents("docs"), ...documents("examples")].sort();
const snippets = paths.flatMap((path) =>
  [...Deno.readTextFileSync(join(ROOT, path)).matchAll(SNIPPET)].map(([, text = ""]) => ({ path, text }))
);

Deno.test("there are snippets of configuration", () => assert.ok(snippets.length > 15, `${snippets.length}`));

for (const [at, { path, text }] of snippets.entries()) {
  Deno.test(`${path} has a snippet that can be pasted (${at})`, () => {
    const filled = text.replace(/\S*…/g, SECRET).replace(/\$\{file:[^}]*\}/g, SECRET);
    const variables = [...filled.matchAll(VARIABLE)].map(([, name = ""]) => [name, SECRET] as const);
    assert.deepEqual(complaintsAbout(filesOf(filled), Object.fromEntries(variables)), []);
  });
}
