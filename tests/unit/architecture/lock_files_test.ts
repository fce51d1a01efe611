/**
 * The service fetches no package of the tests: these packages have a lock file of their own.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import project from "@/.ci/overrides.json" with { type: "json" };
import denoJson from "@/deno.json" with { type: "json" };
import { discoverPlugins } from "@/plugins/discover.ts";
import { isWithin, PACKAGE_OWNERS } from "@/tests/unit/lint/package_table.ts";
import { ROOT } from "@/tests/support/root.ts";
import { denoInfo } from "./deno_info.ts";
import { type LockFile, readLockFile, unneededPackages } from "./lock_file.ts";
import { testPackages } from "./test_packages.ts";

const REMEDY = "take deno.lock and tests/deno.lock as they were committed last, and run .ci/lock";

const OF_SERVICE: readonly string[] = Object.values(denoJson.imports).filter((target) =>
  target.startsWith("npm:")
);

/** Everything that runs in the service; plugins are imported by the names of their folders. */
const SERVICE = [join(ROOT, "main.ts"), ...discoverPlugins([ROOT]).map(({ path }) => path)];

/** The specifiers as lock files have them: without the path inside the package. */
const OF_TESTS = testPackages().map(({ name, version }) => `npm:${name}@${version}`);

Deno.test("deno.lock has what deno.json names and what that needs, and nothing else", async () => {
  const lock = await readLockFile("deno.lock");
  assert.deepEqual(Object.keys(lock.specifiers).toSorted(), OF_SERVICE.toSorted(), REMEDY);
  assert.deepEqual(unneededPackages(lock), [], REMEDY);
});

Deno.test("tests/deno.lock has what deno.json and tests/support/packages/ name, and nothing else", async () => {
  const lock = await readLockFile("tests/deno.lock");
  assert.deepEqual(Object.keys(lock.specifiers).toSorted(), [...OF_SERVICE, ...OF_TESTS].toSorted(), REMEDY);
  assert.deepEqual(unneededPackages(lock), [], REMEDY);
});

Deno.test("the tests run with the very packages that the service runs with", async () => {
  const [service, tests] = await Promise.all([readLockFile("deno.lock"), readLockFile("tests/deno.lock")]);
  const alike: LockFile = {
    specifiers: pick(tests.specifiers, Object.keys(service.specifiers)),
    packages: pick(tests.packages, Object.keys(service.packages)),
  };
  assert.deepEqual(alike, service, REMEDY);
});

Deno.test("packages that are replaced are in neither lock file, and what replaces them is no further one", async () => {
  const [service, tests] = await Promise.all([readLockFile("deno.lock"), readLockFile("tests/deno.lock")]);
  const ids = [...Object.keys(service.packages), ...Object.keys(tests.packages)];
  for (const [name, replacement] of Object.entries(project.overrides)) {
    assert.deepEqual(ids.filter((id) => id.startsWith(`${name}@`)), [], REMEDY);
    assert.equal(OF_SERVICE.includes(replacement), true, `${replacement} is not what deno.json names`);
  }
});

Deno.test("no package of deno.json is for tests alone", () => {
  const names = Object.keys(denoJson.imports).filter((name) => name !== "@/");
  const misplaced = names.filter((name) => isWithin(`${PACKAGE_OWNERS.get(name)?.[0]}/`, ["tests"]));
  assert.deepEqual(misplaced, []);
});

Deno.test("every package of deno.json is imported by the service", async () => {
  const folder = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    const all = join(folder, "all.ts");
    await Deno.writeTextFile(all, SERVICE.map((path) => `import "${path}";\n`).join(""));
    const { modules } = await denoInfo("--config", "deno.json", all);
    // A package may be imported by several of its files.
    const imported = new Set(
      modules.filter(({ kind }) => kind === "npm").map(({ specifier }) =>
        specifier.replace(/^npm:\/?((?:@[^/]+\/)?[^/]+).*$/, "npm:$1")
      ),
    );
    assert.deepEqual([...imported].toSorted(), OF_SERVICE.toSorted());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function pick<Value>(from: Readonly<Record<string, Value>>, keys: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}
