/**
 * Buckets in one file that the workers of a service share. Its size is fixed, however many
 * addresses and logins an attacker invents.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { dirname } from "node:path";
import { tryLater } from "@/core/errors.ts";
import { lockWithin } from "@/core/storage/shared_file.ts";
import type { Log } from "@/plugins/contract.ts";
import { type Bucket, type BucketStore, nameOf, type NextFull } from "./buckets.ts";

/** Processes that share a file need the same `key` and the same number of sets. */
interface BucketFileOptions {
  readonly path: string;
  /**
   * Determines the place of a bucket, so that an attacker cannot choose logins that collide with another one.
   */
  readonly key: Uint8Array;
  readonly log: Log;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds to wait for the lock of the file. Default: 2,000. */
  readonly longestWait?: number;
  /** Sets for addresses, and as many for logins. Default: 4,096, a file of 1 MiB. */
  readonly sets?: number;
}

/** Bytes of a slot: the first 8 bytes of a bucket's hash, and the time when it is full, as a double. */
const SLOT = 16;
/** Number of slots that a bucket may use. */
const WAYS = 8;
const SET = SLOT * WAYS;
/**
 * Addresses and logins have one half each, so that a flood of addresses cannot displace the counts of logins.
 */
const SETS_PER_HALF = 4096;
const LONGEST_WAIT = 2000;
/** The end of the operating system's messages; not all of its errors have a code. */
const REFUSED = /\(os error \d+\)$/;

/** Opens the file; a new one is created at its full size. */
export async function openBucketFile(options: BucketFileOptions): Promise<BucketStore> {
  await Deno.mkdir(dirname(options.path), { recursive: true });
  const file = await Deno.open(options.path, { read: true, write: true, create: true, mode: 0o600 });
  const { size } = await file.stat();
  const fixed = 2 * SET * (options.sets ?? SETS_PER_HALF);
  if (size !== fixed) await file.truncate(fixed);
  return new BucketFile(file, options);
}

class BucketFile implements BucketStore {
  readonly #file: Deno.FsFile;
  readonly #options: BucketFileOptions;
  /** The lock belongs to the open file, so requests of this process must take turns in addition. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Slots that could not be written, by their offset: a full or read-only disk must not prevent logins. */
  readonly #unwritten = new Map<number, Buffer>();

  constructor(file: Deno.FsFile, options: BucketFileOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Does not wait for anything else while the lock is held. */
  change(bucket: Bucket, next: NextFull): Promise<boolean> {
    const result = this.#turn.then(async () => {
      await this.#lock();
      try {
        const slot = this.#find(bucket);
        const full = next(slot.full, this.#options.now());
        if (full !== undefined) this.#write(slot, full);
        return true;
      } finally {
        this.#file.unlockSync();
      }
    });
    this.#turn = result.catch(() => {});
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    this.#file.close();
  }

  async #lock(): Promise<void> {
    if (await lockWithin(this.#file, this.#options.longestWait ?? LONGEST_WAIT)) return;
    throw tryLater("Logins cannot be checked at the moment: try again later", 1);
  }

  /** The bucket's slot; if it has none, a free one or the one that is full soonest. */
  #find(bucket: Bucket): Slot {
    const { start, tag } = this.#placeOf(bucket);
    const set = this.#read(start);
    const slots = Array.from({ length: WAYS }, (_, way) => slotAt(set, way, start));
    const own = slots.find((slot) => slot.tag.equals(tag));
    if (own) return own;
    const { offset } = slots.reduce((least, slot) => slot.full < least.full ? slot : least);
    return { offset, tag, full: 0 };
  }

  #placeOf(bucket: Bucket): { readonly start: number; readonly tag: Buffer } {
    const digest = createHmac("sha256", this.#options.key).update(nameOf(bucket)).digest();
    const { sets = SETS_PER_HALF } = this.#options;
    const first = "network" in bucket ? 0 : sets;
    return { start: SET * (first + digest.readUInt32BE(8) % sets), tag: digest.subarray(0, 8) };
  }

  #read(start: number): Buffer {
    const set = Buffer.alloc(SET);
    this.#file.seekSync(start, Deno.SeekMode.Start);
    for (let length = 0; length < SET;) {
      const count = this.#file.readSync(set.subarray(length));
      if (count === null) break;
      length += count;
    }
    for (let at = 0; at < SET; at += SLOT) this.#unwritten.get(start + at)?.copy(set, at);
    return set;
  }

  #write({ offset, tag }: Slot, full: number): void {
    const bytes = Buffer.alloc(SLOT);
    tag.copy(bytes);
    bytes.writeDoubleBE(full, 8);
    try {
      this.#file.seekSync(offset, Deno.SeekMode.Start);
      for (let written = 0; written < SLOT;) written += this.#file.writeSync(bytes.subarray(written));
      this.#unwritten.delete(offset);
    } catch (error) {
      if (!(error instanceof Error) || !REFUSED.test(error.message)) throw error;
      if (this.#unwritten.size === 0) {
        this.#options.log.warn(`Login attempts are counted in memory only: ${error.message}`);
      }
      this.#unwritten.set(offset, bytes);
    }
  }
}

interface Slot {
  /** Its offset in the file. */
  readonly offset: number;
  readonly tag: Buffer;
  readonly full: number;
}

function slotAt(set: Buffer, way: number, start: number): Slot {
  const offset = way * SLOT;
  const full = set.readDoubleBE(offset + 8);
  return {
    offset: start + offset,
    tag: set.subarray(offset, offset + 8),
    full: Number.isFinite(full) ? full : 0,
  };
}
