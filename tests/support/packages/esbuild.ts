/**
 * esbuild, which builds the files that pages load.
 *
 * @module
 */

export { build, stop } from "npm:esbuild@0.28.2";
