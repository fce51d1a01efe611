/**
 * The number of rows of a list for people. It may take many times as long as the rows of a page, and
 * even the whole table: a filter that few rows fit is tried on all of them. So a page waits only a
 * moment for it, and a large number is remembered: turning the pages of a long list or sorting it
 * does not count it again each time.
 *
 * @module
 */

import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { type Deadline, startDeadline } from "@/core/base/request_deadline.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { View } from "@/core/database/connect.ts";
import type { StatementMeter } from "@/core/database/statement_meter.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { ReadOptions } from "@/plugins/contract.ts";

/** Shorter lists are counted each time: their numbers are seen one by one, and are cheap. */
const LARGE = 1000;
/** Milliseconds in which changes by others are not seen in the number. */
const TIME = 10_000;
/** Milliseconds that a page waits for its number. */
const PATIENCE = 200;

interface Remembered {
  /** Undefined: counting took too long. */
  readonly total: number | undefined;
  readonly until: number;
  readonly commits: number;
}

/** A count of a page that others may wait for. */
interface Running {
  readonly total: Promise<number | undefined>;
  readonly commits: number;
}

/** The number of rows of one list, for callers with the same access. */
export class LargeCount {
  readonly #counts: WeightedCache<Remembered>;
  readonly #running: Map<string, Running>;
  readonly #key: string;
  readonly #meter: StatementMeter;

  constructor(meter: StatementMeter, view: View, { key, values }: Walk, distinct: boolean) {
    this.#meter = meter;
    this.#counts = view.memo(createCounts);
    this.#running = view.memo(createRunning);
    this.#key = `${distinct}\n${key}\n${values.map((value) => JSON.stringify(String(value))).join()}`;
  }

  /**
   * The number that `work` counts; undefined if that takes too long. Counts nothing if the list was counted a
   * moment ago and nothing was written through this process since. A number that does not fit the rows of the
   * page, which were read before, is not shown: others have changed the table meanwhile.
   */
  count(
    work: (options: ReadOptions) => Eventual<number>,
    options: ReadOptions,
    fits: (total: number) => boolean,
  ): Eventual<number | undefined> {
    const { commits } = this.#meter;
    const known = this.#counts.get(this.#key);
    const isUsable = known?.commits === commits && performance.now() < known.until;
    if (isUsable && (known.total === undefined || fits(known.total))) return known.total;
    const running = this.#running.get(this.#key);
    // The client of the other page may go away, which ends its work.
    const again = () => this.#count(work, options, fits);
    if (running?.commits !== commits) return again();
    return running.total.then((total) => total === undefined || fits(total) ? total : again(), again);
  }

  #count(
    work: (options: ReadOptions) => Eventual<number>,
    options: ReadOptions,
    fits: (total: number) => boolean,
  ): Eventual<number | undefined> {
    const { commits } = this.#meter;
    const counted = patiently(work, options);
    if (counted instanceof Promise) this.#share({ total: counted, commits });
    return whenThere(counted, (total) => {
      if (total !== undefined && !fits(total)) return undefined;
      // The commits from before counting: a change in between makes the number useless.
      const isKept = total === undefined || total > LARGE;
      if (isKept) this.#counts.set(this.#key, { total, until: performance.now() + TIME, commits }, 0);
      return total;
    });
  }

  #share(running: Running): void {
    this.#running.set(this.#key, running);
    const end = () => {
      if (this.#running.get(this.#key) === running) this.#running.delete(this.#key);
    };
    running.total.then(end, end);
  }
}

/** The result of `work`; undefined if it takes too long. The deadline begins where work can be cancelled. */
function patiently(
  work: (options: ReadOptions) => Eventual<number>,
  options: ReadOptions,
): Eventual<number | undefined> {
  const bounded = new PatientRead(options);
  const end = (total: number | undefined) => {
    bounded.deadline?.[Symbol.dispose]();
    return total;
  };
  return attempt(() => whenThere(work(bounded), end), (error) => {
    const isLate = bounded.deadline?.signal.aborted === true && !options.signal.aborted;
    end(undefined);
    if (!isLate) throw error;
    return undefined;
  });
}

class PatientRead implements ReadOptions {
  readonly requestId: string | undefined;
  readonly turn: string | undefined;
  readonly #options: ReadOptions;
  /** Begins when the signal is asked for. */
  deadline: Deadline | undefined;

  constructor(options: ReadOptions) {
    this.requestId = options.requestId;
    this.turn = options.turn;
    this.#options = options;
  }

  get signal(): AbortSignal {
    this.deadline ??= startDeadline(this.#options.signal, "The rows are not counted in time", PATIENCE);
    return this.deadline.signal;
  }
}

function createCounts(): WeightedCache<Remembered> {
  return new WeightedCache();
}

function createRunning(): Map<string, Running> {
  return new Map();
}
