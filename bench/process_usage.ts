/**
 * CPU time and memory of a process and everything that it has started, from /proc. Linux only.
 *
 * @module
 */

/** Clock ticks of `/proc/PID/stat` per second; the same on every Linux that Deno runs on. */
const TICKS = 100;

/** Seconds of CPU that the process and its descendants have used. */
export function cpuSeconds(pid: number): number {
  return tree(pid).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS;
}

/** Begins a new measurement of {@link peakMegabytes}. */
export function resetPeak(pid: number): void {
  for (const each of tree(pid)) Deno.writeTextFileSync(`/proc/${each.pid}/clear_refs`, "5");
}

/** The largest resident memory of the process and its descendants since {@link resetPeak}, in MB. */
export function peakMegabytes(pid: number): number {
  return megabytes(tree(pid), "VmHWM");
}

/** The resident memory of the process and its descendants, in MB. */
export function residentMegabytes(pid: number): number {
  return megabytes(tree(pid), "VmRSS");
}

/** The resident memory of the process alone, in MB. */
export function ownMegabytes(pid: number): number {
  return megabytes([{ pid }], "VmRSS");
}

/** The process and its descendants. */
export function processesOf(pid: number): readonly number[] {
  return tree(pid).map((each) => each.pid);
}

function megabytes(processes: readonly { readonly pid: number }[], name: "VmHWM" | "VmRSS"): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m");
  const kilobytes = processes.map((each) =>
    Number(line.exec(read(`/proc/${each.pid}/status`) ?? "")?.[1] ?? 0)
  );
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

function tree(root: number): readonly ProcessFacts[] {
  const all = [...Deno.readDirSync("/proc")].flatMap(({ name }) => /^\d+$/.test(name) ? factsOf(name) : []);
  const found = all.filter(({ pid }) => pid === root);
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found;
}

/** A process may end while it is looked at. */
function factsOf(pid: string): readonly ProcessFacts[] {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return [];
  // The name, in brackets, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const parent = Number(fields[1]);
  // Its own time in user and system mode, then that of its children that have ended.
  const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  return [{ pid: Number(pid), parent, ticks }];
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || /ESRCH|No such process/.test(String(error))) {
      return undefined;
    }
    throw error;
  }
}
