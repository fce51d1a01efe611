/**
 * Lets the verifications of one address, or of one user, take turns. Each of them takes an attempt and gives
 * it back when the credentials are right: more right ones at once than there are attempts would be refused.
 *
 * @module
 */

import { settlesWithin } from "./deadline.ts";

/** Verifications of an address that run at once; there may be several processes. */
const AT_ONCE = 2;
/** Milliseconds after which the next one begins, so that a silent server delays no others. */
const LONGEST = 1000;

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** The turns of all addresses, or of all users, in this process. */
export class NetworkTurns {
  readonly #lines = new Map<string, Line>();

  /** Does the work when it is its turn. */
  async take<T>(network: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.getOrInsertComputed(network, () => ({ running: 0, waiting: [] }));
    if (line.running < AT_ONCE) line.running++;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    const done = work();
    const leave = () => this.#leave(network, line);
    settlesWithin(done, LONGEST).then(leave, leave);
    return await done;
  }

  #leave(network: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) return next();
    line.running--;
    if (line.running === 0) this.#lines.delete(network);
  }
}
