/**
 * Detects changes of tables by other clients. Servers count the statements of each kind that they run: while
 * none has run that changes a schema or a right, nothing has changed. Reading these counters takes half a
 * millisecond for any number of tables.
 *
 * @module
 */

import { classify } from "./failures.ts";
import type { Answer } from "./session.ts";

/** Statements that may change the catalog. */
const COUNTERS = `SHOW GLOBAL STATUS WHERE Variable_name REGEXP
  '^Com_(alter|create|drop|rename|grant|revoke|set_role|set_default_role|assign|import).*$'`;

/**
 * Number of checks after which the catalog is read again in any case: servers behind a balancer count
 * separately, and a statement counts at its beginning. After a counter has changed, the catalog is read at
 * the next check, then after two, four, and so on up to this number.
 */
const TRUST = 30;

/** The functions that query the server. */
interface WatchedServer {
  ask(sql: string): Promise<Answer>;
  /** A text of everything that the catalog is made of; it changes with the catalog. */
  fingerprint(): Promise<string>;
}

/** The counters of one database when its catalog was read. */
export class ChangeWatch {
  readonly #server: WatchedServer;
  #fingerprint: string | undefined;
  #counters: string | undefined;
  #looks = 0;
  /** Checks until the catalog is read again. */
  #patience = 1;

  constructor(server: WatchedServer) {
    this.#server = server;
  }

  /** Reads the counters before the catalog, so that a change meanwhile is noticed later. */
  async begin(): Promise<(fingerprint: string) => void> {
    const counters = await this.#count();
    return (fingerprint) => {
      this.#counters = counters;
      this.#fingerprint = fingerprint;
      this.#looks = 0;
      this.#patience = 1;
    };
  }

  /** Passes on failures of the server and of the connection. */
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

  /** Empty if the server does not report them. */
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
