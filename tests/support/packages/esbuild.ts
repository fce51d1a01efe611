/**
 * esbuild, which builds the files that pages load.
 *
 * @module
 */

export { build, type Metafile, type Plugin, stop } from "npm:esbuild@0.28.2";
