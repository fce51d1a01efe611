/**
 * Facts about storage for judging plans. Valid for one version of the schema.
 *
 * @module
 */

import type { Handle } from "./driver.ts";

/** Tables and indexes in the terms of statements' programs and plans. */
export interface Facts {
  /** The result of {@link schemaVersion}. */
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
export function readFacts(handle: Handle): Facts {
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
