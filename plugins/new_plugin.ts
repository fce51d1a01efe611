/**
 * Writes a new plugin: its module, the types of the contract, a test, a README, and the labels of a dialect.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { FOLDERS, KIND_NAMES, PluginError, type PluginKind } from "./discover.ts";

/** The lines that enable a plugin. */
const SETTINGS: Readonly<Record<PluginKind, (name: string) => readonly string[]>> = {
  format: (name) => [
    "service.ini:",
    "[service]",
    `formats = json,xml,csv,html,txt,xsd,${name}`,
    `${name}_sdb.href = True`,
  ],
  auth: (name) => [
    "auth.cfg:",
    "authentication_policies:",
    `  ${name}: {enabled: true, priority: 10, header: X-${name}}`,
  ],
  dialect: (name) => [
    "databases.cfg:",
    `Mine: {db_type: ${name}, db_name: /path/to/file.db, options: {cache_pages: 500}}`,
  ],
  cache: (name) => [
    "service.ini:",
    "[service]",
    `session.type = ext:${name}`,
    "session.url = /path/to/a/directory/that/all/nodes/share",
    "session.secret = (32 or more random characters)",
  ],
};

/** A plugin to write. */
interface NewPlugin {
  readonly kind: PluginKind;
  readonly name: string;
  /** The directory that becomes `plugins_path`. */
  readonly root: string;
  /** The specifier of the service's own Kysely, which its lock file has. */
  readonly kysely: string;
}

/** Writes the files of a plugin and returns their paths. */
export async function writePlugin({ kind, name, root, kysely }: NewPlugin): Promise<readonly string[]> {
  const folder = join(root, FOLDERS[kind], name);
  const values = {
    name,
    words: KIND_NAMES[kind],
    folder: FOLDERS[kind],
    kysely,
    settings: SETTINGS[kind](name).map((line) => `   ${line}`).join("\n"),
  };
  const files: readonly (readonly [file: string, template: string])[] = [
    ["mod.ts", `${kind}.ts.txt`],
    [`${name}_test.ts`, `${kind}_test.ts.txt`],
    ["contract.d.ts", "contract.d.ts.txt"],
    ["README.md", "README.md.txt"],
    ...(kind === "dialect" ? [["dialect.json", "dialect.json.txt"] as const] : []),
  ];
  const texts = await Promise.all(files.map(([, template]) => readTemplate(template, values)));
  const paths = files.map(([file]) => join(folder, file));
  await createFolder(folder, paths, texts);
  return paths;
}

/** Writes all files or, if the folder is there already, none. */
async function createFolder(
  folder: string,
  paths: readonly string[],
  texts: readonly string[],
): Promise<void> {
  await Deno.mkdir(dirname(folder), { recursive: true });
  try {
    await Deno.mkdir(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    throw new PluginError([`There is something at ${folder} already: nothing was written`]);
  }
  for (const [at, path] of paths.entries()) await Deno.writeTextFile(path, texts[at] ?? "");
}

async function readTemplate(file: string, values: Readonly<Record<string, string>>): Promise<string> {
  const text = await Deno.readTextFile(new URL(`./templates/${file}`, import.meta.url));
  return text.replace(/\{\{(\w+)\}\}/g, (_, key) => values[key] ?? "");
}
