import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import project from "@/deno.json" with { type: "json" };
import { ROOT } from "@/tests/support/root.ts";

/** Every test file below a folder of the project. */
function testFiles(folder: string): readonly string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? testFiles(path) : name.endsWith("_test.ts") ? [path] : [];
  });
}

/** Whether `deno task test` runs the file by itself. */
function isListed(file: string): boolean {
  return project.test.include.some((place) =>
    place.endsWith("/*_test.ts") ? dirname(place) === dirname(file) : file.startsWith(`${place}/`)
  );
}

/** Whether a file beside a folder loads all of the folder. */
function isLoaded(file: string): boolean {
  const folder = dirname(file);
  if (folder === ".") return false;
  const loader = join(ROOT, `${folder}_test.ts`);
  const call = `Tests(import.meta.resolve("./${basename(folder)}/"))`;
  return existsSync(loader) && Deno.readTextFileSync(loader).includes(call) || isLoaded(folder);
}

Deno.test("deno task test runs every test file, and runs it once", () => {
  const files = ["tests", "examples"].flatMap(testFiles);
  assert.ok(files.length > 300, `${files.length} files`);
  assert.deepEqual(files.filter((file) => isListed(file) === isLoaded(file)), []);
});
