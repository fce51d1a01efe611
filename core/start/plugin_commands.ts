/**
 * The commands for authors of plugins: new, check, pack and list. Each returns its exit code.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Directories, inspectConfiguration, isTaken, takenName } from "@/config/mod.ts";
import { UsageError } from "@/config/option_values.ts";
import { foundPlugins, listPlugin, wantedPlugins } from "@/core/definitions/plugin_list.ts";
import { SILENT } from "@/core/storage/log.ts";
import project from "@/deno.json" with { type: "json" };
import { readDialectTypes } from "@/plugins/dialect_type.ts";
import {
  BUILT_IN_ROOT,
  discoverPlugins,
  FOLDERS,
  isBuiltIn,
  KIND_NAMES,
  PluginError,
  type PluginKind,
  type PluginLocation,
} from "@/plugins/discover.ts";
import { enablePlugins, isAmong } from "@/plugins/load.ts";
import { writePlugin } from "@/plugins/new_plugin.ts";
import { fail, print } from "./console.ts";
import { checkPlugins } from "./set_up_plugins.ts";

/** Writes a new plugin into the current directory and prints its files. Throws {@link UsageError}. */
export async function newPlugin(kind: string, name: string): Promise<number> {
  if (!isKind(kind)) {
    throw new UsageError(`A plugin is a format, an auth, a dialect or a cache, not "${kind}"`);
  }
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new UsageError(
      `A plugin's name has small letters, digits and _, and begins with a letter: not "${name}"`,
    );
  }
  if (isTaken({ kind, name })) return fail(1, [takenName({ kind, name })]);
  const builtIn = builtInNameOf({ kind, name });
  if (builtIn !== undefined) return fail(1, [builtIn]);
  for (const path of await writePlugin({ kind, name, root: ".", kysely: project.imports.kysely })) {
    print(`${path}\n`);
  }
  return 0;
}

function isKind(kind: string): kind is PluginKind {
  return Object.hasOwn(FOLDERS, kind);
}

/**
 * Loads a plugin that need not be enabled, sets it up with its configured
 * settings, and runs the tests beside it.
 */
export async function checkPlugin(path: string, directories: Directories): Promise<number> {
  const location = locationOf(path);
  const builtIn = isBuiltIn(location) ? undefined : builtInNameOf(location);
  if (builtIn !== undefined) return fail(1, [`${location.path}: ${builtIn}`]);
  const { configuration } = inspectConfiguration(directories, Deno.env.toObject());
  const seconds = configuration.settings["server.plugin_timeout"];
  const { plugins, refused } = await enablePlugins([location], [location], seconds);
  if (refused.length > 0) return fail(1, refused.map(({ complaint }) => complaint));
  const { complaints } = await checkPlugins({ plugins, configuration, prefix: "", log: SILENT });
  // The module is at fault, not the file that would enable it.
  const own = complaints.map((complaint) => complaint.replace(/^.*?: (?=The )/, `${location.path}: `));
  const mistakes = [...own, ...readDialectTypes([location]).complaints];
  if (mistakes.length > 0) return fail(1, mistakes);
  print(`${location.path} can be loaded and set up\n`);
  return await runTests(resolve(location.path, ".."));
}

/** Joins a plugin and its packages in one file that needs no lock file. */
export async function packPlugin(path: string): Promise<number> {
  const location = locationOf(path);
  const folder = resolve(location.path, "..");
  const target = join(folder, "packed", "mod.js");
  const options = ["--quiet", "--no-config", "--no-lock", "--platform", "deno", "--output", target];
  const args = ["bundle", ...options, location.path];
  if (Deno.build.standalone) {
    const command = ["deno", ...args].join(" ");
    return fail(1, ["The program file does not start Deno. This command packs the plugin:", `  ${command}`]);
  }
  const code = await runDeno(args, folder);
  if (code !== 0) return fail(1, [`${location.path} cannot be packed`]);
  print(`${target}\n`);
  return 0;
}

/**
 * Prints every plugin that is there. Plugins that are not enabled are not loaded, so less is known of them.
 */
export async function listPlugins(directories: Directories): Promise<number> {
  const { configuration } = inspectConfiguration(directories, Deno.env.toObject());
  const seconds = configuration.settings["server.plugin_timeout"];
  const wanted = wantedPlugins(configuration);
  for (const location of foundPlugins(configuration)) {
    const { kind, name } = location;
    if (isAmong(location, wanted)) await enablePlugins([location], [location], seconds);
    const { state, version, contract, place, settings } = listPlugin(location, configuration);
    const known = contract === null ? state : `contract ${contract}`;
    const set = settings.filter((setting) => setting.is_set).map(({ key, value }) =>
      value === null ? key : `${key}=${JSON.stringify(value)}`
    );
    print(`${[kind, name, version ?? "", known, place, set.join(" ")].join("\t").trimEnd()}\n`);
  }
  return 0;
}

/** The complaint about a name that a plugin of the service has. */
function builtInNameOf({ kind, name }: { readonly kind: string; readonly name: string }): string | undefined {
  const builtIn = discoverPlugins([BUILT_IN_ROOT]).find((each) => each.kind === kind && each.name === name);
  return builtIn &&
    `The ${KIND_NAMES[builtIn.kind]} "${name}" comes with the service: a plugin needs another name`;
}

/** The plugin whose folder or module this is. Throws {@link PluginError}. */
function locationOf(path: string): PluginLocation {
  const folder = resolve(path).replace(/[\\/]mod\.[jt]s$/, "");
  for (const root of [resolve(folder, "../.."), resolve(folder, "../../..")].filter(existsSync)) {
    const found = discoverPlugins([root]).find((each) => resolve(each.path, "..") === folder);
    if (found) return found;
  }
  const complaint =
    `${path} is no plugin: expected formats/NAME, auth/NAME, plugins/dialects/NAME or plugins/caches/NAME with a mod.ts`;
  throw new PluginError([complaint]);
}

/** The suites are part of the source, so the program file cannot run tests. */
async function runTests(folder: string): Promise<number> {
  const tests = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    name.endsWith("_test.ts")
  );
  if (tests.length === 0) {
    print(`${join(folder, "*_test.ts")}: there is no test, so neither types nor behaviour were checked\n`);
    return 0;
  }
  if (Deno.build.standalone) {
    print(`${tests.join(", ")}: tests need the source of Rowhouse and were not run\n`);
    return 0;
  }
  // A copy of the lock file, because tests may import packages of their own.
  const lock = await Deno.makeTempFile({ suffix: ".lock" });
  try {
    await Deno.copyFile(join(BUILT_IN_ROOT, "tests/deno.lock"), lock);
    return await runDeno([
      ...[
        "test",
        "--allow-all",
        "--config",
        join(BUILT_IN_ROOT, "deno.json"),
        "--lock",
        lock,
        "--frozen=false",
      ],
      ...tests.map((test) => join(folder, test)),
    ], folder);
  } finally {
    await Deno.remove(lock);
  }
}

/** Runs this program's own Deno and returns the exit code. */
async function runDeno(args: readonly string[], cwd: string): Promise<number> {
  const command = new Deno.Command(Deno.execPath(), { args: [...args], cwd, stdin: "null" });
  return (await command.spawn().status).code;
}
