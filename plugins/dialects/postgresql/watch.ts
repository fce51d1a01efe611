/**
 * Looks after statements that take longer than a moment: whether their callers are still there, and whether their time is
 * up. Quick ones cost no timer and no listener.
 *
 * @module
 */

import type { ReadOptions } from "@/plugins/contract.ts";

/** What of a statement's run is watched. */
export interface Watched {
  readonly options: ReadOptions;
  /** Asks for the work to be given up. */
  giveUp(): void;
  /** Seconds; zero: no limit. */
  readonly seconds: number;
  /** The failure when its time is up. */
  expired(): Error;
}

/** Work that is looked after. */
export interface Entry extends Watched {
  /** As {@link performance.now} counts. */
  readonly started: number;
  /** Called at most once, with the caller's reason or {@link Watched.expired}. */
  reject(reason: unknown): void;
}

/** Milliseconds between two looks. */
const INTERVAL = 100;

/** Looks at everything that is under way with one timer, ten times a second. */
export class Watch {
  readonly #entries = new Set<Entry>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  /** What begins when everything has been ended has ended with it. */
  add(entry: Entry): void {
    if (this.#stopped) return entry.reject(this.#stopped.reason);
    this.#entries.add(entry);
    this.#timer ??= setTimeout(() => this.#look(), INTERVAL);
  }

  /** False where it was given up before. */
  end(entry: Entry): boolean {
    return this.#entries.delete(entry);
  }

  /** Ends everything that is under way. */
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
