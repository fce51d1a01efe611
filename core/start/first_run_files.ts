/**
 * The files of the first run: the sample configuration and the demo database.
 *
 * @module
 */

import { join, resolve } from "node:path";
import type { Directories } from "@/config/mod.ts";
import { writeSample } from "@/config/sample.ts";
import { ServiceError } from "@/core/errors.ts";
import { FIRST_RUN } from "@/core/login/first_run.ts";
import { isThere, readIfThere } from "@/core/storage/shared_file.ts";
import { attempt, tell } from "./console.ts";

/** The source of the demo database. */
export interface DemoSource {
  /** Creates the database in this file. */
  createDemo(file: string): Promise<void>;
}

/** Writes the sample configuration if there is none, and creates the demo database that it defines. */
export async function prepareFirstRun(directories: Directories, { createDemo }: DemoSource): Promise<void> {
  const { config, state } = directories;
  await attempt(`make directory "${state}"`, Deno.mkdir(state, { recursive: true, mode: 0o755 }));
  const written = Deno.makeTempFile({ dir: state }).then((file) => Deno.remove(file));
  await attempt(`write into "${state}" (--state-dir chooses another directory)`, written);
  if (!await isThere(join(config, "service.ini"))) await writeSampleInto(config);
  const demo = await missingDemo(directories);
  if (demo !== undefined) await attempt(`create database "${demo}"`, createDemo(demo));
}

/** The file of the demo database, if the next start creates it. */
export async function missingDemo({ config, state }: Directories): Promise<string | undefined> {
  const demo = join(state, "demo.db");
  if (await isThere(demo)) return undefined;
  const databases = await readIfThere(join(config, "databases.cfg"));
  return databases?.includes("${ROWHOUSE_STATE}/demo.db") ? demo : undefined;
}

/** Throws without a configuration directory: a wrong `--home` is no empty configuration. */
export async function requireConfiguration({ config }: Directories): Promise<void> {
  if (await isThere(config)) return;
  const how = "--home or --config-dir names another; main.ts init writes a sample configuration into one";
  throw new ServiceError("internal", `${config}: there is no such directory: ${how}`);
}

/** Writes the sample configuration and returns the paths of its files. */
export async function writeSampleInto(directory: string): Promise<readonly string[]> {
  return await attempt(`write the sample configuration into "${directory}"`, writeSample(directory));
}

/**
 * Tells the operator how to begin, on standard error and never in a log, because the token
 * is a secret during the first run.
 */
export function announceFirstRun({ config }: Directories, address: string, token: string): void {
  const url = address.replace(/\/+$/, "");
  tell([
    `Configuration: ${resolve(config)}`,
    `Data that needs no login, such as the demo: ${url}/db`,
    `First run: set the password of "admin" on ${url}${FIRST_RUN}?token=${token}`,
    "Ctrl-C stops the service",
  ]);
}
