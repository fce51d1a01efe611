/**
 * The tables of the mirrored database, with the columns, relations and values that requests use.
 *
 * @module
 */

import { nameRelations } from "@/core/schema/name_relations.ts";
import type { DatabaseFixture, Stored, TableFixture } from "@/tests/support/databases/definition.ts";
import { type Kind, kindOf } from "@/tests/support/databases/engine.ts";
import { fixtureOf } from "@/tests/support/databases/mod.ts";

/** The facts about a column for requests. */
export interface ColumnFacts {
  readonly name: string;
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** These facts are of the database for SQL Server, which tells fewer values apart. */
  readonly isTrimmed: boolean;
  /**
   * It belongs to a key in which SQLite stores any value, so that a filter accepts values
   * there that other engines refuse.
   */
  readonly isLoose: boolean;
  /** The values in the table. */
  readonly values: readonly Stored[];
}

/** The facts of a table or view. */
export interface TableFacts {
  readonly name: string;
  readonly columns: readonly ColumnFacts[];
  readonly primaryKey: readonly string[];
  /** The database counts up its key. */
  readonly isCounted: boolean;
  readonly relations: readonly RelationFacts[];
  readonly rows: readonly (readonly Stored[])[];
}

/** A relation by its name in paths, and the table that it leads to. */
export interface RelationFacts {
  readonly name: string;
  readonly table: string;
}

/** Columns of the views: whose values they have, as `[column of the view, table, column]`. */
const VIEWS: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  Heavy: [["Id", "Thing", "ThingId"], ["Title", "Thing", "Word"], ["Cost", "Thing", "Price"], [
    "Who",
    "Thing",
    "Maker",
  ]],
  Mood: [["Words", "Note", "Words"], ["Number", "Note", "Number"]],
};

/** The configured key and foreign keys of views. */
export const CONFIGURED = {
  alternateKey: { Heavy: ["Id"] },
  foreignKeys: { Heavy: [{ columns: ["Who"], table: "Person", references: ["PersonId"] }] },
} as const;

/** SQL Server keeps JSON in columns of text (docs/mssql.md). */
const ONLY_MIRRORED: readonly string[] = ["Paper"];

/** The database with all texts, and the one for SQL Server, without texts that it considers equal. */
export type MirrorSource = "mirror" | "trimmed_mirror";

/** Every table and view by its name. */
export function readFacts(source: MirrorSource): ReadonlyMap<string, TableFacts> {
  const fixture = fixtureOf(source);
  const tables = fixture.tables.map((table) => tableFacts(table, fixture, source === "trimmed_mirror"));
  const all = [
    ...tables,
    ...Object.entries(VIEWS).map(([name, columns]) => viewFacts(name, columns, tables)),
  ];
  const related = relationsOf(fixture, all);
  const asked = all.filter(({ name }) => source === "mirror" || !ONLY_MIRRORED.includes(name));
  return new Map(asked.map((table) => [table.name, { ...table, relations: related(table.name) }]));
}

function tableFacts(
  table: TableFixture,
  { rows }: DatabaseFixture,
  isTrimmed: boolean,
): TableFacts {
  const cells = rows.get(table.name) ?? [];
  const isCounted = table.columns.some(({ isIdentity }) => isIdentity);
  const columns = table.columns.map((column, at) => ({
    ...{ name: column.name, kind: kindOf(column), isNullable: column.isNullable, isTrimmed },
    isLoose: !isCounted && table.primaryKey.includes(column.name),
    values: cells.map((row) => row[at] ?? null),
  }));
  return { name: table.name, columns, primaryKey: table.primaryKey, isCounted, relations: [], rows: cells };
}

function viewFacts(
  name: string,
  columns: readonly (readonly [string, string, string])[],
  tables: readonly TableFacts[],
): TableFacts {
  const primaryKey: readonly string[] = name === "Heavy" ? CONFIGURED.alternateKey.Heavy : [];
  const found = columns.flatMap(([column, table, origin]) => {
    const source = tables.find((each) => each.name === table)?.columns.find((each) => each.name === origin);
    return source ? [{ ...source, name: column, isLoose: primaryKey.includes(column) }] : [];
  });
  return { name, columns: found, primaryKey, isCounted: false, relations: [], rows: [] };
}

/** The service's own rules name the relations; golden files check these names. */
function relationsOf(
  { tables }: DatabaseFixture,
  all: readonly TableFacts[],
): (table: string) => readonly RelationFacts[] {
  const keys = new Map<string, TableFixture["foreignKeys"]>(
    tables.map(({ name, foreignKeys }) => [name, foreignKeys]),
  );
  const configured = CONFIGURED.foreignKeys.Heavy.map((key) => ({
    ...key,
    isCascading: false,
    isDeferred: false,
  }));
  const described = all.map(({ name, columns, primaryKey }) => ({
    name,
    kind: "table" as const,
    columns: columns.map((column) => ({
      ...{ name: column.name, type: "any" as const, declaredType: "", nullable: column.isNullable },
      ...{ hasDefault: false, generated: false },
    })),
    primaryKey,
    uniqueKeys: [],
    foreignKeys: keys.get(name) ?? (name === "Heavy" ? configured : []),
  }));
  const named = nameRelations(described);
  return (table) => (named.get(table) ?? []).map(({ foreign, name }) => ({ name, table: foreign.table }));
}
