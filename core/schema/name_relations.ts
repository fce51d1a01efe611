/**
 * Names the relations between tables: the related table's name if it is free, else a longer name. A relation's name is
 * its key in records and its segment in paths. Pure.
 *
 * @module
 */

import type { ForeignKey, TableDescription } from "@/core/model.ts";

/** One end of a relation: columns of a table. */
interface End {
  readonly table: string;
  readonly columns: readonly string[];
}

/** A foreign key seen from one of its two ends, which is `local`. */
export interface NamedRelation {
  readonly local: End;
  readonly foreign: End;
  readonly foreignKey: ForeignKey;
  /** `many`: the foreign end can have several records. */
  readonly names: { readonly name: string; readonly many: boolean };
}

interface Candidate extends Omit<NamedRelation, "names"> {
  readonly many: boolean;
  /** The preferred name. */
  readonly wish: string;
  /** `{Table}_{fk columns}`, then the same with the direction. */
  readonly fallbacks: readonly string[];
}

/** All relations of all tables; each table names its to-one relations first, in the order of their foreign keys. */
export function nameRelations(tables: readonly TableDescription[]): readonly NamedRelation[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const candidates = tables.flatMap((table) =>
    table.foreignKeys.flatMap((key) => candidatesOf(table, key, byName))
  );
  return tables.flatMap((table) => {
    const own = candidates.filter(({ local }) => local.table === table.name);
    return nameForTable(table, [...own.filter(({ many }) => !many), ...own.filter(({ many }) => many)]);
  });
}

function candidatesOf(
  table: TableDescription,
  foreignKey: ForeignKey,
  tables: ReadonlyMap<string, TableDescription>,
): readonly Candidate[] {
  const target = tables.get(foreignKey.table);
  if (!target || !hasColumns(target, foreignKey.references)) return [];
  const owning = { table: table.name, columns: foreignKey.columns };
  const referenced = { table: target.name, columns: foreignKey.references };
  const isSelf = table.name === target.name;
  return [
    candidate({ local: owning, foreign: referenced, foreignKey, many: false, isSelf }),
    candidate({ local: referenced, foreign: owning, foreignKey, many: true, isSelf }),
  ];
}

function candidate(
  relation: Omit<Candidate, "wish" | "fallbacks"> & { readonly isSelf: boolean },
): Candidate {
  const { isSelf, ...rest } = relation;
  const related = rest.foreign.table;
  const direction = rest.many ? "N" : "1";
  const long = `${related}_${rest.foreignKey.columns.join("_")}`;
  return {
    ...rest,
    wish: isSelf ? `${related}_${direction}` : related,
    fallbacks: [long, `${long}_${direction}`],
  };
}

function nameForTable(table: TableDescription, candidates: readonly Candidate[]): readonly NamedRelation[] {
  const taken = new Set(table.columns.map(({ name }) => name));
  return candidates.map(({ wish, fallbacks, many, ...relation }) => {
    const name = firstFree([wish, ...fallbacks], taken);
    taken.add(name);
    return { ...relation, names: { name, many } };
  });
}

function firstFree(names: readonly string[], taken: ReadonlySet<string>): string {
  const free = names.find((name) => !taken.has(name));
  if (free !== undefined) return free;
  const last = names.at(-1) ?? "";
  let number = 2;
  while (taken.has(`${last}_${number}`)) number++;
  return `${last}_${number}`;
}

function hasColumns(table: TableDescription, names: readonly string[]): boolean {
  return names.every((name) => table.columns.some((column) => column.name === name));
}
