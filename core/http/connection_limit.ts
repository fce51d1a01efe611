/**
 * How many connections may be open at once, so that the process keeps file descriptors for everything else.
 *
 * @module
 */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** Descriptors kept for databases, logs and programs; half of all where there are few. */
const RESERVE = 256;
/** Assumed where the system does not tell its limit. */
const USUAL_LIMIT = 10_240;

/** What bounds the connections of one worker. */
export interface ConnectionLimit {
  /** Connections of this worker. */
  readonly connections: number;
  /** Open files of the process beyond which connections are too many, for servers that cannot count them. */
  readonly files: number;
}

/** The hard limit of open files, which Deno raises the soft limit to. */
export async function hardFileLimit(): Promise<number> {
  if (Deno.build.os === "windows") return USUAL_LIMIT;
  const permission = await Deno.permissions.query({ name: "run", command: "sh" });
  if (permission.state !== "granted") return USUAL_LIMIT;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "ulimit -Hn"] }).output();
  const told = new TextDecoder().decode(stdout).trim();
  return /^\d+$/.test(told) ? Number(told) : USUAL_LIMIT;
}

/** `wanted` connections for so many workers together, or as many as the hard limit allows. */
export function connectionLimit(
  wanted: number | undefined,
  { hardLimit, workers }: { readonly hardLimit: number; readonly workers: number },
): ConnectionLimit {
  const reserve = Math.min(RESERVE, hardLimit >> 1);
  const connections = Math.min(wanted ?? Infinity, hardLimit - reserve);
  return {
    connections: Math.max(1, Math.floor(connections / workers)),
    files: connections + (reserve >> 1),
  };
}

/** The lowest descriptor that is free: at least so many files are open. It costs microseconds, also with thousands open. */
export function openFiles(): number {
  try {
    const descriptor = openSync(devNull, "r");
    closeSync(descriptor);
    return descriptor;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EMFILE") return Infinity;
    throw error;
  }
}
