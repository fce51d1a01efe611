/**
 * Builds the style sheets and the scripts of pages from `formats/html/client/`. `deno task assets` writes
 * them into `formats/html/assets/`; a test compares them with what is committed.
 *
 * @module
 */

import { bundledPackages, licencesOf, linkPackages } from "./linked_packages.ts";
import { build, type Plugin, stop } from "./packages/esbuild.ts";

const HTML = new URL("../../formats/html/", import.meta.url);

/** The modules of the client that import packages. */
const PACKAGES = ["codemirror", "swagger"].map((name) => `formats/html/client/${name}.ts`);

/** The files that are built, by their names: what pages load, and the licences of the packages in it. */
export async function buildAssets(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = await Deno.makeTempDir({ prefix: "rowhouse-assets-" });
  try {
    const packages = await linkPackages(folder, PACKAGES);
    const { outputFiles, metafile } = await build({
      absWorkingDir: HTML.pathname,
      entryPoints: ["page.css", "page.ts", "editor.ts", "explorer.css", "explorer.ts"].map((name) =>
        `client/${name}`
      ),
      outdir: "assets",
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: "iife",
      target: ["es2022"],
      legalComments: "none",
      supported: { "nesting": true },
      preserveSymlinks: true,
      plugins: [packagesIn(folder)],
    });
    const files = outputFiles.map(({ path, contents }) =>
      [path.slice(path.lastIndexOf("/") + 1), contents] as const
    );
    const licences = await licencesOf(bundledPackages(metafile, packages));
    return new Map([...files, ["LICENCES.txt", new TextEncoder().encode(licences)]]);
  } finally {
    await stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Finds `npm:@codemirror/view@6.0.0` among the linked packages. */
function packagesIn(folder: string): Plugin {
  return {
    name: "npm",
    setup(builder) {
      builder.onResolve({ filter: /^npm:/ }, ({ path, kind }) => {
        const name = path.replace(/^npm:((?:@[^/]+\/)?[^@/]+)@[^/]+/, "$1");
        return builder.resolve(name, { kind, resolveDir: folder });
      });
    },
  };
}

if (import.meta.main) {
  for (const [name, bytes] of await buildAssets()) {
    await Deno.writeFile(new URL(`assets/${name}`, HTML), bytes);
  }
}
