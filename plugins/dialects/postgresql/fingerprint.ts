/**
 * Detects changes of tables: a number computed from everything in the catalog.
 *
 * @module
 */

import type { DatabaseDefinition, Row } from "@/plugins/contract.ts";
import { bounded, NEVER } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { schemasOf, textArray } from "./catalog_queries.ts";
import { classify } from "./failures.ts";
import type { Pool } from "./pool.ts";

/**
 * Returns the server's list of ended transactions: while it is the same, nothing was committed, and the rest is skipped.
 * Otherwise sums over the sources of the catalog. Whether a view is writable depends on its query, and on the views below
 * it in any schema.
 */
const LOOK =
  `SELECT txid_current_snapshot()::text, CASE WHEN txid_current_snapshot()::text = $1 THEN NULL ELSE (
  WITH r AS MATERIALIZED (
    SELECT c.oid, hashtextextended(concat_ws(' ', c.oid, c.relname, c.relkind, c.relnamespace, c.relhastriggers,
      c.relhasrules), 0)::numeric AS hash
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY ($2::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition)
  SELECT concat_ws(' ',
    (SELECT count(*) FROM r), (SELECT sum(hash) FROM r),
    (SELECT sum(hashtextextended(concat_ws(' ', a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull,
      a.atthasdef, a.attidentity, a.attgenerated), 0)::numeric)
      FROM pg_catalog.pg_attribute a JOIN r ON r.oid = a.attrelid WHERE a.attnum > 0 AND NOT a.attisdropped),
    (SELECT sum(hashtextextended(concat_ws(' ', i.indexrelid, i.indrelid, i.indisunique, i.indisprimary, i.indisvalid,
      i.indkey), 0)::numeric) FROM pg_catalog.pg_index i JOIN r ON r.oid = i.indrelid WHERE i.indisunique),
    (SELECT sum(hashtextextended(concat_ws(' ', k.oid, k.conrelid, k.confrelid, k.conkey, k.confkey), 0)::numeric)
      FROM pg_catalog.pg_constraint k WHERE k.contype = 'f' AND k.conparentid = 0),
    (SELECT sum(hashtextextended(concat_ws(' ', e.oid, e.enumtypid, e.enumlabel, e.enumsortorder), 0)::numeric)
      FROM pg_catalog.pg_enum e),
    (SELECT sum(hashtextextended(concat_ws(' ', w.oid, w.xmin), 0)::numeric)
      FROM pg_catalog.pg_rewrite w WHERE w.oid >= 16384))
) END`;

/** Seconds until an unresponsive server counts as gone. */
const PATIENCE = 10;
/** Number of relations from which on checks are spaced out. */
const MANY = 400;
/**
 * Milliseconds of pause for each relation: a check takes a tenth of a millisecond for one, so it costs the server about 2
 * % of a core.
 */
const REST = 5;

interface Look {
  readonly snapshot: string;
  readonly print: string | undefined;
}

/** The state of the catalog when it was read, to compare it with the present one. */
export class Fingerprint {
  readonly #pool: Pool;
  readonly #schemas: string;
  #snapshot = "";
  #print: string | undefined;
  /** The time of the next full check, in milliseconds of {@link performance.now}. */
  #nextLook = 0;

  constructor(pool: Pool, definition: DatabaseDefinition) {
    this.#pool = pool;
    this.#schemas = textArray(schemasOf(definition));
  }

  /** Stores the present state. Called before the catalog is read, so that a change meanwhile is noticed. */
  async take(): Promise<void> {
    this.#snapshot = "";
    const { snapshot, print } = await this.#look();
    this.#snapshot = snapshot;
    this.#print = print;
  }

  /** Without a stored state, or soon after a check, only checks that the server is there. */
  async compare(): Promise<"ok" | "changed" | "gone"> {
    try {
      if (this.#print === undefined || performance.now() < this.#nextLook) {
        await this.#ask("SELECT 1", []);
        return "ok";
      }
      const { snapshot, print } = await this.#look();
      if (print !== undefined && print !== this.#print) return "changed";
      this.#snapshot = snapshot;
      return "ok";
    } catch (error) {
      // A busy server is there, because its connections are.
      if (this.#pool.isAlive && classify(error) !== "login") return "ok";
      return "gone";
    }
  }

  async #look(): Promise<Look> {
    const [[snapshot, print] = []] = await this.#ask(LOOK, [this.#snapshot, this.#schemas]);
    const relations = typeof print === "string" ? Number.parseInt(print) : 0;
    if (relations > MANY) this.#nextLook = performance.now() + relations * REST;
    return { snapshot: String(snapshot), print: typeof print === "string" ? print : undefined };
  }

  async #ask(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    const lane = await this.#pool.acquire("read", NEVER);
    try {
      const { rows } = await bounded(lane.run(sql, parameters, false), {
        seconds: PATIENCE,
        expired: () => new DatabaseFailure("unavailable", "The server does not answer"),
        giveUp: () => lane.destroy(),
      });
      return rows;
    } finally {
      this.#pool.release(lane);
    }
  }
}
