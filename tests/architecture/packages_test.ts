import assert from "node:assert/strict";
import denoJson from "@/deno.json" with { type: "json" };
import { PACKAGE_OWNERS } from "@/tests/lint/package_table.ts";

const packages = Object.entries(denoJson.imports).filter(([, target]) => !target.startsWith("./"));

for (const [name, target] of packages) {
  Deno.test(`the package ${name} is an npm package of one exact version`, () => {
    assert.match(target, new RegExp(`^npm:${name}@\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$`));
  });

  Deno.test(`the package ${name} belongs to a folder`, () => {
    assert.equal(PACKAGE_OWNERS.has(name), true, "add it to tests/lint/package_table.ts");
  });
}

Deno.test("the lock file is frozen", () =>
  assert.deepEqual(denoJson.lock, { path: "./deno.lock", frozen: true }));
