/**
 * A file that several processes append lines to, and that is renamed when it has grown large: `audit.log`
 * becomes `audit.log.1`, which becomes `audit.log.2`.
 *
 * @module
 */

import { join } from "node:path";
import { METERS } from "@/core/base/meters.ts";
import { ServiceError } from "@/core/errors.ts";
import { writeToStandardError } from "./standard_error.ts";

/** The size at which a file is renamed, and the number of old files. */
export interface Rotation {
  /** Bytes. */
  readonly maxSize: number;
  readonly kept: number;
}

/** A log whose file can be moved away by other programs. */
export interface Reopened extends Disposable {
  /** Goes on in a new file. */
  reopen(): void;
}

/** Milliseconds between two looks at the file: a look costs more than a line. */
const INTERVAL = 100;
const MODE = 0o640;
const ENCODER = new TextEncoder();
const NEW_LINE = "\n".charCodeAt(0);

/** Each write has whole lines and goes to a file opened for appending, so those of processes do not mix. */
export class RotatingFile implements Disposable {
  readonly #directory: string;
  readonly #path: string;
  readonly #rotation: Rotation;
  #file: Deno.FsFile;
  /** The file ended with a part of a line at the last look: the disk was full, or a process was killed. */
  #isCut = false;
  /** Bytes at the last look, and those that this process has written since. */
  #size = 0;
  /** The time of the last look, as `performance.now()`. */
  #lookedAt = -Infinity;
  /** Lines of {@link writeSoon}. */
  #pending = "";

  /** Makes the directory. Throws a {@link ServiceError} when the file cannot be written. */
  constructor(directory: string, name: string, rotation: Rotation) {
    this.#directory = directory;
    this.#path = join(directory, name);
    this.#rotation = rotation;
    try {
      this.#file = this.#open();
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      const what = `Cannot write a log into "${directory}" (--log-dir chooses another directory)`;
      throw new ServiceError("internal", `${what}: ${cause.message}`, { cause });
    }
  }

  /**
   * Writes a line in a microtask, together with the lines that come until then: requests that wait for one
   * statement end together. Answers are sent in later microtasks.
   */
  writeSoon(line: string): void {
    if (this.#pending === "") queueMicrotask(() => this.#writePending());
    this.#pending += line;
  }

  #writePending(): void {
    const lines = this.#pending;
    this.#pending = "";
    if (lines !== "") this.write(lines);
  }

  /** A full disk must not fail requests: a line that cannot be written goes to standard error. */
  write(text: string): void {
    const line = ENCODER.encode(text);
    try {
      if (performance.now() - this.#lookedAt >= INTERVAL) this.#look();
      this.#append(line);
      if (this.#size >= this.#rotation.maxSize) this.#rotate();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      METERS.count("rowhouse_log_failures_total");
      writeToStandardError(`Cannot write into a log: ${error.message}\n${text}`);
    }
  }

  /** Notes what other processes have written. A file that was removed from outside is begun anew. */
  #look(): void {
    const { size, nlink } = this.#file.statSync();
    if (nlink === 0) return this.#reopen();
    this.#isCut = size > 0 && this.#lastByte() !== NEW_LINE;
    this.#size = size;
    this.#lookedAt = performance.now();
  }

  #lastByte(): number | undefined {
    const last = new Uint8Array(1);
    this.#file.seekSync(-1, Deno.SeekMode.End);
    return this.#file.readSync(last) === 1 ? last[0] : undefined;
  }

  /**
   * Throws if only a part of the line fits, which the disk tells by a short write. The next line begins anew.
   */
  #append(line: Uint8Array<ArrayBuffer>): void {
    const whole = this.#isCut ? new Uint8Array([NEW_LINE, ...line]) : line;
    const written = this.#file.writeSync(whole);
    this.#size += written;
    if (written < whole.length) {
      this.#lookedAt = -Infinity;
      throw new Error(`only ${written} of ${whole.length} bytes were written`);
    }
    this.#isCut = false;
  }

  /** Goes on in a new file: another program has moved the present one away. */
  reopen(): void {
    try {
      this.#reopen();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      METERS.count("rowhouse_log_failures_total");
      writeToStandardError(`Cannot reopen a log: ${error.message}\n`);
    }
  }

  [Symbol.dispose](): void {
    this.#writePending();
    this.#file.close();
  }

  /**
   * The process that gets the lock renames the file; the others then find that their
   * open file no longer has this name.
   */
  #rotate(): void {
    using lock = Deno.openSync(`${this.#path}.lock`, { write: true, create: true, mode: MODE });
    lock.lockSync(true);
    if (isSameFile(this.#file.statSync(), statIfThere(this.#path))) putAside(this.#path, this.#rotation.kept);
    this.#reopen();
  }

  /** The next line looks at the new file. */
  #reopen(): void {
    const next = this.#open();
    this.#file.close();
    this.#file = next;
    this.#size = 0;
    this.#lookedAt = -Infinity;
  }

  #open(): Deno.FsFile {
    Deno.mkdirSync(this.#directory, { recursive: true, mode: 0o755 });
    return Deno.openSync(this.#path, { append: true, read: true, create: true, mode: MODE });
  }
}

function putAside(path: string, kept: number): void {
  // Logs from a time when `log.kept` was larger.
  for (let number = kept + 1; statIfThere(`${path}.${number}`); number++) {
    Deno.removeSync(`${path}.${number}`);
  }
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
