import assert from "node:assert/strict";
import { denoInfo, type InfoModule } from "@/tests/unit/architecture/deno_info.ts";
import { buildCharts } from "@/tests/support/chart_bundle.ts";

// The bundler does not wait for the end of its process.
Deno.test.sanitizer({ ops: false, resources: false });

const BUNDLED = new URL("../../../formats/html/charts/bundled/", import.meta.url);

Deno.test("the bundles for charts are built from the packages of the lock file: deno task assets:charts", async () => {
  const built = await buildCharts();
  assert.deepEqual([...built.keys()].toSorted(), ["LICENCES.txt", "dagre.js", "vega.js"]);
  for (const [name, bytes] of built) {
    // Not deepEqual, which would print a megabyte.
    const committed = await Deno.readFile(new URL(name, BUNDLED));
    assert.ok(bytes.length === committed.length && bytes.every((byte, at) => byte === committed[at]), name);
  }
});

/** A module with the modules that it imports. */
interface Importing extends InfoModule {
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly isDynamic?: boolean;
  }[];
}

/** Everything that a module loads before it runs. */
async function loadedWith(path: string): Promise<readonly string[]> {
  const { modules } = await denoInfo(path);
  const known = new Map(modules.map((module) => [module.specifier, module as Importing]));
  const loaded = new Set([...known.keys()].filter((specifier) => specifier.endsWith(`/${path}`)));
  for (const specifier of loaded) {
    for (const { code, isDynamic } of known.get(specifier)?.dependencies ?? []) {
      if (code && !isDynamic) loaded.add(code.specifier);
    }
  }
  return [...loaded];
}

for (const name of ["vega", "dagre"]) {
  Deno.test(`the bundle ${name} is whole: it imports nothing`, async () => {
    assert.equal((await loadedWith(`formats/html/charts/bundled/${name}.js`)).length, 1);
  });
}

for (
  const path of [
    "main.ts",
    "formats/html/mod.ts",
    "formats/html/charts/chart.ts",
    "formats/html/charts/diagram.ts",
  ]
) {
  Deno.test(`${path} loads no bundle before the first picture`, async () => {
    const loaded = await loadedWith(path);
    assert.ok(loaded.length > 0);
    assert.deepEqual(loaded.filter((specifier) => specifier.includes("/bundled/")), []);
  });
}
