import assert from "node:assert/strict";
import denoJson from "@/deno.json" with { type: "json" };
import { PACKAGE_OWNERS } from "@/tests/unit/lint/package_table.ts";
import { testPackages } from "./test_packages.ts";

const packages = [
  ...Object.entries(denoJson.imports).filter(([, target]) => !target.startsWith("./")),
  ...testPackages().map(({ name, version }) => [name, `npm:${name}@${version}`] as const),
];

for (const [name, target] of packages) {
  Deno.test(`the package ${name} is an npm package of one exact version`, () => {
    assert.match(target, new RegExp(`^npm:${name}@\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$`));
  });

  Deno.test(`the package ${name} belongs to a folder`, () => {
    assert.equal(PACKAGE_OWNERS.has(name), true, "add it to tests/unit/lint/package_table.ts");
  });
}

Deno.test("lock files are frozen, and only what runs or checks tests uses the tests' one", () => {
  assert.deepEqual(denoJson.lock, { path: "./deno.lock", frozen: true });
  const tasks = Object.entries<string | { readonly command: string }>(denoJson.tasks);
  const users = tasks.filter(([, task]) => JSON.stringify(task).includes("--lock tests/deno.lock"));
  assert.deepEqual(users.map(([name]) => name), ["test", "assets", "assets:charts", "shots", "check"]);
  assert.deepEqual(tasks.filter(([, task]) => JSON.stringify(task).includes("--no-lock")), []);
});

Deno.test("docs/packages.md has every package with its folder, and no other", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/packages.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `([^`]+)` +\| ([^|]+?) +\| ([^|]+?) +\|/gm)];
  const listed = rows.map((
    [, name, licence, folders],
  ) => [name, folders?.replaceAll("`", ""), licence !== ""]);
  const expected = packages.map(([name]) => [name, PACKAGE_OWNERS.get(name)?.join(", "), true]);
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});
