/**
 * The number of rows of a list for people. It may take many times as long as the rows of a page, and
 * even the whole table: a filter that few rows fit is tried on all of them. So a page waits only a
 * moment for it, and a large number is remembered: turning the pages of a long list or sorting it
 * does not count it again each time.
 *
 * @module
 */

import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { type Deadline, startDeadline } from "@/core/base/in_time.ts";
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
  /** A promise while a page counts; undefined if that took too long. */
  readonly total: Eventual<number | undefined>;
  readonly until: number;
  readonly commits: number;
}

/** The number of rows of one list, for callers with the same access. */
export class LargeCount {
  readonly #counts: WeightedCache<Remembered>;
  readonly #key: string;
  readonly #meter: StatementMeter;

  constructor(meter: StatementMeter, view: View, { key, values }: Walk, distinct: boolean) {
    this.#meter = meter;
    this.#counts = view.memo(createCounts);
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
    // The client of another page may go away, which ends its work.
    const again = () => this.#count(work, options, fits);
    const known = this.#counts.get(this.#key);
    if (known?.commits !== this.#meter.commits || performance.now() >= known.until) return again();
    const use = (total: number | undefined) => total === undefined || fits(total) ? total : again();
    return known.total instanceof Promise ? known.total.then(use, again) : use(known.total);
  }

  #count(
    work: (options: ReadOptions) => Eventual<number>,
    options: ReadOptions,
    fits: (total: number) => boolean,
  ): Eventual<number | undefined> {
    // The commits from before counting: a change in between makes the number useless.
    const { commits } = this.#meter;
    const remember = (total: Remembered["total"], until: number) =>
      this.#counts.set(this.#key, { total, until, commits }, 0);
    const counted = patiently(work, options);
    const isShared = counted instanceof Promise;
    if (isShared) {
      remember(counted, Infinity);
      counted.catch(() => remember(undefined, 0));
    }
    return whenThere(counted, (total) => {
      const isUsable = total === undefined || fits(total);
      const isKept = isUsable && (total ?? Infinity) > LARGE;
      if (isKept || isShared) remember(total, isKept ? performance.now() + TIME : 0);
      return isUsable ? total : undefined;
    });
  }
}

/** The result of `work`; undefined if it takes too long. The deadline begins where work can be cancelled. */
function patiently(
  work: (options: ReadOptions) => Eventual<number>,
  options: ReadOptions,
): Eventual<number | undefined> {
  const { requestId, turn } = options;
  let deadline: Deadline | undefined;
  const bounded = {
    requestId,
    turn,
    get signal() {
      deadline ??= startDeadline(options.signal, "The rows are not counted in time", PATIENCE);
      return deadline.signal;
    },
  };
  const end = (total: number | undefined) => {
    deadline?.[Symbol.dispose]();
    return total;
  };
  return attempt(() => whenThere(work(bounded), end), (error) => {
    const isLate = deadline?.signal.aborted === true && !options.signal.aborted;
    end(undefined);
    if (!isLate) throw error;
    return undefined;
  });
}

const createCounts = () => new WeightedCache<Remembered>();
