/**
 * The shape of an answer, from a walk and its parameters; a format compiles a writer for it. Pure.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { badRequest } from "@/core/errors.ts";
import type { Cell, Row } from "@/core/model.ts";
import type { Parameters } from "@/core/request/parameter_table.ts";
import { type LinkStyle, printKey, printsIntegersPlainly } from "@/core/request/print_path.ts";
import { writtenZone } from "@/core/request/zones.ts";
import { columnAt, columnSegment, isOpposite, type Relation, type Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Shape, ShapeColumn, ShapeRelation } from "@/plugins/contract.ts";

/** A relation whose rows are read into a cell of each record. */
export interface Expansion {
  readonly relation: Relation;
  /** The relations from the answer's table to this one. */
  readonly chain: readonly Relation[];
  /** The cell of the parent's row for the related rows. */
  readonly cell: number;
  /** The cells of the parent's row and those of a related row that hold the foreign key, pairwise. */
  readonly local: readonly number[];
  readonly foreign: readonly number[];
  /** The columns to read. Absent: all. */
  readonly columns?: readonly number[];
  /** Largest number of rows that are read. Absent: all. */
  readonly most?: number;
  /** Read by the keys in the first rows of the relation before, after these. */
  readonly isLate?: true;
  /**
   * The rows are foreign keys with numbers of records; the cell gets the number, NULL if
   * all together are more than this.
   */
  readonly countedUpTo?: number;
  readonly children: readonly Expansion[];
}

/** The path of a database's tables, `/prefix/db/Chinook`, and the format of its links and times. */
export interface ShapePlace {
  /** Times in UTC have the suffix `Z`. */
  readonly utcSuffix: boolean;
  readonly databasePath: string;
  readonly links: LinkStyle;
}

/** Largest number of expanded relations in one answer. */
const MAX_EXPANSIONS = 100;

/**
 * Relations to expand, `depth` levels deep, without the way back to the table
 * before. Throws 400 for too many.
 */
export function expand(table: Table, depth: number): readonly Expansion[] {
  let count = 0;
  const below = (owner: Table, levels: number, chain: readonly Relation[]): readonly Expansion[] => {
    if (levels === 0) return [];
    const relations = [...owner.toOne, ...owner.toMany].filter((relation) =>
      !isOpposite(relation, chain.at(-1))
    );
    count += relations.length;
    if (count > MAX_EXPANSIONS) {
      throw badRequest(
        `Cannot expand more than ${MAX_EXPANSIONS} relations in one answer: use a smaller depth`,
      );
    }
    return relations.map((relation, index) => {
      const longer = [...chain, relation];
      const children = below(relation.table, levels - 1, longer);
      const { local, foreign } = relation;
      return { relation, chain: longer, cell: owner.columns.length + index, local, foreign, children };
    });
  };
  return below(table, depth, []);
}

/** The form of a path's answer. */
export function formOf(walk: Walk, { wantarray = false, transpose }: Parameters): Shape["form"] {
  if (transpose) return "columns";
  const isList = !walk.last.single || wantarray;
  if (walk.columns?.length === 1) return isList ? "values" : "value";
  return isList ? "records" : "record";
}

/** Without relations if the path lists columns. */
export function shapeOf(
  { columns: listed, last: { table } }: Walk,
  form: Shape["form"],
  place: ShapePlace,
  expansions: readonly Expansion[],
): Shape {
  if (!listed) return tableShape(table, form, place, expansions);
  const columns = listed.map((position) => shapeColumn(table, position, place));
  return { form, name: table.name, ...defined({ comment: table.comment }), columns, toOne: [], toMany: [] };
}

/** Whole records of a table. */
export function tableShape(
  table: Table,
  form: Shape["form"],
  place: ShapePlace,
  expansions: readonly Expansion[] = [],
): Shape {
  const relation = (each: Relation): ShapeRelation => {
    const expansion = expansions.find((candidate) => candidate.relation === each);
    const { name, segment, many, local } = each;
    const nullable = many ? [] : local.filter((position) => table.columns[position]?.nullable);
    const nullableKey = nullable.length === 0 ? {} : { nullableKey: nullable };
    return { name, segment, many, ...nullableKey, ...expanded(expansion, place) };
  };
  return {
    form,
    name: table.name,
    ...defined({ comment: table.comment }),
    columns: table.columns.map((_, position) => shapeColumn(table, position, place)),
    toOne: table.toOne.map(relation),
    toMany: table.toMany.map(relation),
    locate: locator(table, place),
  };
}

function expanded(expansion: Expansion | undefined, place: ShapePlace): Pick<ShapeRelation, "expanded"> {
  if (!expansion) return {};
  const { relation, cell, children } = expansion;
  const form = relation.many ? "records" : "record";
  return { expanded: { cell, shape: tableShape(relation.table, form, place, children) } };
}

function shapeColumn(table: Table, position: number, { utcSuffix }: ShapePlace): ShapeColumn {
  const column = columnAt(table, position);
  const { name, type, nullable, declaredType, generated, hasDefault } = column;
  const { irregular, maxLength, bounds, comment, zone } = column;
  const detail = column.detail || zone ? { ...column.detail, ...defined({ zone }) } : undefined;
  return {
    name,
    type,
    nullable,
    declaredType,
    isKey: table.primaryKey.includes(position),
    isRequired: !nullable && !hasDefault && !generated,
    isGenerated: generated,
    ...writtenZone(column, utcSuffix),
    ...defined({ irregular, maxLength, bounds, detail, comment }),
  };
}

/** Returns a function from a row to its record's path; `cells` has the positions of the key in the row. */
export function locator(
  table: Table,
  { databasePath, links }: Pick<ShapePlace, "databasePath" | "links">,
  cells: readonly number[] = table.primaryKey,
): (row: Row) => string | null {
  const base = `${databasePath}/${table.segment}`;
  const keyText = keyPrinter(links);
  const parts = table.primaryKey.map((column, index) => {
    return {
      position: cells[index] ?? -1,
      prefix: `/${columnSegment(columnAt(table, column).name, table, links)}/`,
    };
  });
  const [first, ...others] = parts;
  if (!first) return () => null;
  if (others.length === 0) {
    const prefix = base + first.prefix;
    return (row) => join(prefix, keyText(row[first.position]));
  }
  return (row) =>
    parts.reduce<string | null>((path, { position, prefix }) => {
      return path === null ? null : join(path + prefix, keyText(row[position]));
    }, base);
}

function join(prefix: string, key: string | null): string | null {
  return key === null ? null : prefix + key;
}

function keyPrinter(links: LinkStyle): (value: Cell | undefined) => string | null {
  const isPlain = printsIntegersPlainly(links);
  return (value) => {
    if (isPlain && typeof value === "number" && Number.isInteger(value)) return String(value);
    return value === undefined || isRows(value) ? null : printKey(value, links);
  };
}

function isRows(cell: Cell): cell is readonly Row[] {
  return Array.isArray(cell);
}
