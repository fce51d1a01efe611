import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { startService } from "@/tests/support/service.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";

/** A package with an export, beside the plugin as npm would install it. */
const PACKAGE = {
  "node_modules/shout/package.json": '{ "name": "shout", "version": "1.0.0", "main": "index.js" }',
  "node_modules/shout/index.js": "exports.shout = (text) => text.toUpperCase();\n",
};

/** A format that writes each row by a function `shout`. */
function source(head: string): string {
  return `${head}
export default {
  contract: 1,
  kind: "format",
  name: "loud",
  setup: () => ({
    contentTypes: ["text/x-loud"],
    writer: () => () => ({ begin: () => "", row: (row) => shout(row.join()) + "\\n", end: () => "" }),
    document: ({ name }) => shout(name),
    problem: ({ description }) => shout(description),
  }),
};
`;
}

const REQUIRED = source(
  'import { createRequire } from "node:module";\nconst { shout } = createRequire(import.meta.url)("shout");',
);

async function lines(files: Readonly<Record<string, string>>, path = "loud"): Promise<string> {
  const prefixed = Object.entries(files).map(([name, text]) => [`formats/${path}/${name}`, text]);
  using folder = pluginFolder(Object.fromEntries(prefixed));
  const settings = `[service]\nplugins_path = ${folder.path}\nformats = json,loud\n`;
  const lock = join(ROOT, "deno.lock");
  const before = Deno.readTextFileSync(lock);
  await using service = await startService({ files: { "config/service.ini": settings } });
  const answer = await service.fetch("/db/Demo/Country/CountryCode/BG/Name.loud");
  assert.equal(answer.headers.get("content-type"), "text/x-loud; charset=utf-8");
  assert.equal(Deno.readTextFileSync(lock), before, "the service's lock file is unchanged");
  return await answer.text();
}

Deno.test("a plugin without packages is one file", async () => {
  assert.equal(
    await lines({ "mod.ts": source("const shout = (text: string) => text.toUpperCase();") }),
    "BULGARIA\n",
  );
});

Deno.test("a plugin that is packed with its packages is a mod.js", async () => {
  assert.equal(
    await lines({ "mod.js": source("const shout = (text) => text.toUpperCase();") }),
    "BULGARIA\n",
  );
});

Deno.test("a plugin requires packages of node_modules beside it, under the frozen lock file of the service", async () => {
  assert.equal(await lines({ "mod.ts": REQUIRED, ...PACKAGE }), "BULGARIA\n");
});
