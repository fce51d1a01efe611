/**
 * The program file of `deno task compile` cannot be built everywhere, because its base binary is
 * downloaded. Its content can be checked: every module that is imported, or read at run time by a
 * computed name, must be included.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import project from "@/deno.json" with { type: "json" };
import { discoverPlugins } from "@/plugins/discover.ts";
import { ROOT } from "@/tests/support/root.ts";
import { denoInfo } from "./deno_info.ts";

const INCLUDED = [...project.tasks.compile.command.matchAll(/--include (\S+)/g)].map(([, path]) =>
  path ?? ""
);

/**
 * Files that no import statement names: plugins, the worker of long statements,
 * schemas, the sample configuration.
 */
const NEEDED = [
  ...discoverPlugins([ROOT]).map(({ path }) => relative(ROOT, path)),
  "plugins/dialects/sqlite/worker.ts",
  ...schemasOf("auth/saml/schemas"),
  "config/sample/service.ini",
  "config/sample/demo.sql",
];

function schemasOf(folder: string): readonly string[] {
  const files = [...Deno.readDirSync(join(ROOT, folder))].map(({ name }) => name);
  return files.filter((name) => name.endsWith(".xsd")).map((name) => `${folder}/${name}`);
}

for (const path of NEEDED) {
  Deno.test(`the program file includes ${path}`, async () => {
    assert.equal((await Deno.stat(join(ROOT, path))).isFile, true);
    assert.equal(INCLUDED.some((folder) => path.startsWith(`${folder}/`)), true);
  });
}

for (const path of ["main.ts", ...NEEDED.filter((path) => path.endsWith(".ts"))]) {
  Deno.test(`everything that ${path} imports is there`, async () => {
    const { modules } = await denoInfo(join(ROOT, path));
    assert.deepEqual(modules.filter(({ error }) => error !== undefined), []);
  });
}

/** Product files below a folder. */
function filesBelow(folder: string): readonly string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

Deno.test("every module that is imported late is in the graph of the program file", async () => {
  const { modules } = await denoInfo(join(ROOT, "main.ts"));
  const reached = new Set(modules.map(({ specifier }) => specifier));
  const sources = [
    "main.ts",
    ...["core", "config"].flatMap(filesBelow).filter((path) => path.endsWith(".ts")),
  ];
  const late = sources.flatMap((path) => {
    const imports = Deno.readTextFileSync(join(ROOT, path)).matchAll(/\bimport\(\s*"@\/([^"]+)"/g);
    return [...imports].map(([, target = ""]) => target);
  });
  assert.ok(late.length > 0, "createDemo of main.ts imports late");
  assert.deepEqual(late.filter((path) => !reached.has(pathToFileURL(join(ROOT, path)).href)), []);
});

Deno.test("files that are read at run time beside a module are in the included folders", () => {
  const readers = ["auth", "config", "core", "formats", "plugins"].flatMap(filesBelow)
    .filter((path) => path.endsWith(".ts") && !path.startsWith("formats/html/client/"))
    .filter((path) => /import\.meta\.(url|dirname)/.test(Deno.readTextFileSync(join(ROOT, path))));
  const isIncluded = (path: string) => INCLUDED.some((folder) => path.startsWith(`${folder}/`));
  // config/sample.ts reads config/sample, which NEEDED names; config/docs.ts is no part of the program.
  assert.deepEqual(readers.filter((path) => !isIncluded(path)).toSorted(), [
    "config/docs.ts",
    "config/sample.ts",
  ]);
});
