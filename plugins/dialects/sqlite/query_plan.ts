/**
 * Reads `EXPLAIN QUERY PLAN` to estimate the duration of a statement. Pure; the sizes are parameters.
 *
 * @module
 */

/** A line of the plan; `parent` is the id of its parent line, 0 at the top. */
export interface PlanLine {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** The sizes of the tables; an unknown alias counts as the statement's largest table. */
export interface Sizes {
  /** Number of rows of the table that the plan calls by this name, at most {@link LARGE} + 1. */
  rows(alias: string): number;
  /** How often one row of the table counts: a large one counts as several. */
  weight(alias: string): number;
  /** True if an equality on this many leading columns of an index finds at most one row. */
  uniqueIndex(index: string, columns: number): boolean;
  /** Like {@link uniqueIndex}, for the primary key of a table without rowid. */
  primaryKey(alias: string, columns: number): boolean;
}

/** The facts for the verdict beside sizes. */
interface StatementShape {
  readonly plan: readonly PlanLine[];
  /**
   * The statement has a limit, and no clause that lets it read more rows than it
   * returns: filters, sums, `distinct`.
   */
  readonly stopsAtLimit: boolean;
}

/**
 * `inline`: a few milliseconds at most, runs in the service's thread. `worker`: may be long. `paged`:
 * `inline` if limit and offset together are at most {@link LARGE}.
 */
export type Verdict = "inline" | "paged" | "worker";

/** Rows that may be read at once. */
export const LARGE = 10_000;
/** Rows that nested loops may visit. */
const MANY = 100_000;
/** Assumed number of rows that an equality on an index finds, as in SQLite. */
const FOUND = 10;

/** Nobody knows how many rows it visits. */
export function isRecursion({ detail }: PlanLine): boolean {
  return detail.startsWith("RECURSIVE STEP");
}

/** Counts the rows that may be visited, without running the statement. */
export function judge(shape: StatementShape, sizes: Sizes): Verdict {
  const walk = new Walk(shape.plan, sizes);
  const visited = walk.visit(0);
  if (!walk.large && visited <= MANY) return "inline";
  return shape.stopsAtLimit && isOrderedScan(shape.plan, sizes) ? "paged" : "worker";
}

/**
 * Whether the plan is one scan that returns rows in order, joined with at most one row of each other table.
 * The page may be a subquery that the joins read: rows behind it are not joined.
 */
function isOrderedScan(plan: readonly PlanLine[], sizes: Sizes): boolean {
  const [first, ...others] = plan;
  const page = /^CO-ROUTINE (.+)$/.exec(first?.detail ?? "")?.[1];
  if (!first || page === undefined) return scanIn(plan, 0, sizes) !== undefined;
  const inner = others.filter(({ parent }) => parent === first.id);
  const outer = others.filter(({ parent }) => parent !== first.id);
  return scanIn(inner, first.id, sizes) !== undefined && scanIn(outer, 0, sizes) === page;
}

/** The alias of the table that is scanned, if all other lines find at most one row each. */
function scanIn(lines: readonly PlanLine[], below: number, sizes: Sizes): string | undefined {
  const [first, ...rest] = lines.map(({ parent, detail }) => {
    return parent === below ? parseLoop(detail, sizes) : undefined;
  });
  return first?.isScan && rest.every((loop) => loop?.isOuter && loop.isUnique) ? first.alias : undefined;
}

class Walk {
  /** The plan reads a large table without a unique key, or has no known bound. */
  large = false;
  readonly #lines: readonly PlanLine[];
  readonly #sizes: Sizes;
  /** Rows of subqueries that are scanned under their own name. */
  readonly #derived = new Map<string, number>();

  constructor(lines: readonly PlanLine[], sizes: Sizes) {
    this.#lines = lines;
    this.#sizes = sizes;
  }

  /** Rows visited below a line: sibling loops are nested, other siblings run one after another. */
  visit(parent: number): number {
    let nested = 1;
    let apart = 0;
    for (const line of this.#lines) {
      if (line.parent !== parent) continue;
      const loop = parseLoop(line.detail, this.#sizes);
      if (loop) nested *= this.#enter(loop);
      else if (/^(CORRELATED|MULTI-INDEX)/.test(line.detail)) nested *= Math.max(1, this.visit(line.id));
      else apart += this.#aside(line);
    }
    this.large ||= nested > MANY;
    return nested + apart;
  }

  #aside(line: PlanLine): number {
    if (isRecursion(line)) this.large = true;
    const visited = this.visit(line.id);
    const name = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(line.detail)?.[1];
    if (name !== undefined) this.#derived.set(name, visited);
    return visited;
  }

  #enter(loop: Loop): number {
    if (loop.isUnique) return this.#sizes.weight(loop.alias);
    const rows = Math.max(1, this.#derived.get(loop.alias) ?? this.#sizes.rows(loop.alias));
    this.large ||= rows > LARGE;
    return loop.hasEqualities ? Math.min(rows, FOUND) : rows;
  }
}

/** A line of the plan that reads a table. */
interface Loop {
  readonly alias: string;
  readonly isScan: boolean;
  /** A left join, which never removes rows. */
  readonly isOuter: boolean;
  /** Columns of an index are compared for equality. */
  readonly hasEqualities: boolean;
  /** At most one row is found. */
  readonly isUnique: boolean;
}

/** `SEARCH t USING COVERING INDEX i (a=? AND b>?) LEFT-JOIN` */
function parseLoop(detail: string, sizes: Sizes): Loop | undefined {
  const [, verb, rest] = /^(SCAN|SEARCH) (.+?)(?: LEFT-JOIN)?$/.exec(detail) ?? [];
  if (rest === undefined || /^(?:\d+ )?CONSTANT ROWS?$/.test(rest)) return undefined;
  const [alias = rest, access = ""] = rest.split(/ (?:USING|VIRTUAL TABLE) /, 2);
  const equalities = / \(.*\)$/.exec(access)?.[0].match(/=\?/g)?.length ?? 0;
  const index = /^(?:COVERING )?INDEX (.+?)(?: \(.*\))?$/.exec(access)?.[1];
  const isKey = access.startsWith("INTEGER PRIMARY KEY") ||
    (access.startsWith("PRIMARY KEY") && sizes.primaryKey(alias, equalities)) ||
    (index !== undefined && sizes.uniqueIndex(index, equalities));
  return {
    alias,
    isScan: verb === "SCAN",
    isOuter: detail.endsWith(" LEFT-JOIN"),
    hasEqualities: equalities > 0,
    isUnique: verb === "SEARCH" && equalities > 0 && isKey,
  };
}
