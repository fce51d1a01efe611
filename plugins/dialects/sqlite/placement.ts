/**
 * Decides where a statement runs, by SQLite's plan and the sizes of its tables.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";
import { codeOf } from "@/plugins/kit/database_failure.ts";
import type { Handle } from "./driver.ts";
import { isRecursion, judge, LARGE, type PlanLine, type Sizes, type Verdict } from "./query_plan.ts";
import { QuickRuns } from "./quick_runs.ts";

/** Milliseconds that sizes and verdicts stay valid. */
export const REFRESH = 60_000;

/** Number of written rows after which sizes are read again. */
const MANY_CHANGES = LARGE / 10;

/**
 * Words that let a statement read more rows than it returns. A name that contains one only costs a worker.
 */
const READS_MORE = /\b(where|having|distinct|group|union|except|intersect|over)\b/i;

/** The table of a page, which is the first one of the table or of an index. */
const TABLE = "SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?";
const VIRTUAL_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0";
const UNIQUE_COLUMNS = `SELECT (SELECT count(*) FROM pragma_index_info(l.name))
  FROM sqlite_schema i JOIN pragma_index_list(i.tbl_name) l ON l.name = i.name
  WHERE i.type = 'index' AND i.name = ? AND l."unique" AND NOT l.partial`;
const KEY_COLUMNS = "SELECT count(*) FROM pragma_table_info(?) WHERE pk > 0";
/** SQLite tells the length of a text or of bytes without reading them. An expression has a largest depth. */
const LENGTHS = `SELECT group_concat('ifnull(octet_length("' || replace(name, '"', '""') || '"), 0)', ' + ')
  FROM (SELECT name FROM pragma_table_info(?) LIMIT 500)`;

/** Rows whose size is measured. */
const SAMPLE = 20;
/** Bytes of a row that counts once. A larger one counts as often as it has so many. */
const ROW = 1000;
/** Mean bytes of rows of which even a page takes long. */
const LARGE_ROW = 10 * ROW;

type Operation = Record<string, unknown>;

/** The size of a table. */
interface Counted {
  /** Rows of {@link ROW}, at least those that it has. */
  readonly rows: number;
  /** How many rows of {@link ROW} one row has. */
  readonly weight: number;
  readonly hasLargeRows: boolean;
  readonly until: number;
}

/** Places the statements of one database. Sizes are cached until {@link REFRESH} or many changes. */
export class Placement {
  /** Changes when earlier verdicts are outdated. */
  edition = 0;
  readonly quickRuns = new QuickRuns(REFRESH);
  readonly #handle: Handle;
  readonly #counts = new Map<string, Counted>();
  #changed = 0;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** Outdated sizes could place long statements into the service's thread. */
  noteChanges(rows: number): void {
    this.#changed += rows;
    if (this.#changed < MANY_CHANGES) return;
    this.#changed = 0;
    this.#counts.clear();
    this.quickRuns.clear();
    this.edition++;
  }

  /** Asks SQLite; throws its error about a statement that does not compile. */
  verdict({ sql, limitAt }: StatementText): Verdict {
    const program = this.#handle.explain(sql);
    const plan = this.#handle.explain(`QUERY PLAN ${sql}`).map(planLine);
    const [tables, aliases] = [this.#tablesOf(program), aliasesIn(sql)];
    // The clauses of a view are not in the statement.
    const hasView = [...aliases.values()].flat().some((name) => !tables.includes(name));
    const stopsAtLimit = limitAt !== undefined && !hasView && !program.some(isSum) && !READS_MORE.test(sql);
    const verdict = judge({ plan, stopsAtLimit }, this.#sizes(tables, aliases));
    const isLargePage = verdict === "paged" && tables.some((table) => this.#count(table).hasLargeRows);
    return isLargePage ? "worker" : verdict;
  }

  /** Whether it or a view in it is recursive; undefined where SQLite gives no plan now. */
  recurs({ sql }: StatementText): boolean | undefined {
    try {
      return this.#handle.explain(`QUERY PLAN ${sql}`).some((line) => isRecursion(planLine(line)));
    } catch {
      return undefined;
    }
  }

  /**
   * The tables that a compiled statement opens. It does not name virtual
   * tables, so any of them may be opened.
   */
  #tablesOf(program: readonly Operation[]): readonly string[] {
    const pages = program.filter(({ opcode, p3 }) => opcode === "OpenRead" && p3 === 0).map(({ p2 }) => p2);
    const tables = pages.flatMap((page) => page === 1 ? ["sqlite_schema"] : this.#ask<string>(TABLE, page));
    const hasVirtual = program.some(({ opcode }) => opcode === "VOpen");
    return [...new Set([...tables, ...hasVirtual ? this.#ask<string>(VIRTUAL_TABLES) : []])];
  }

  #sizes(tables: readonly string[], aliases: ReadonlyMap<string, readonly string[]>): Sizes {
    const named = (alias: string) => {
      const known = (aliases.get(alias) ?? [alias]).filter((table) => tables.includes(table));
      return known.length > 0 ? known : tables;
    };
    const covers = (columns: number, sql: string, name: string) => {
      const [most = Infinity] = this.#ask<number>(sql, name);
      return columns >= most;
    };
    return {
      rows: (alias) => this.#largest(named(alias)),
      weight: (alias) => Math.max(1, ...named(alias).map((table) => this.#count(table).weight)),
      uniqueIndex: (index, columns) => covers(columns, UNIQUE_COLUMNS, index),
      primaryKey: (alias, columns) => named(alias).every((table) => covers(columns, KEY_COLUMNS, table)),
    };
  }

  /** The first column of a result. */
  #ask<T>(sql: string, ...parameters: unknown[]): T[] {
    return this.#handle.prepare(sql).pluck().all(parameters) as T[];
  }

  /** A scan without a table is a table-valued function with an unknown number of rows. */
  #largest(tables: readonly string[]): number {
    return tables.length === 0 ? LARGE + 1 : Math.max(...tables.map((table) => this.#count(table).rows));
  }

  #count(table: string): Counted {
    const now = performance.now();
    const known = this.#counts.get(table);
    if (known && known.until > now) return known;
    const name = table.replaceAll('"', '""');
    let [rows, size] = [LARGE + 1, 0];
    try {
      [rows = 0] = this.#ask<number>(`SELECT count(*) FROM (SELECT 1 FROM "${name}" LIMIT ${LARGE + 1})`);
      const [lengths = "0"] = this.#ask<string>(LENGTHS, table);
      [size = 0] = this.#ask<number>(
        `SELECT ifnull(avg(size), 0) FROM (SELECT ${lengths} AS size FROM "${name}" LIMIT ${SAMPLE})`,
      );
    } catch (error) {
      // A virtual table without its module, which the statement does not open.
      if (codeOf(error) !== "SQLITE_ERROR") throw error;
    }
    const weight = Math.max(1, size / ROW);
    const counted = {
      rows: Math.min(LARGE + 1, rows * weight),
      weight,
      hasLargeRows: size > LARGE_ROW,
      until: now + REFRESH,
    };
    this.#counts.set(table, counted);
    return counted;
  }
}

function planLine(line: Operation): PlanLine {
  return { id: Number(line["id"]), parent: Number(line["parent"]), detail: String(line["detail"]) };
}

function isSum({ opcode }: Operation): boolean {
  return String(opcode).startsWith("AggStep");
}

/** `"Customer" as "c"`, in the spelling of the query builder. Plans only contain the alias. */
function aliasesIn(sql: string): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  for (const [, table = "", alias = ""] of sql.matchAll(/(?<!\.)"((?:[^"]|"")+)" as "((?:[^"]|"")+)"/gi)) {
    const name = alias.replaceAll('""', '"');
    aliases.set(name, [...aliases.get(name) ?? [], table.replaceAll('""', '"')]);
  }
  return aliases;
}

/** Changes after every change of the schema, by any program. */
export function schemaVersion(handle: Handle): unknown {
  return handle.pragma("schema_version", { simple: true });
}
