/**
 * Checks statements that take longer than a moment: whether their callers are still there, and whether their time is up.
 * Quick ones cost no timer and no listener.
 *
 * @module
 */

import type { ReadOptions } from "@/plugins/contract.ts";

/** A watched run. */
export interface Watched {
  readonly options: ReadOptions;
  /** Requests the cancellation of the work. */
  giveUp(): void;
  /** Seconds; zero: no limit. */
  readonly seconds: number;
  /** The failure when its time is up. */
  expired(): Error;
}

/** Watched work. */
export interface Entry extends Watched {
  /** In milliseconds of {@link performance.now}. */
  readonly started: number;
  /** Called at most once, with the caller's reason or {@link Watched.expired}. */
  reject(reason: unknown): void;
}

/** Milliseconds between two checks. */
const INTERVAL = 100;

/** Checks all running work with one timer, ten times a second. */
export class Watch {
  readonly #entries = new Set<Entry>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  /** Work that begins after the stop is rejected at once. */
  add(entry: Entry): void {
    if (this.#stopped) return entry.reject(this.#stopped.reason);
    this.#entries.add(entry);
    this.#timer ??= setTimeout(() => this.#look(), INTERVAL);
  }

  /** False if it was rejected before. */
  end(entry: Entry): boolean {
    return this.#entries.delete(entry);
  }

  /** Rejects all running work. */
  stop(reason: unknown): void {
    this.#stopped = { reason };
    clearTimeout(this.#timer);
    for (const entry of this.#entries) entry.reject(reason);
    this.#entries.clear();
  }

  #look(): void {
    const now = performance.now();
    for (const entry of this.#entries) {
      if (now - entry.started >= INTERVAL) this.#examine(entry, (now - entry.started) / 1000);
    }
    this.#timer = this.#entries.size > 0 ? setTimeout(() => this.#look(), INTERVAL) : undefined;
  }

  #examine(entry: Entry, seconds: number): void {
    const { signal } = entry.options;
    if (signal.aborted) this.#giveUp(entry, signal.reason);
    else if (entry.seconds > 0 && seconds > entry.seconds) this.#giveUp(entry, entry.expired());
  }

  #giveUp(entry: Entry, reason: unknown): void {
    this.#entries.delete(entry);
    entry.giveUp();
    entry.reject(reason);
  }
}
