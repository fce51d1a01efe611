/**
 * The worker processes of a database, found by the file they have open.
 *
 * @module
 */

import { until } from "@/tests/support/until.ts";

/** Linux shows the open files of a process. */
export const canSeeWorkers: boolean = Deno.build.os === "linux";

/**
 * Other processes with the file open, on Linux. Elsewhere: none. A process that has just been forked, perhaps
 * for another test, still has the files and the command of this one.
 */
export function workersWith(file: string): string[] {
  if (!canSeeWorkers) return [];
  const own = commandOf("self");
  const others = [...Deno.readDirSync("/proc")].map(({ name }) => name)
    .filter((name) => /^\d+$/.test(name) && name !== String(Deno.pid));
  return others.filter((pid) => openFiles(pid).includes(file) && commandOf(pid) !== own);
}

function commandOf(pid: string): string {
  return unlessGone(() => [Deno.readTextFileSync(`/proc/${pid}/cmdline`)]).join();
}

/** How often this process has the file open. */
export function handlesHere(file: string): number {
  return openFiles("self").filter((open) => open === file).length;
}

function openFiles(pid: string): string[] {
  const directory = `/proc/${pid}/fd`;
  return unlessGone(() => [...Deno.readDirSync(directory)])
    .flatMap(({ name }) => unlessGone(() => [Deno.readLinkSync(`${directory}/${name}`)]));
}

/** Processes may end and files may be closed during the search. */
function unlessGone<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return [];
    throw error;
  }
}

/** Kills the processes and waits until they have ended; a read may begin again in another one meanwhile. */
export async function killWorkers(file: string): Promise<void> {
  const killed = workersWith(file);
  for (const pid of killed) Deno.kill(Number(pid), "SIGKILL");
  await until(() => !workersWith(file).some((pid) => killed.includes(pid)));
}

/** Resolves when no worker has the file open any more. */
export async function untilEnded(file: string): Promise<void> {
  await until(() => workersWith(file).length === 0);
}
