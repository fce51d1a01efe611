/**
 * Names the relations between tables: the related table's name if it is free, else a longer name. A
 * relation's name is its key in records and its segment in paths. Pure.
 *
 * @module
 */

import type { TableDescription } from "@/core/catalog.ts";
import type { ForeignKey } from "@/core/model.ts";

/** One end of a relation: columns of a table. */
interface End {
  readonly table: string;
  readonly columns: readonly string[];
}

/** A foreign key seen from one of its two ends, which is `local`. */
export interface NamedRelation {
  readonly name: string;
  /** The foreign end can have several records. */
  readonly many: boolean;
  readonly local: End;
  readonly foreign: End;
  readonly foreignKey: ForeignKey;
}

type Unnamed = Omit<NamedRelation, "name">;

/**
 * The relations of each table. It names its to-one relations first, in the order of their foreign keys.
 */
export function nameRelations(
  tables: readonly TableDescription[],
): ReadonlyMap<string, readonly NamedRelation[]> {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const relations = Map.groupBy(
    tables.flatMap((table) => table.foreignKeys.flatMap((key) => relationsOf(table, key, byName))),
    ({ local }) => local.table,
  );
  return new Map(tables.map((table) => {
    const own = relations.get(table.name) ?? [];
    const taken = new Set(table.columns.map(({ name }) => name));
    const named = [...own.filter(({ many }) => !many), ...own.filter(({ many }) => many)].map((relation) => {
      const name = freeName(relation, taken);
      taken.add(name);
      return { ...relation, name };
    });
    return [table.name, named];
  }));
}

function relationsOf(
  table: TableDescription,
  foreignKey: ForeignKey,
  tables: ReadonlyMap<string, TableDescription>,
): readonly Unnamed[] {
  const target = tables.get(foreignKey.table);
  const isKnown = (name: string) => target?.columns.some((column) => column.name === name);
  if (!target || !foreignKey.references.every(isKnown)) return [];
  const owning = { table: table.name, columns: foreignKey.columns };
  const referenced = { table: target.name, columns: foreignKey.references };
  return [
    { local: owning, foreign: referenced, foreignKey, many: false },
    { local: referenced, foreign: owning, foreignKey, many: true },
  ];
}

/**
 * The related table's name, with the direction where it is the table itself; then `{Table}_{fk columns}`, the
 * same with the direction, and with a number.
 */
function freeName({ local, foreign, foreignKey, many }: Unnamed, taken: ReadonlySet<string>): string {
  const direction = many ? "N" : "1";
  const wish = local.table === foreign.table ? `${foreign.table}_${direction}` : foreign.table;
  const long = `${foreign.table}_${foreignKey.columns.join("_")}`;
  const last = `${long}_${direction}`;
  const free = [wish, long, last].find((name) => !taken.has(name));
  if (free !== undefined) return free;
  let number = 2;
  while (taken.has(`${last}_${number}`)) number++;
  return `${last}_${number}`;
}
