/**
 * Bundles the packages that draw charts and diagrams, so that a start fetches none of them. `deno task assets:charts`
 * writes `formats/html/charts/bundled/`; a test compares it with what is committed.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "./packages/esbuild.ts";

const ROOT = new URL("../../", import.meta.url);
const BUNDLED = new URL("formats/html/charts/bundled/", ROOT);

/** The used exports of the packages, by the name of the bundle. */
const ENTRIES = {
  "vega": 'export { compile } from "vega-lite"; export { None, parse, View } from "vega";',
  "dagre": 'export { Graph, layout } from "@dagrejs/dagre";',
} as const;

interface Package {
  readonly name: string;
  readonly version: string;
  readonly localPath: string;
}

/** The files that are built, by their names: the bundles, and the licences of what is in them. */
export async function buildCharts(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = await Deno.makeTempDir({ prefix: "rowhouse-charts-" });
  try {
    const packages = await linkPackages(folder);
    const files = new Map<string, Uint8Array>();
    const used = new Map<string, Package>();
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
      for (const input of Object.keys(metafile.inputs)) {
        const [, own] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
        if (own !== undefined) used.set(own, onlyOne(own, packages));
      }
    }
    return files.set("LICENCES.txt", new TextEncoder().encode(await licencesOf([...used.values()])));
  } finally {
    await stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Links the packages of the tests' lock file, which Deno keeps elsewhere, into a folder for esbuild. */
async function linkPackages(folder: string): Promise<readonly Package[]> {
  const entries = ["vega", "vega_lite", "dagre"].map((name) => `tests/support/packages/${name}.ts`);
  const found = await Promise.all(entries.map(packagesOf));
  const packages = [...new Map(found.flat().map((each) => [each.localPath, each])).values()];
  for (const { name, localPath } of packages) {
    const link = join(folder, "node_modules", name);
    await Deno.mkdir(dirname(link), { recursive: true });
    await Deno.remove(link).catch((error: unknown) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
    await Deno.symlink(localPath, link);
  }
  return packages;
}

async function packagesOf(entry: string): Promise<readonly Package[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--lock", "tests/deno.lock", entry],
    cwd: fileURLToPath(ROOT),
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { modules, npmPackages } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly modules: readonly { readonly kind: string; readonly npmPackage?: string }[];
    readonly npmPackages: Readonly<Record<string, Package & { readonly dependencies: readonly string[] }>>;
  };
  const needed = new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []));
  for (const id of needed) for (const below of npmPackages[id]?.dependencies ?? []) needed.add(below);
  return [...needed].flatMap((id) => npmPackages[id] ?? []);
}

/** A package of which the lock file has several versions would be bundled in any of them. */
function onlyOne(name: string, packages: readonly Package[]): Package {
  const [found, ...others] = packages.filter((each) => each.name === name);
  if (!found || others.length > 0) throw new Error(`${name} is bundled in one of several versions`);
  return found;
}

/** Every licence text, each once, with the packages that it is for. */
async function licencesOf(packages: readonly Package[]): Promise<string> {
  const owners = new Map<string, string[]>();
  for (
    const { name, version, localPath } of packages.toSorted((one, other) => one.name < other.name ? -1 : 1)
  ) {
    const text = await licenceIn(localPath);
    owners.set(text, [...owners.get(text) ?? [], `${name} ${version}`]);
  }
  return Array.from(owners, ([text, names]) => `${names.join(", ")}\n\n${text}\n`).join("\n----\n\n");
}

async function licenceIn(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!/^licen[cs]e(\.\w+)?$/i.test(name)) continue;
    return (await Deno.readTextFile(join(folder, name))).replaceAll("\r", "").trim();
  }
  throw new Error(`${folder} has no licence`);
}

if (import.meta.main) {
  for (const [name, bytes] of await buildCharts()) await Deno.writeFile(new URL(name, BUNDLED), bytes);
}
