/**
 * A file that lines are appended to, by several processes at once, and that is put aside when it has grown large:
 * `audit.log` becomes `audit.log.1`, that one `audit.log.2`.
 *
 * @module
 */

import { join } from "node:path";
import { ServiceError } from "@/core/errors.ts";

/** When a file is put aside, and how many of those are kept. */
export interface Rotation {
  /** Bytes. */
  readonly maxSize: number;
  readonly kept: number;
}

const MODE = 0o640;

/** Lines are whole: each is one write to a file opened for appending. */
export class RotatingFile implements Disposable {
  readonly #directory: string;
  readonly #path: string;
  readonly #rotation: Rotation;
  #file: Deno.FsFile;

  /** Makes the directory. Throws a {@link ServiceError} when the file cannot be written. */
  constructor(directory: string, name: string, rotation: Rotation) {
    this.#directory = directory;
    this.#path = join(directory, name);
    this.#rotation = rotation;
    try {
      this.#file = this.#open();
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      throw new ServiceError("internal", `Cannot write a log into "${directory}": ${cause.message}`, {
        cause,
      });
    }
  }

  /** A disk that is full must not fail requests: what cannot be written goes to standard error. */
  write(line: Uint8Array): void {
    try {
      const { size, nlink } = this.#file.statSync();
      const isRemoved = nlink === 0;
      if (isRemoved) this.#reopen();
      this.#file.writeSync(line);
      if ((isRemoved ? 0 : size) + line.length >= this.#rotation.maxSize) this.#rotate();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      writeToStandardError(new TextEncoder().encode(`Cannot write into a log: ${error.message}\n`));
      writeToStandardError(line);
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  /** Whoever gets the lock renames; the others find that their file is not the one of this name any more. */
  #rotate(): void {
    using lock = Deno.openSync(`${this.#path}.lock`, { write: true, create: true, mode: MODE });
    lock.lockSync(true);
    if (isSameFile(this.#file.statSync(), statIfThere(this.#path))) putAside(this.#path, this.#rotation.kept);
    this.#reopen();
  }

  /** Also after somebody has removed the file: what is written then must not be lost. */
  #reopen(): void {
    const next = this.#open();
    this.#file.close();
    this.#file = next;
  }

  #open(): Deno.FsFile {
    Deno.mkdirSync(this.#directory, { recursive: true });
    return Deno.openSync(this.#path, { append: true, create: true, mode: MODE });
  }
}

/** Standard error may be closed, or a file on the disk that is full: there is no place left to say so. */
export function writeToStandardError(line: Uint8Array): void {
  try {
    Deno.stderr.writeSync(line);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

function putAside(path: string, kept: number): void {
  if (kept === 0) return Deno.removeSync(path);
  for (let number = kept - 1; number >= 1; number--) {
    if (statIfThere(`${path}.${number}`)) Deno.renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  }
  Deno.renameSync(path, `${path}.1`);
}

function isSameFile(a: Deno.FileInfo, b: Deno.FileInfo | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

function statIfThere(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
