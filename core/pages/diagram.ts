/**
 * The tables and relations of a database that a caller may see, as a diagram. Made
 * once per schema and caller view.
 *
 * @module
 */

import { counted } from "@/core/base/counted.ts";
import type { View } from "@/core/database/connect.ts";
import { allTables, columnsAt, type Schema, type Table } from "@/core/schema/table.ts";
import type { DiagramModel } from "@/plugins/contract.ts";

/** Largest number of tables of one diagram. */
const MOST_TABLES = 60;

const createDiagrams = () => new Map<string, DiagramModel | undefined>();

/**
 * The diagram of a view's tables. `base`: the path of the database, with the prefix. `around`: the name of
 * the table whose neighbours are shown; also used where there are too many tables, by default for the table
 * with the most relations. Undefined for an unknown table, and where there are no tables.
 */
export function findDiagram(view: View, base: string, around?: string): DiagramModel | undefined {
  const diagrams = view.memo(createDiagrams);
  const { tables } = view.schema;
  const centre = around === undefined ? undefined : tables.find(around);
  if (around !== undefined && !centre) return undefined;
  const key = `${centre?.name ?? ""}\n${base}`;
  return diagrams.getOrInsertComputed(key, () => diagramOf(view.schema, base, centre));
}

/** See {@link findDiagram}. */
export function diagramOf(schema: Schema, base: string, around?: Table): DiagramModel | undefined {
  const all = allTables(schema);
  const centre = around ?? (all.length > MOST_TABLES ? mostRelated(all) : undefined);
  const shown = centre ? neighbours(centre) : all;
  if (shown.length === 0) return undefined;
  const places = new Map(shown.map(({ name }, index) => [name, index]));
  const relations = shown.flatMap((owner, from) =>
    owner.toOne.flatMap(({ table, local }) => {
      const to = places.get(table.name);
      const label = columnsAt(owner, local).map(({ name }) => name).join(", ");
      return to === undefined ? [] : [{ from, to, label }];
    })
  );
  return {
    sentence: sentenceOf(all.length, shown.length, relations.length, centre),
    tables: shown.map(({ name, segment, columns, kind }) => ({
      name,
      href: `${base}/${segment}.html`,
      note: `${kind === "view" ? "view, " : ""}${counted(columns.length, "column")}`,
    })),
    relations,
    left: all.length - shown.length,
  };
}

/** A table and the tables beside it; those at the ends of its relations first come first. */
function neighbours(centre: Table): readonly Table[] {
  return [...new Set([centre, ...beside(centre)])].slice(0, MOST_TABLES);
}

function beside({ toOne, toMany }: Table): readonly Table[] {
  return [...toOne, ...toMany].map(({ table }) => table);
}

function mostRelated(tables: readonly Table[]): Table | undefined {
  const [first] = tables;
  return first && tables.reduce((most, table) => {
    return new Set(beside(table)).size > new Set(beside(most)).size ? table : most;
  }, first);
}

function sentenceOf(all: number, shown: number, relations: number, centre: Table | undefined): string {
  const lines = relations === 0 ? "no relations between them" : counted(relations, "relation");
  if (!centre) return `${counted(shown, "table")} and ${lines}.`;
  return `${centre.name} and ${counted(shown - 1, "table")} related to it, of ${
    counted(all, "table")
  }; ${lines}.`;
}
