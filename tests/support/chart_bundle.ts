/**
 * Bundles the packages that draw charts and diagrams, so that a start fetches none of them. `deno task
 * assets:charts` writes `formats/html/charts/bundled/`; a test compares it with what is committed.
 *
 * @module
 */

import { bundledPackages, licencesOf, type LinkedPackage, linkPackages } from "./linked_packages.ts";
import { build, stop } from "./packages/esbuild.ts";

const ROOT = new URL("../../", import.meta.url);
const BUNDLED = new URL("formats/html/charts/bundled/", ROOT);

/** The used exports of the packages, by the name of the bundle. */
const ENTRIES = {
  "vega": 'export { compile } from "vega-lite"; export { None, parse, textMetrics, View } from "vega";',
  "dagre": 'export { Graph, layout } from "@dagrejs/dagre";',
} as const;

/** The files that are built, by their names: the bundles, and the licences of what is in them. */
export async function buildCharts(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = await Deno.makeTempDir({ prefix: "rowhouse-charts-" });
  try {
    const packages = await linkPackages(
      folder,
      ["vega", "vega_lite", "dagre"].map((name) => {
        return `tests/support/packages/${name}.ts`;
      }),
    );
    const files = new Map<string, Uint8Array>();
    const used = new Map<string, LinkedPackage>();
    for (const [name, contents] of Object.entries(ENTRIES)) {
      const { outputFiles, metafile } = await build({
        stdin: { contents, resolveDir: folder, loader: "js" },
        absWorkingDir: folder,
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        format: "esm",
        platform: "neutral",
        mainFields: ["module", "main"],
        conditions: ["import"],
        preserveSymlinks: true,
        target: ["es2022"],
        legalComments: "none",
        banner: { js: `// @ts-self-types="./${name}.d.ts"` },
      });
      for (const { contents: bytes } of outputFiles) files.set(`${name}.js`, bytes);
      for (const each of bundledPackages(metafile, packages)) used.set(each.name, each);
    }
    return files.set("LICENCES.txt", new TextEncoder().encode(await licencesOf([...used.values()])));
  } finally {
    await stop();
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  for (const [name, bytes] of await buildCharts()) await Deno.writeFile(new URL(name, BUNDLED), bytes);
}
