/**
 * The commands check, init, set-password and those of licences. Each returns its exit code.
 * Standard output is for results, standard error for everything else.
 *
 * @module
 */

import { resolve } from "node:path";
import type { Command } from "@/config/command_line.ts";
import type { LicenceWishes } from "@/config/licence_wishes.ts";
import {
  changePassword,
  type Configuration,
  type Directories,
  formatComplaint,
  inspectConfiguration,
  loadConfiguration,
} from "@/config/mod.ts";
import { licenceDocument } from "@/core/definitions/licence_document.ts";
import { checkNames } from "@/core/definitions/name_complaints.ts";
import { foundPlugins, wantedPlugins } from "@/core/definitions/plugin_list.ts";
import { loadLicence, lockOf, makePrivateKey, publicKeyOf, signLicence } from "@/core/identity/licence.ts";
import { SILENT } from "@/core/storage/log.ts";
import { isThere } from "@/core/storage/shared_file.ts";
import { readDialectTypes } from "@/plugins/dialect_type.ts";
import { inspectPlugins } from "@/plugins/load.ts";
import { askHidden, attempt, fail, print, tell } from "./console.ts";
import { missingDemo, requireConfiguration, writeSampleInto } from "./first_run_files.ts";
import { checkPlugins, pluginPlace, straySettings } from "./set_up_plugins.ts";

/** Prints every complaint and warning about the configuration. A complaint makes the exit code 1. */
export async function check(directories: Directories): Promise<number> {
  await requireConfiguration(directories);
  const { configuration, complaints } = inspectConfiguration(directories, Deno.env.toObject());
  const { plugins, refused } = await inspectPlugins(wantedPlugins(configuration), configuration.settings);
  const unusable = refused.map(({ kind, name, complaint }) =>
    `${pluginPlace(kind, name, configuration)}: ${complaint}`
  );
  const parts = { plugins, configuration, prefix: "", log: SILENT };
  const strays = straySettings(parts, refused);
  const setUp = await checkPlugins(parts);
  const { databases_path: file } = configuration.settings;
  const isWrong = (id: string) =>
    complaints.some((each) => each.file === file && `${each.key}.`.startsWith(`${id}.`));
  const databases = new Map([...configuration.databases].filter(([id]) => !isWrong(id)));
  const names = await checkNames({ ...configuration, databases }, setUp.dialects, SILENT);
  const demo = await missingDemo(directories);
  const ofDatabases = names.warnings.filter(({ key }) => {
    return demo === undefined || configuration.databases.get(key)?.dbName !== resolve(demo);
  });
  const warnings = [
    ...configuration.warnings,
    ...strays.warnings,
    ...setUp.warnings,
    ...ofDatabases.map(formatComplaint),
    ...readDialectTypes(foundPlugins(configuration)).complaints,
  ];
  for (const warning of warnings) print(`warning: ${warning}\n`);
  const found = [...complaints, ...names.complaints].map(formatComplaint);
  const all = [
    ...found,
    ...unusable,
    ...strays.complaints,
    ...setUp.complaints,
    ...await licenceComplaints(configuration),
  ];
  if (all.length > 0) return fail(1, all);
  print("The configuration is in order\n");
  return 0;
}

async function licenceComplaints(configuration: Configuration): Promise<readonly string[]> {
  const { settings } = configuration;
  const lock = lockOf({ licence: await loadLicence(settings), configuration });
  return lock === undefined ? [] : [`${settings.license}: ${lock}`];
}

/** Writes the sample configuration and prints the paths of its files. */
export async function init(directory: string): Promise<number> {
  for (const path of await writeSampleInto(directory)) print(`${path}\n`);
  return 0;
}

/** Sets the password of a user from the environment or standard input. */
export async function setPassword(command: Extract<Command, { name: "set-password" }>): Promise<number> {
  await requireConfiguration(command.directories);
  const configuration = loadConfiguration(command.directories, Deno.env.toObject());
  const password = await readPassword();
  if (password === undefined) return INTERRUPTED;
  await changePassword(configuration, command.user, password);
  print(`The password of ${command.user} is set\n`);
  return 0;
}

/** The exit code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/** Reads the environment variable, else a line of the terminal, or standard input without its line break. */
async function readPassword(): Promise<string | undefined> {
  const given = Deno.env.get("ROWHOUSE_PASSWORD");
  if (given !== undefined) return given;
  if (Deno.stdin.isTerminal()) return askHidden("The new password, which is not shown: ");
  return (await new Response(Deno.stdin.readable).text()).replace(/\r?\n$/, "");
}

/** Prints the licence to standard output and the instructions to standard error. */
export async function issueLicence(wishes: LicenceWishes): Promise<number> {
  const { privateKey: path, days, ...rest } = wishes;
  if (!await isThere(path)) {
    const made = Deno.writeTextFile(path, makePrivateKey(), { mode: 0o600, createNew: true });
    await attempt(`write the private key "${path}"`, made);
  }
  const key = await attempt(`read the private key "${path}"`, Deno.readTextFile(path));
  const exp = Math.floor(Date.now() / 1000) + days * 86_400;
  const licence = signLicence({ ...rest, exp }, key);
  tell([`license.public_key = ${publicKeyOf(key)}`]);
  print(`${licence}\n`);
  return 0;
}

/** Prints the licence as `/license.json` shows it. Exit code 1 if it is not valid. */
export async function showLicence(directories: Directories): Promise<number> {
  await requireConfiguration(directories);
  const configuration = loadConfiguration(directories, Deno.env.toObject());
  const { document } = licenceDocument(await loadLicence(configuration.settings), { configuration });
  print(`${JSON.stringify(document.tree, null, 4)}\n`);
  const complaints = await licenceComplaints(configuration);
  return complaints.length === 0 ? 0 : fail(1, complaints);
}
