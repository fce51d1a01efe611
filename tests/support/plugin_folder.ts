/**
 * Folders of plugins that are made for a test and thrown away.
 *
 * @module
 */

import { dirname, join } from "node:path";

/** A folder for `plugins_path`. */
export interface PluginFolder extends Disposable {
  readonly path: string;
}

/** Writes files below a new directory: `formats/ndjson/mod.ts`. */
export function pluginFolder(files: Readonly<Record<string, string>>): PluginFolder {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "rowhouse-plugins-" }));
  for (const [name, text] of Object.entries(files)) {
    Deno.mkdirSync(dirname(join(path, name)), { recursive: true });
    Deno.writeTextFileSync(join(path, name), text);
  }
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

/** The source of a plugin that can be loaded; `setup` is a function's source. */
export function pluginSource(kind: string, name: string, setup = "() => ({})"): string {
  return `export default { contract: 2, kind: "${kind}", name: "${name}", setup: ${setup} };\n`;
}
