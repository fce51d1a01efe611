/**
 * Large numbers of rows, remembered for a moment, so that turning the pages of a long list or sorting it does not count
 * it again each time: counting 60,000 rows takes many times as long as reading a page of them.
 *
 * @module
 */

import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { View } from "@/core/database/connect.ts";
import type { Statements } from "@/core/database/watch_statements.ts";
import type { Walk } from "@/core/schema/walk_path.ts";

/** Shorter lists are counted each time: their numbers are seen one by one, and are cheap. */
const LARGE = 1000;
/** Milliseconds in which changes by others are not seen in the number. */
const TIME = 10_000;

interface Remembered {
  readonly total: number;
  readonly until: number;
  readonly commits: number;
}

/** The number of rows of one list, for callers with the same access. */
export class LargeCount {
  readonly #counts: WeightedCache<Remembered>;
  readonly #key: string;
  readonly #statements: Statements;
  /** {@link Statements.commits} before the rows are counted. */
  #commits = 0;

  constructor(statements: Statements, view: View, { key, values }: Walk, distinct: boolean) {
    this.#statements = statements;
    this.#counts = view.memo(createCounts);
    this.#key = `${distinct}\n${key}\n${values.map((value) => JSON.stringify(String(value))).join()}`;
  }

  /** The number, if it was counted a moment ago, and nothing was written through this process since. */
  recall(): number | undefined {
    this.#commits = this.#statements.commits;
    const known = this.#counts.get(this.#key);
    const isFresh = known?.commits === this.#commits && performance.now() < known.until;
    return isFresh ? known.total : undefined;
  }

  /** Keeps the number that was counted because it could not be recalled. A change in between makes it useless. */
  remember(total: number): void {
    const commits = this.#commits;
    if (total > LARGE) this.#counts.set(this.#key, { total, until: performance.now() + TIME, commits }, 0);
  }
}

function createCounts(): WeightedCache<Remembered> {
  return new WeightedCache();
}
