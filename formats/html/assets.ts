/**
 * The files that pages load. They are built from `client/` by `deno task assets` and committed.
 *
 * @module
 */

import type { Asset } from "@/plugins/contract.ts";

/** The files of `assets/` with their content types. */
const FILES: readonly (readonly [name: string, contentType: string])[] = [
  ["page.css", "text/css; charset=utf-8"],
  ["page.js", "text/javascript; charset=utf-8"],
  ["editor.js", "text/javascript; charset=utf-8"],
  ["explorer.css", "text/css; charset=utf-8"],
  ["explorer.js", "text/javascript; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
];

/** Reads the files, once at the start. */
export function readAssets(): ReadonlyMap<string, Asset> {
  return new Map(FILES.map(([name, contentType]) => {
    const bytes = Deno.readFileSync(new URL(`./assets/${name}`, import.meta.url));
    return [name, { contentType, bytes }];
  }));
}
