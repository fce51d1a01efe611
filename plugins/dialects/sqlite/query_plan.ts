/**
 * Reads `EXPLAIN QUERY PLAN`: how long may this statement take? Pure; the sizes come from outside.
 *
 * @module
 */

/** A line of the plan; `parent` is the id of the line that it stands below, 0 at the top. */
export interface PlanLine {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** What is known of the tables; an alias that is not known counts as the largest table of the statement. */
export interface Sizes {
  /** Rows of what the plan calls by this name, no more than {@link LARGE} + 1. */
  rows(alias: string): number;
  /** True where an equality on this many leading columns of an index finds one row at most. */
  uniqueIndex(index: string, columns: number): boolean;
  /** The same for the primary key of a table without rowid. */
  primaryKey(alias: string, columns: number): boolean;
}

/** What the verdict depends on beside sizes. */
export interface StatementShape {
  readonly plan: readonly PlanLine[];
  /** The statement has a limit, and nothing that lets it read more rows than it gives: filters, sums, `distinct`. */
  readonly stopsAtLimit: boolean;
}

/**
 * `inline`: a few milliseconds at most, runs in the service's own thread. `worker`: may be long. `paged`: `inline`
 * as long as limit and offset together are no more than {@link LARGE}.
 */
export type Verdict = "inline" | "paged" | "worker";

/** Rows that may be read in one go. */
export const LARGE = 10_000;
/** Rows that nested loops may visit. */
const MANY = 100_000;
/** Rows that an equality on an index is thought to find, as SQLite itself does. */
const FOUND = 10;

/** Counts the rows that may be visited; the statement itself is not run. */
export function judge(shape: StatementShape, sizes: Sizes): Verdict {
  const walk = new Walk(shape.plan, sizes);
  const visited = walk.visit(0);
  if (!walk.large && visited <= MANY) return "inline";
  return shape.stopsAtLimit && isOrderedScan(shape.plan, sizes) ? "paged" : "worker";
}

/** One scan that gives each row as it goes, completed by at most one row of each other table. */
function isOrderedScan(plan: readonly PlanLine[], sizes: Sizes): boolean {
  const [first, ...rest] = plan.map(({ parent, detail }) => parent === 0 ? parseLoop(detail) : undefined);
  return first?.scan === true && rest.every((loop) => loop?.outer && isUnique(loop, sizes));
}

class Walk {
  /** A large table is read without a unique key, or there is no end in sight. */
  large = false;
  readonly #lines: readonly PlanLine[];
  readonly #sizes: Sizes;
  /** Rows of subqueries that are scanned by a name of their own. */
  readonly #derived = new Map<string, number>();

  constructor(lines: readonly PlanLine[], sizes: Sizes) {
    this.#lines = lines;
    this.#sizes = sizes;
  }

  /** Rows that are visited below a line: loops beside each other are nested, other parts come one after another. */
  visit(parent: number): number {
    let nested = 1;
    let apart = 0;
    for (const line of this.#lines) {
      if (line.parent !== parent) continue;
      const loop = parseLoop(line.detail);
      if (loop) nested *= this.#enter(loop);
      else if (/^(CORRELATED|MULTI-INDEX)/.test(line.detail)) nested *= Math.max(1, this.visit(line.id));
      else apart += this.#aside(line);
    }
    this.large ||= nested > MANY;
    return nested + apart;
  }

  #aside(line: PlanLine): number {
    if (line.detail.startsWith("RECURSIVE STEP")) this.large = true;
    const visited = this.visit(line.id);
    const name = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(line.detail)?.[1];
    if (name !== undefined) this.#derived.set(name, visited);
    return visited;
  }

  #enter(loop: Loop): number {
    if (isUnique(loop, this.#sizes)) return 1;
    const rows = Math.max(1, this.#derived.get(loop.alias) ?? this.#sizes.rows(loop.alias));
    this.large ||= rows > LARGE;
    return loop.equalities > 0 ? Math.min(rows, FOUND) : rows;
  }
}

/** A line of the plan that reads a table. */
interface Loop {
  readonly alias: string;
  readonly scan: boolean;
  /** A left join: it never takes a row away. */
  readonly outer: boolean;
  readonly by: "rowid" | "primary key" | { readonly index: string } | undefined;
  /** Number of columns that are compared for equality. */
  readonly equalities: number;
}

/** `SEARCH t USING COVERING INDEX i (a=? AND b>?) LEFT-JOIN` */
function parseLoop(detail: string): Loop | undefined {
  const [, verb, rest] = /^(SCAN|SEARCH) (.+?)(?: LEFT-JOIN)?$/.exec(detail) ?? [];
  if (rest === undefined || /^(?:\d+ )?CONSTANT ROWS?$/.test(rest)) return undefined;
  const [alias = rest, access = ""] = rest.split(/ (?:USING|VIRTUAL TABLE) /, 2);
  const equalities = / \(.*\)$/.exec(access)?.[0].match(/=\?/g)?.length ?? 0;
  return {
    alias,
    scan: verb === "SCAN",
    outer: detail.endsWith(" LEFT-JOIN"),
    by: pathOf(access),
    equalities,
  };
}

function pathOf(access: string): Loop["by"] {
  if (access.startsWith("INTEGER PRIMARY KEY")) return "rowid";
  if (access.startsWith("PRIMARY KEY")) return "primary key";
  const index = /^(?:COVERING )?INDEX (.+?)(?: \(.*\))?$/.exec(access)?.[1];
  return index === undefined ? undefined : { index };
}

function isUnique(loop: Loop, sizes: Sizes): boolean {
  if (loop.scan || loop.equalities === 0 || loop.by === undefined) return false;
  if (loop.by === "rowid") return true;
  if (loop.by === "primary key") return sizes.primaryKey(loop.alias, loop.equalities);
  return sizes.uniqueIndex(loop.by.index, loop.equalities);
}
