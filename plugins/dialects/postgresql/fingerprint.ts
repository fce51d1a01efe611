/**
 * Detects changes of tables: a number computed from everything in the catalog.
 *
 * @module
 */

import type { DatabaseDefinition, DialectParts, Row } from "@/plugins/contract.ts";
import { bounded, NEVER } from "@/plugins/kit/bounded.ts";
import { silent } from "@/plugins/kit/database_failure.ts";
import { QUERIES, schemasOf, textArray } from "./catalog_queries.ts";
import { classify } from "./failures.ts";
import type { Pool } from "./pool.ts";

/**
 * Returns the server's list of ended transactions: while it is the same, nothing was committed, and the rest
 * is skipped. Otherwise counts the relations, and sums over everything that the catalog is made from.
 */
const LOOK =
  `SELECT txid_current_snapshot()::text, CASE WHEN txid_current_snapshot()::text = $2 THEN NULL ELSE concat_ws(' ',
  (SELECT count(*) FROM (${QUERIES.RELATIONS}) q), ${Object.values(QUERIES).map(sumOf).join(", ")}) END`;

function sumOf(query: string): string {
  return `(SELECT sum(hashtextextended(q::text, 0)::numeric) FROM (${query}) q)`;
}

/**
 * A standby that has taken over everything that it has received is not late while a connection brings it
 * more. Otherwise the age of the last transaction tells how late it is.
 */
const LAG = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN 0
  WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
  ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END::text`;

/** Seconds until an unresponsive server counts as gone. */
const PATIENCE = 10;
/** Number of relations from which on checks are spaced out. */
const MANY = 400;
/**
 * Milliseconds of pause for each relation: a check takes a tenth of a millisecond for one, so it
 * costs the server about 2 % of a core.
 */
const REST = 5;

/** The state of the catalog when it was read, to compare it with the present one. */
export class Fingerprint {
  readonly #pool: Pool;
  readonly #definition: DatabaseDefinition;
  readonly #own: DialectParts["fingerprint"];
  /** The server's list of ended transactions at the last check. */
  #snapshot = "";
  #print: string | undefined;
  /** The time of the next full check, in milliseconds of {@link performance.now}. */
  #nextLook = 0;

  /** `own`: that of an engine with another catalog. */
  constructor(pool: Pool, definition: DatabaseDefinition, own: DialectParts["fingerprint"]) {
    this.#pool = pool;
    this.#definition = definition;
    this.#own = own;
  }

  /** Stores the present state. Called before the catalog is read, so that a change meanwhile is noticed. */
  async take(): Promise<void> {
    this.#snapshot = "";
    this.#print = await this.#look();
  }

  /** Without a stored state, or soon after a check, only checks that the server is there. */
  async compare(): Promise<"ok" | "changed" | "gone"> {
    try {
      if (this.#print === undefined || performance.now() < this.#nextLook) {
        await this.#ask("SELECT 1", []);
        return "ok";
      }
      const print = await this.#look();
      return print === undefined || print === this.#print ? "ok" : "changed";
    } catch (error) {
      // A busy server is there, because its connections are.
      return this.#pool.isAlive && classify(error) !== "login" ? "ok" : "gone";
    }
  }

  /**
   * Seconds behind the primary; undefined for a standby that has taken over nothing yet and receives nothing.
   */
  async lag(): Promise<number | undefined> {
    const [[seconds] = []] = await this.#ask(LAG, []);
    return seconds === null || seconds === undefined ? undefined : Number(seconds);
  }

  /** Undefined: nothing was committed since the last look that found the stored state. */
  async #look(): Promise<string | undefined> {
    if (this.#own) {
      return await this.#own((sql, parameters = []) => this.#ask(sql, parameters), this.#definition);
    }
    const schemas = textArray(schemasOf(this.#definition));
    const [[snapshot, print] = []] = await this.#ask(LOOK, [schemas, this.#snapshot]);
    if (typeof print !== "string") return undefined;
    const relations = Number.parseInt(print);
    if (relations > MANY) this.#nextLook = performance.now() + relations * REST;
    // A changed catalog is reported again until it has been read.
    if (this.#snapshot === "" || print === this.#print) this.#snapshot = String(snapshot);
    return print;
  }

  #ask(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.#pool.use(NEVER, async (lane) => {
      const { rows } = await bounded(lane.run(sql, parameters, false), {
        seconds: PATIENCE,
        expired: () => silent(PATIENCE),
        giveUp: () => lane.destroy(),
      });
      return rows;
    });
  }
}
