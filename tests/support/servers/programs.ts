/**
 * Runs the programs of database servers, as a user that is not root: most of them refuse to run as that.
 *
 * @module
 */

import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;

/** The user that servers run as where the tests run as root. */
const USER = "nobody";

/** Options of a program beside its arguments. */
export interface RunOptions {
  /** Beside the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: the standard input is empty. */
  readonly stdin?: string;
}

/** The program's path: below one of the folders, where it is given, or in `PATH`. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const path = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  return [...folders, ...path, "/usr/sbin"].map((folder) => join(folder, name)).find(isFile);
}

/** Runs a program to its end and returns its output. Throws its messages if it fails. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, {
    args,
    env: { ...options.env },
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ success, stdout, stderr }] = await Promise.all([
    child.output(),
    write(child.stdin, options.stdin),
  ]);
  if (success) return new TextDecoder().decode(stdout);
  throw new Error(`${program} failed: ${new TextDecoder().decode(stderr).trim()}`);
}

/** The command as the user of servers; it ends with the process that starts it. */
export function asServerUser(command: readonly string[]): readonly string[] {
  const user = IS_ROOT ? ["--reuid", USER, "--regid", "nogroup", "--clear-groups"] : [];
  return ["setpriv", ...user, "--pdeathsig", "KILL", "--", ...command];
}

/** Bytes that the servers of a run take at most, with some to spare. */
const ROOM = 2e9;
const MEMORY = "/dev/shm";

/**
 * Where servers have their files: in memory where it has room, unless `TMPDIR` says otherwise. A new database
 * of PostgreSQL has 900 files: measured, 60 ms in memory and 400 ms on a disk.
 */
export function serverFolder(): string {
  return Deno.env.get("TMPDIR") ?? (hasRoom(MEMORY) ? MEMORY : tmpdir());
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

/** Makes a directory that belongs to the user that servers run as. */
export async function makeServerDirectory(directory: string): Promise<void> {
  await Deno.mkdir(directory, { mode: 0o700 });
  if (IS_ROOT) await run(["chown", `${USER}:nogroup`, directory]);
}

/**
 * Below the ports that systems give to clients. A client could otherwise take the port of a
 * server that is down for a moment.
 */
const PORTS = { first: 20_000, count: 12_000 } as const;

/** A free port of the loopback interface. */
export function freePort(hostname = "127.0.0.1"): number {
  while (true) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (isFree({ hostname, port })) return port;
  }
}

/** Whether something accepts connections at the port. */
export async function isListening(port: number): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}

function isFree(address: Deno.ListenOptions): boolean {
  try {
    Deno.listen(address).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}

/** A program that fails at once does not read its input; its own failure is reported then. */
async function write(stream: WritableStream<Uint8Array>, text = ""): Promise<void> {
  const writer = stream.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}
