/**
 * Decides where a statement runs, by SQLite's plan and the sizes of its tables.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";
import type { Handle } from "./driver.ts";
import { judge, LARGE, type PlanLine, type Sizes, type Verdict } from "./query_plan.ts";

/** Milliseconds that sizes and verdicts stay valid. */
export const REFRESH = 60_000;

/** Number of written rows after which sizes are read again. */
const MANY_CHANGES = LARGE / 10;

/** Words that let a statement read more rows than it returns. A name that contains one only costs a worker. */
const READS_MORE = /\b(where|having|distinct|group|union|except|intersect|over)\b/i;

type Operation = Record<string, unknown>;

/** For one database. Results are cached until {@link REFRESH}, many changes or a new schema. */
export class Placement {
  readonly #handle: Handle;
  readonly #counts = new Map<string, { readonly rows: number; readonly until: number }>();
  #facts: Facts | undefined;
  #changed = 0;
  #edition = 0;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** Outdated sizes could place long statements into the service's thread. */
  noteChanges(rows: number): void {
    this.#changed += rows;
    if (this.#changed < MANY_CHANGES) return;
    this.#changed = 0;
    this.#counts.clear();
    this.#edition++;
  }

  /** Changes when earlier verdicts are outdated. */
  get edition(): number {
    return this.#edition;
  }

  /** Asks SQLite; throws its error about a statement that does not compile. */
  verdict(text: StatementText): Verdict {
    const facts = this.#currentFacts();
    const program = this.#handle.explain(text.sql);
    const plan = this.#handle.explain(`QUERY PLAN ${text.sql}`).map(planLine);
    const stopsAtLimit = text.limitAt !== undefined && !program.some(isSum) && !READS_MORE.test(text.sql);
    return judge({ plan, stopsAtLimit }, this.#sizes(facts, tablesOf(program, facts), aliasesIn(text.sql)));
  }

  #currentFacts(): Facts {
    if (this.#facts?.version !== schemaVersion(this.#handle)) this.#facts = undefined;
    return this.#facts ??= readFacts(this.#handle);
  }

  #sizes(facts: Facts, tables: readonly string[], aliases: ReadonlyMap<string, readonly string[]>): Sizes {
    const named = (alias: string) => {
      const known = (aliases.get(alias) ?? [alias]).filter((table) => tables.includes(table));
      return known.length > 0 ? known : tables;
    };
    return {
      rows: (alias) => this.#largest(named(alias)),
      uniqueIndex: (index, columns) => columns >= (facts.uniqueIndexes.get(index) ?? Infinity),
      primaryKey: (alias, columns) =>
        named(alias).every((table) => columns >= (facts.primaryKeys.get(table) ?? Infinity)),
    };
  }

  /** A scan without a table is a table-valued function with an unknown number of rows. */
  #largest(tables: readonly string[]): number {
    return tables.length === 0 ? LARGE + 1 : Math.max(...tables.map((table) => this.#count(table)));
  }

  #count(table: string): number {
    const now = performance.now();
    const known = this.#counts.get(table);
    if (known && known.until > now) return known.rows;
    const name = table.replaceAll('"', '""');
    const sql = `SELECT count(*) FROM (SELECT 1 FROM "${name}" LIMIT ${LARGE + 1})`;
    const rows = Number(this.#handle.prepare(sql).pluck().get());
    this.#counts.set(table, { rows, until: now + REFRESH });
    return rows;
  }
}

function planLine(line: Operation): PlanLine {
  return { id: Number(line["id"]), parent: Number(line["parent"]), detail: String(line["detail"]) };
}

function isSum({ opcode }: Operation): boolean {
  return String(opcode).startsWith("AggStep");
}

/** The tables that a compiled statement opens. The program does not name virtual tables, so any of them may be opened. */
function tablesOf(program: readonly Operation[], facts: Facts): string[] {
  const tables = program.filter(({ opcode, p3 }) => opcode === "OpenRead" && p3 === 0)
    .map(({ p2 }) => facts.pages.get(Number(p2)))
    .filter((table) => table !== undefined);
  const virtual = program.some(({ opcode }) => opcode === "VOpen") ? facts.virtual : [];
  return [...new Set([...tables, ...virtual])];
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

/** Tables and indexes in the terms of statements' programs and plans. */
interface Facts {
  /** The {@link schemaVersion} for which they are valid. */
  readonly version: unknown;
  /** Tables by the first page of the table or of an index. */
  readonly pages: ReadonlyMap<number, string>;
  /** Virtual tables have no pages. */
  readonly virtual: readonly string[];
  /** Number of columns of each unique index. */
  readonly uniqueIndexes: ReadonlyMap<string, number>;
  /** Number of columns of each primary key, by table. */
  readonly primaryKeys: ReadonlyMap<string, number>;
}

const ROOTS = "SELECT tbl_name, rootpage FROM sqlite_schema WHERE rootpage IS NOT NULL";

const UNIQUE = `SELECT t.name, i.name, i.origin = 'pk', (SELECT count(*) FROM pragma_index_info(i.name))
  FROM sqlite_schema t JOIN pragma_index_list(t.name) i
  WHERE t.type = 'table' AND t.rootpage > 0 AND i."unique" AND NOT i.partial`;

/** Changes after every change of the schema, by any program. */
export function schemaVersion(handle: Handle): unknown {
  return handle.pragma("schema_version", { simple: true });
}

/** The present facts. The version is read first, so that a change meanwhile is noticed. */
function readFacts(handle: Handle): Facts {
  const version = schemaVersion(handle);
  const roots = handle.prepare(ROOTS).raw().all() as [string, number][];
  const unique = handle.prepare(UNIQUE).raw().all() as [string, string, number, number][];
  return {
    version,
    pages: new Map([[1, "sqlite_schema"], ...roots.map(([table, page]) => [page, table] as const)]),
    virtual: roots.filter(([, page]) => page === 0).map(([table]) => table),
    uniqueIndexes: new Map(unique.map(([, index, , width]) => [index, width])),
    primaryKeys: new Map(
      unique.filter(([, , primary]) => primary).map(([table, , , width]) => [table, width]),
    ),
  };
}
