/**
 * Events that a client or a failing part may repeat without end: the log has the first one at once, and
 * later ones together, once a minute.
 *
 * @module
 */

import { METERS } from "./meters.ts";

/** Milliseconds between two lines. */
const MINUTE = 60_000;

/** The events of one kind. */
export class Tally implements Disposable {
  readonly #tell: (count: number, reason: string) => void;
  #untold = 0;
  #reason = "";
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** `tell` logs events, with their number since the last line and the reason of the last one. */
  constructor(tell: (count: number, reason: string) => void) {
    this.#tell = tell;
  }

  note(reason = ""): void {
    this.#reason = reason;
    this.#untold++;
    if (this.#pause === undefined) this.#tellNow();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#pause);
  }

  #tellNow(): void {
    const count = this.#untold;
    this.#untold = 0;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#untold > 0) this.#tellNow();
    }, MINUTE);
    this.#pause.unref();
    this.#tell(count, this.#reason);
  }
}

/** The kinds of things that are refused or cut off for lack of room: labels of `rowhouse_cut_off_total`. */
export const CUT_OFF = ["answer", "body", "connection", "listener", "reader"] as const;
type CutOff = (typeof CUT_OFF)[number];

/** The events of one kind of {@link CutOff}, which are also counted for `/metrics`. */
export class CutOffs extends Tally {
  readonly #what: CutOff;

  constructor(what: CutOff, tell: (count: number, reason: string) => void) {
    super(tell);
    this.#what = what;
  }

  override note(reason?: string): void {
    METERS.count("rowhouse_cut_off_total", this.#what);
    super.note(reason);
  }
}
