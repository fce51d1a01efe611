/**
 * Notices that others have changed tables. Servers count the statements of each kind that they run: while nobody has run one
 * that changes a schema or a right, nothing has changed, and to ask for these counts costs half a millisecond, however many
 * tables there are.
 *
 * @module
 */

import { classify } from "./failures.ts";
import type { Answer } from "./answer.ts";

/** Statements after which the catalog may be another one. */
const COUNTERS = `SHOW GLOBAL STATUS WHERE Variable_name REGEXP
  '^Com_(alter|create|drop|rename|grant|revoke|set_role|set_default_role|assign|import).*$'`;

/**
 * Looks after which the catalog is read again all the same: servers behind a balancer count each for itself, and a statement
 * counts when it begins. After a count has moved it is read at the next look, then after two, four, and so on up to this.
 */
const TRUST = 30;

/** How the server is asked. */
export interface WatchedServer {
  ask(sql: string): Promise<Answer>;
  /** What the catalog is made of, as a text that is the same as long as it is. */
  fingerprint(): Promise<string>;
}

/** Counts of one database as they were when its catalog was read. */
export class ChangeWatch {
  readonly #server: WatchedServer;
  #fingerprint: string | undefined;
  #counters: string | undefined;
  #looks = 0;
  /** Looks until the catalog is read again. */
  #patience = 1;

  constructor(server: WatchedServer) {
    this.#server = server;
  }

  /** Counts before the catalog is read: what is changed meanwhile is noticed later. */
  async begin(): Promise<(fingerprint: string) => void> {
    const counters = await this.#count();
    return (fingerprint) => {
      this.#counters = counters;
      this.#fingerprint = fingerprint;
      this.#looks = 0;
      this.#patience = 1;
    };
  }

  /** Throws what the server, or the way to it, fails with. */
  async hasChanged(): Promise<boolean> {
    const counters = await this.#count();
    if (this.#fingerprint === undefined) return false;
    const hasMoved = counters === "" || counters !== this.#counters;
    if (!hasMoved && ++this.#looks < this.#patience) return false;
    if (await this.#server.fingerprint() !== this.#fingerprint) return true;
    this.#counters = counters;
    this.#looks = 0;
    this.#patience = hasMoved ? 1 : Math.min(2 * this.#patience, TRUST);
    return false;
  }

  /** Empty where the server does not tell. */
  async #count(): Promise<string> {
    try {
      const answer = await this.#server.ask(COUNTERS);
      return "rows" in answer ? JSON.stringify(answer.rows) : "";
    } catch (error) {
      if (classify(error) === "permission") return "";
      throw error;
    }
  }
}
