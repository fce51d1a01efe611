import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";

const ROOT = new URL("../../../", import.meta.url);

/** A test file's name mirrors the plugin's folder; a dialect may spread its tests over several files. */
const KINDS = [
  { folder: "formats", testOf: (name: string) => new RegExp(`^${name}_test\\.ts$`) },
  { folder: "auth", testOf: (name: string) => new RegExp(`^${name}_test\\.ts$`) },
  { folder: "plugins/caches", testOf: (name: string) => new RegExp(`^${name}_test\\.ts$`) },
  { folder: "plugins/dialects", testOf: (name: string) => new RegExp(`^${name}(_.+)?_test\\.ts$`) },
];

for (const { folder, testOf } of KINDS) {
  const names = pluginNames(folder);

  Deno.test(`${folder}/ has plugins`, () => assert.notEqual(names.length, 0));

  for (const name of names) {
    Deno.test(`the plugin ${folder}/${name} has a mod.ts`, () => {
      assert.equal(existsSync(new URL(`${folder}/${name}/mod.ts`, ROOT)), true);
    });

    Deno.test(`the plugin ${folder}/${name} has a test`, () => {
      const found = ["unit", "api"].flatMap((kind) => entries(`tests/${kind}/${folder}`))
        .some((entry) => testOf(name).test(entry.name));
      assert.equal(found, true, `expected tests/unit/${folder}/${name}_test.ts`);
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
