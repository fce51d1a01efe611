/**
 * The program file of `deno task compile` cannot be built everywhere, because its base binary is downloaded. Its content
 * can be checked: every module that is imported, or read at run time by a computed name, must be included.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import project from "@/deno.json" with { type: "json" };
import { ROOT } from "@/tests/support/service.ts";
import { denoInfo } from "./deno_info.ts";

const INCLUDED = [...project.tasks.compile.command.matchAll(/--include (\S+)/g)].map(([, path]) =>
  path ?? ""
);

/** Files that no import statement names: plugins, the worker of long statements, schemas, the sample configuration. */
const NEEDED = [
  ...pluginModules("formats"),
  ...pluginModules("auth"),
  ...pluginModules("plugins/dialects"),
  "plugins/dialects/sqlite/worker.ts",
  ...schemasOf("auth/saml/schemas"),
  "config/sample/service.ini",
  "config/sample/demo.sql",
];

function pluginModules(folder: string): readonly string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].map(({ name }) => `${folder}/${name}/mod.ts`);
}

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
