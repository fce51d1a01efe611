/**
 * Packages of the tests' lock file for esbuild, and their licences.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Metafile } from "./packages/esbuild.ts";

const ROOT = new URL("../../", import.meta.url);

/** A package on this machine. */
export interface LinkedPackage {
  readonly name: string;
  readonly version: string;
  readonly localPath: string;
}

/** The packages that are in bundles, by what esbuild says of them. */
export function bundledPackages(
  metafile: Metafile,
  packages: readonly LinkedPackage[],
): readonly LinkedPackage[] {
  const names = Object.keys(metafile.inputs).flatMap((input) => {
    const [, own] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    return own ?? [];
  });
  return [...new Set(names)].map((name) => onlyOne(name, packages));
}

/**
 * Links the packages that modules import, which Deno keeps elsewhere, into a folder for esbuild, in the
 * versions of the tests' lock file.
 */
export async function linkPackages(
  folder: string,
  entries: readonly string[],
): Promise<readonly LinkedPackage[]> {
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

async function packagesOf(entry: string): Promise<readonly LinkedPackage[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--lock", "tests/deno.lock", entry],
    cwd: fileURLToPath(ROOT),
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { modules, npmPackages } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly modules: readonly { readonly kind: string; readonly npmPackage?: string }[];
    readonly npmPackages: Readonly<
      Record<string, LinkedPackage & { readonly dependencies: readonly string[] }>
    >;
  };
  const needed = new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []));
  for (const id of needed) for (const below of npmPackages[id]?.dependencies ?? []) needed.add(below);
  return [...needed].flatMap((id) => npmPackages[id] ?? []);
}

/** A package of which the lock file has several versions would be bundled in any of them. */
function onlyOne(name: string, packages: readonly LinkedPackage[]): LinkedPackage {
  const [found, ...others] = packages.filter((each) => each.name === name);
  if (!found || others.length > 0) throw new Error(`${name} is bundled in one of several versions`);
  return found;
}

/** Every licence text, each once, with the packages that it is for. */
export async function licencesOf(packages: readonly LinkedPackage[]): Promise<string> {
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
