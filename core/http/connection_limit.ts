/**
 * The limit of open connections, which leaves file descriptors for everything else in the process.
 *
 * @module
 */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { ifThere } from "@/core/storage/shared_file.ts";

/** Descriptors for databases, logs and programs; if there are few, half of all. */
const RESERVE = 256;
/** Assumed if the system does not report its limit. */
const USUAL_LIMIT = 10_240;

/** The limits of one worker. */
export interface ConnectionLimit {
  readonly connections: number;
  /** The connections of all workers together. */
  readonly all: number;
  /** Open files of the process at which idle connections are closed: everything else needs the rest. */
  readonly files: number;
}

/** The hard limit of open files; Deno raises the soft limit to it. */
export async function hardFileLimit(): Promise<number> {
  if (Deno.build.os === "windows") return USUAL_LIMIT;
  const permission = await Deno.permissions.query({ name: "run", command: "sh" });
  if (permission.state !== "granted") return USUAL_LIMIT;
  // An image for containers may have no shell.
  const told = await ifThere(askShell()) ?? "";
  return /^\d+$/.test(told) ? Number(told) : USUAL_LIMIT;
}

async function askShell(): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "ulimit -Hn"] }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** `wanted` connections for all workers together, or as many as the hard limit allows. */
export function connectionLimit(
  wanted: number | undefined,
  { hardLimit, workers }: { readonly hardLimit: number; readonly workers: number },
): ConnectionLimit {
  const reserve = Math.min(RESERVE, hardLimit >> 1);
  const connections = Math.min(wanted ?? Infinity, hardLimit - reserve);
  return {
    connections: Math.max(1, Math.floor(connections / workers)),
    all: connections,
    files: hardLimit - (reserve >> 1),
  };
}

/**
 * The lowest free descriptor: at least this many files are open. It takes
 * microseconds even with thousands open.
 */
export function openFiles(): number {
  return countOpenFiles(1);
}

/** The number of open files, even if fewer than so many numbers below the largest descriptor are free. */
export function countOpenFiles(gaps = 100): number {
  const probes: number[] = [];
  try {
    while (probes.length < gaps) probes.push(openSync(devNull, "r"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EMFILE")) throw error;
  }
  probes.forEach((descriptor) => closeSync(descriptor));
  return (probes.at(-1) ?? Infinity) + 1 - probes.length;
}
