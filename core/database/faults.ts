/**
 * Failures of a database that its operator has to know: a full or failing disk, no descriptors, a damaged
 * file, which waiting does not mend; connections that are lost or all in use. The log has them once a minute,
 * with their number and the engine's words.
 *
 * @module
 */

import { Tally } from "@/core/base/tally.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";

/** Milliseconds for which a fault counts as present after its last failure. */
const MINUTE = 60_000;
/** Characters of the engine's words. */
const LONGEST = 200;

/** The answer to writes into a damaged file, and to all that finds the damage. */
export const DAMAGED =
  "The database's file is damaged: it takes no more changes until its operator has mended it";

/** A kind of {@link Failure} that an operator has to know. */
type Fault = "storage" | "corrupt" | "unavailable";

const SENTENCES: Readonly<Record<Fault, string>> = {
  storage: "its storage fails",
  corrupt: "its file is damaged and takes no more writes",
  unavailable: "it does not serve all requests",
};

/**
 * Tells the other workers of the process the sentence of a damage; undefined once
 * the operator says that it is sound.
 */
export type Spread = (damage: string | undefined) => void;

/** The failures of one kind. */
interface Present {
  readonly tally: Tally;
  sentence: string;
  /** The time of the last one, as `performance.now()`. */
  at: number;
}

/** The faults of one database. */
export class Faults implements Disposable {
  /** Failures so far, by kind. */
  readonly counts: Record<Fault, number> = { storage: 0, corrupt: 0, unavailable: 0 };
  readonly #present: Readonly<Record<Fault, Present>>;
  readonly #spread: Spread;
  #isCorrupt = false;
  /** What a statement has missed, and the connection whose catalog it was made from. */
  #missing: { readonly words: string; readonly connection: object | undefined } | undefined;

  constructor(subject: string, log: Log, spread: Spread = () => {}) {
    const present = (fault: Fault): Present => {
      const tally = new Tally((failed) => {
        const count = failed === 1 ? "1 request" : `${failed} requests`;
        log[fault === "unavailable" ? "warn" : "error"](`${subject}: ${kind.sentence} (${count} failed)`);
      });
      const kind = { tally, sentence: "", at: -Infinity };
      return kind;
    };
    this.#present = {
      storage: present("storage"),
      corrupt: present("corrupt"),
      unavailable: present("unavailable"),
    };
    this.#spread = spread;
  }

  /**
   * The last failure of the worst kind in the engine's words; undefined a minute later. Damage stays until
   * {@link forget}.
   */
  get reason(): string | undefined {
    const { corrupt, storage, unavailable } = this.#present;
    if (this.#isCorrupt) return corrupt.sentence;
    return [storage, unavailable].find(({ at }) => performance.now() - at < MINUTE)?.sentence;
  }

  /** Counts a failure, and logs it unless a line of the last minute has done so. */
  note(fault: Fault, error: unknown): void {
    this.counts[fault]++;
    const kind = this.#present[fault];
    kind.at = performance.now();
    kind.sentence = `${SENTENCES[fault]}: ${wordsOf(error)}`;
    if (fault === "corrupt" && !this.#isCorrupt) {
      this.#isCorrupt = true;
      this.#spread(kind.sentence);
    }
    kind.tally.note();
  }

  /** Whether statements failed in the same words before this connection was opened. */
  outlasts(connection: object | undefined, error: unknown): boolean {
    const words = String(error);
    if (this.#missing?.words !== words) this.#missing = { words, connection };
    return this.#missing.connection !== connection;
  }

  /** Throws 503 while the file is damaged. */
  requireSound(): void {
    if (this.#isCorrupt) throw new ServiceError("unavailable", DAMAGED);
  }

  /**
   * Takes what another worker found: the sentence of a damage, or undefined once
   * the operator says that it is sound.
   */
  learn(damage: string | undefined): void {
    if (damage === undefined) return this.forget();
    this.#isCorrupt = true;
    this.#present.corrupt.sentence = damage;
  }

  /** The operator says that it is sound. */
  clear(): void {
    if (this.#isCorrupt) this.#spread(undefined);
    this.forget();
  }

  /** The database is another one now. */
  forget(): void {
    this.#isCorrupt = false;
    for (const kind of Object.values(this.#present)) kind.at = -Infinity;
  }

  [Symbol.dispose](): void {
    for (const { tally } of Object.values(this.#present)) tally[Symbol.dispose]();
  }
}

/** The code and the message of an error and of its causes. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, LONGEST);
  const code = "code" in error && typeof error.code === "string" ? `${error.code}: ` : "";
  const cause = error.cause === undefined ? "" : ` (${wordsOf(error.cause)})`;
  return `${code}${error.message}`.slice(0, LONGEST) + cause;
}
