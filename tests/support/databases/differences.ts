/**
 * Answers of one engine that differ from SQLite's, as data: each difference
 * has its reason, and must be needed.
 *
 * @module
 */

import { join } from "node:path";

/** Either the answer is rewritten, or the engine has its own answer. */
export interface Difference {
  readonly reason: string;
  /** Only some servers of this engine differ in this way, so the difference may stay unused. */
  readonly isRare?: boolean;
  /** Names of the cases that it is about: `filters/*`. Absent: all. */
  readonly cases?: readonly string[];
  /** Pieces of the expected answer, and this engine's text in their place. */
  readonly replace?: readonly (readonly [string | RegExp, string])[];
  /**
   * The engine has its own answer: the whole case is in a file beside the differences, under the same name.
   */
  readonly own?: true;
  /** Both answers are compared after this normalisation, which removes the subject of the difference. */
  readonly normalize?: (answer: string) => string;
}

/** The differences of one engine, and which of them were met. */
export class Differences {
  readonly #list: readonly Difference[];
  readonly #folder: string;
  readonly #used = new Set<Difference>();

  /** `folder` has the cases with an answer of this engine's own. */
  constructor(list: readonly Difference[], folder: string) {
    this.#list = list;
    this.#folder = folder;
  }

  /** The answers to compare: unchanged if they are equal or no difference is known. */
  apply(
    name: string,
    expected: string,
    actual: string,
  ): { readonly expected: string; readonly actual: string } {
    if (expected === actual) return { expected, actual };
    const state = { expected, actual };
    const changing = this.#list.filter((difference) =>
      covers(difference, name) && this.#change(state, difference, name)
    );
    if (state.expected === state.actual) changing.forEach((difference) => this.#used.add(difference));
    return state;
  }

  /** Tells whether the expected answer, or both answers, have changed. */
  #change(state: { expected: string; actual: string }, difference: Difference, name: string): boolean {
    const before = { ...state };
    const { own, replace = [], normalize } = difference;
    if (own) state.expected = Deno.readTextFileSync(join(this.#folder, `${name}.txt`));
    for (const [from, to] of replace) state.expected = state.expected.replaceAll(global(from), to);
    if (normalize) {
      state.expected = normalize(state.expected);
      state.actual = normalize(state.actual);
    }
    return state.expected !== before.expected || state.actual !== before.actual;
  }

  /** The reasons of those that no case needed. */
  get unused(): readonly string[] {
    return this.#list.filter((difference) => !difference.isRare && !this.#used.has(difference)).map((
      { reason },
    ) => reason);
  }
}

function covers({ cases }: Difference, name: string): boolean {
  return cases === undefined || cases.some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function global(from: string | RegExp): string | RegExp {
  return typeof from === "string" ? from : new RegExp(from.source, `g${from.flags.replace("g", "")}`);
}
