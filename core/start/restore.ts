/**
 * The command `restore`: puts a backup into its places by renaming. Copying over a database that a process
 * has open would kill the process, because engines map files into memory. No dialect is loaded: the backup
 * names the files beside databases.
 *
 * @module
 */

import { dirname, join, resolve } from "node:path";
import { type Directories, FORMAT, formatComplaint, inspectConfiguration } from "@/config/mod.ts";
import { ServiceError } from "@/core/errors.ts";
import {
  ifThere,
  isThere,
  keepOwner,
  readIfThere,
  removeIfThere,
  syncFile,
} from "@/core/storage/shared_file.ts";
import { MANIFEST, type Manifest, type SavedFile } from "./backup.ts";
import { attempt, print } from "./console.ts";
import { takeState } from "./state_lock.ts";

/** Appended to the name of what was in the place of a restored file; the second time with `-2`, and so on. */
const FORMER = ".before-restore";

interface Placed {
  readonly copy: string;
  readonly target: string;
  readonly draft: string;
  readonly beside: readonly string[];
}

/** Restores the backup and returns the exit code. Nothing is changed before every file has been copied. */
export async function restore(directories: Directories, backup: string): Promise<number> {
  const [config, state] = [resolve(directories.config), resolve(directories.state)];
  const manifest = await readManifest(backup);
  for (const directory of [config, state]) await makeDirectory(directory);
  using _held = await takeState(state);
  const isSamePlace = manifest.directories.config === config && manifest.directories.state === state;
  const byTarget = new Map<string, Placed>();
  const lines: string[] = [];
  for (const file of manifest.files) {
    if (file.target !== undefined && !isSamePlace) {
      lines.push(`not restored, because it belongs to other directories: ${file.name} (${file.target})`);
      continue;
    }
    const each = await place(file, { backup, config, state });
    // A file with two names, of which one is a link. Databases come first: a plain copy lacks their log.
    byTarget.getOrInsert(each.target, each);
  }
  const placed = [...byTarget.values()];
  await attempt(`restore "${backup}"`, replaceAll(placed));
  lines.unshift(...placed.map(({ target }) => target));
  await leaveFirstRun(directories, placed);
  const { complaints } = inspectConfiguration(directories, Deno.env.toObject());
  lines.push(...complaints.map((complaint) => `warning: ${formatComplaint(complaint)}`));
  print(lines.map((line) => `${line}\n`).join(""));
  return 0;
}

async function readManifest(backup: string): Promise<Manifest> {
  const refuse = (reason: string) => new ServiceError("internal", `Cannot restore "${backup}": ${reason}`);
  const text = await readIfThere(join(backup, MANIFEST));
  if (text === undefined) throw refuse(`it has no ${MANIFEST}, so it is no backup, or not a whole one`);
  const manifest = parse(text);
  if (!Array.isArray(manifest?.files)) throw refuse(`its ${MANIFEST} is damaged`);
  if (manifest.format > FORMAT) {
    throw refuse(
      `version ${manifest.version} made it with format ${manifest.format}, and this version of the program knows ` +
        `formats up to ${FORMAT}`,
    );
  }
  for (const { name, bytes } of manifest.files) {
    const size = (await ifThere(Deno.stat(join(backup, name))))?.size;
    if (size !== bytes) throw refuse(`${name} should have ${bytes} bytes and has ${size ?? "none"}`);
  }
  return manifest;
}

function parse(text: string): Manifest | undefined {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Makes a directory and those above it, each for the owner of the one above: root may restore, too. */
async function makeDirectory(path: string): Promise<void> {
  if (await isThere(path)) return;
  await makeDirectory(dirname(path));
  await Deno.mkdir(path, { mode: 0o700 });
  await keepOwner(path, dirname(path));
}

async function place(
  { name, target, beside = [] }: SavedFile,
  { backup, ...directories }: { readonly backup: string; readonly config: string; readonly state: string },
): Promise<Placed> {
  const [first, ...rest] = name.split("/");
  const own = target ?? join(first === "config" ? directories.config : directories.state, ...rest);
  const real = await ifThere(Deno.realPath(own)) ?? own;
  return { copy: join(backup, name), target: real, draft: `${real}.restoring`, beside };
}

/** Copies everything before the first rename: a full disk changes nothing. */
async function replaceAll(placed: readonly Placed[]): Promise<void> {
  try {
    for (const { copy, draft, target } of placed) {
      await makeDirectory(dirname(draft));
      await Deno.copyFile(copy, draft);
      await keepOwner(draft, target);
      await syncFile(draft);
    }
    for (const { target, draft, beside } of placed) {
      await setAside(target, beside);
      await Deno.rename(draft, target);
    }
  } finally {
    for (const { draft } of placed) await removeIfThere(draft);
  }
}

/**
 * A database moves with its log, without which it would lack commits; the log of another file would damage
 * the new one. Files that earlier restores have set aside stay: the first ones may be all that is left of the
 * last data. Where an interrupted restore has moved the file alone, the rest follows it.
 */
async function setAside(target: string, beside: readonly string[]): Promise<void> {
  let [last, next] = [target + FORMER, target + FORMER];
  for (let number = 2; await isAnyThere(next, ["", ...beside]); number++) {
    [last, next] = [next, `${target + FORMER}-${number}`];
  }
  const isCutOff = !await isThere(target) && !await isAnyThere(last, beside);
  const former = isCutOff ? last : next;
  for (const end of ["", ...beside]) await ifThere(Deno.rename(target + end, former + end));
}

async function isAnyThere(path: string, ends: readonly string[]): Promise<boolean> {
  return (await Promise.all(ends.map((end) => isThere(path + end)))).includes(true);
}

/**
 * A node that has never been administered is in its first run; a restored one is so only if the backup was.
 */
async function leaveFirstRun(directories: Directories, placed: readonly Placed[]): Promise<void> {
  const { settings } = inspectConfiguration(directories, Deno.env.toObject()).configuration;
  const mark = resolve(settings.initial_state_path);
  if (placed.every(({ target }) => target !== mark)) await setAside(mark, []);
}
