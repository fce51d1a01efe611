import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";

const ROOT = new URL("../../../", import.meta.url);

/** A test file's name mirrors the plugin's folder; a dialect may spread its tests over several files. */
const KINDS = ["formats", "auth", "plugins/caches", "plugins/dialects"];

for (const folder of KINDS) {
  const names = pluginNames(folder);

  Deno.test(`${folder}/ has plugins`, () => assert.notEqual(names.length, 0));

  for (const name of names) {
    Deno.test(`the plugin ${folder}/${name} has a mod.ts`, () => {
      assert.equal(existsSync(new URL(`${folder}/${name}/mod.ts`, ROOT)), true);
    });

    Deno.test(`the plugin ${folder}/${name} has a test`, () => {
      const found = ["unit", "api"].some((kind) => {
        const isOne = entries(`tests/${kind}/${folder}`).some((entry) => entry.name === `${name}_test.ts`);
        const several = entries(`tests/${kind}/${folder}/${name}`);
        return isOne || several.some((entry) => entry.name.endsWith("_test.ts"));
      });
      assert.equal(
        found,
        true,
        `expected tests/unit/${folder}/${name}_test.ts, or tests in a folder ${name}`,
      );
    });
  }
}

function pluginNames(folder: string): string[] {
  return entries(folder).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

function entries(folder: string) {
  const directory = new URL(`${folder}/`, ROOT);
  return existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
}
