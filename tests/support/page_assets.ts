/**
 * Builds the style sheet and the script of pages from `formats/html/client/`. `deno task assets` writes them into
 * `formats/html/assets/`; a test compares them with what is committed.
 *
 * @module
 */

import { build, stop } from "./packages/esbuild.ts";

const HTML = new URL("../../formats/html/", import.meta.url);

/** The files that are built, by their names. */
export async function buildAssets(): Promise<ReadonlyMap<string, Uint8Array>> {
  try {
    const { outputFiles } = await build({
      absWorkingDir: HTML.pathname,
      entryPoints: ["client/page.css", "client/page.ts"],
      outdir: "assets",
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      target: ["es2022"],
      legalComments: "none",
      supported: { "nesting": true },
    });
    return new Map(
      outputFiles.map(({ path, contents }) => [path.slice(path.lastIndexOf("/") + 1), contents]),
    );
  } finally {
    await stop();
  }
}

if (import.meta.main) {
  for (const [name, bytes] of await buildAssets()) {
    await Deno.writeFile(new URL(`assets/${name}`, HTML), bytes);
  }
}
