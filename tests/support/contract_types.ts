/**
 * Writes the types of the contract as one file for plugins outside a clone. `deno task contract` writes it
 * into `plugins/templates/`; a test compares it with what is committed.
 *
 * @module
 */

import project from "@/deno.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url);
const FOLDER = new URL("plugins/contract/", ROOT);

/** The file that `plugin new` writes beside a plugin. */
export const CONTRACT_TYPES: URL = new URL("plugins/templates/contract.d.ts.txt", ROOT);

/** The files of the contract joined, with Kysely's names as the only import. */
export async function contractTypes(): Promise<string> {
  const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).sort();
  const shared = ["core/model.ts", "core/catalog.ts"].map((name) => new URL(name, ROOT));
  const files = [...shared, ...names.map((name) => new URL(name, FOLDER))];
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(file)));
  const kysely = new Set(texts.flatMap(namesOfKysely));
  const own = [...kysely].sort().join(", ");
  return [
    "/**\n * The contract between Rowhouse and its plugins. Written by `main.ts plugin new`: do not change it.\n *\n * @module\n */\n",
    `import type { ${own} } from "${project.imports.kysely}";\n`,
    ...texts.map(declarationsOf).map((text, at) => at === 0 ? withoutUser(text) : text),
    "/** A plugin of any kind. */\nexport type AnyPlugin = FormatPlugin | AuthPlugin | DialectPlugin | CachePlugin;\n",
  ].join("\n");
}

/** The core's accounts have secrets; methods see the `User` of the contract. */
function withoutUser(model: string): string {
  return model.replace(/^\/\*\*[^/]*\*\/\nexport interface User \{[^]*?^\}\n\n/m, "");
}

const IMPORT = /^import [^;]*;\n/gm;

function namesOfKysely(text: string): readonly string[] {
  const [, names = ""] = /^import type \{([^}]*)\} from "kysely";$/m.exec(text) ?? [];
  return names.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

/** Without imports and the comment of the module; a constant becomes its type. */
function declarationsOf(text: string): string {
  return text
    .replace(/^\/\*\*(?:(?!\*\/)[^])*@module[^]*?\*\/\n/, "")
    .replace(IMPORT, "")
    .replace(/^export const (\w+) = (\d+);$/gm, "export declare const $1: $2;")
    .trim() + "\n";
}

if (import.meta.main) await Deno.writeTextFile(CONTRACT_TYPES, await contractTypes());
