/**
 * Compiles the common parts of all reads of one shape: statements, expansion of relations, and the writer.
 *
 * @module
 */

import type { Connection } from "@/core/database/connect.ts";
import { hashRepresentation } from "./etag.ts";
import { expand, type Expansion, shapeOf, type ShapePlace } from "./answer_shape.ts";
import type { Selection } from "@/core/sql/select.ts";
import type { Statement } from "@/core/sql/statement.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import { withZones } from "@/core/request/zones.ts";
import type { Database, Format, Prepared, Shape, WriteOptions, Writer } from "@/plugins/contract.ts";

/** A statement that the database has prepared. */
export interface KeptStatement {
  readonly prepared: Prepared;
  readonly slots: readonly number[];
}

/** The statement of a relation, and the place of its rows. */
export interface KeptExpansion extends KeptStatement {
  readonly expansion: Expansion;
}

/** A read without its values. */
export interface CompiledRead {
  readonly format: Format;
  readonly shape: Shape;
  readonly writer: Writer;
  readonly options: WriteOptions;
  /** True when the path selects at most one record: without a row the answer is 404. */
  readonly single: boolean;
  readonly rows: KeptStatement;
  readonly count?: KeptStatement;
  /** In the order of the levels: parents before their children. */
  readonly expansions: readonly KeptExpansion[];
  /**
   * Selects the last single record before a list; run only when the list is empty, to see whether the record exists.
   */
  readonly origin?: KeptStatement;
  /** The record or table, for messages. */
  readonly subject: string;
  /** Characters of SQL in all its statements. */
  readonly weight: number;
  /** The part of a record's tag that distinguishes representations. */
  readonly representation: string;
}

/** Everything a compiled read depends on: the shape of the walk, never its filter values. */
export interface CompileInput {
  readonly walk: Walk;
  readonly form: Shape["form"];
  readonly selection: Selection;
  /** Levels of related records; 0 for none. */
  readonly depth: number;
  /** Whether the number of all records is requested. */
  readonly count: boolean;
  readonly connection: Connection;
  /** The database under the caller's database login. */
  readonly database: Database;
  readonly format: Format;
  readonly options: WriteOptions;
  readonly place: ShapePlace;
}

/** Prepares the statements without running them. Throws 400 when `depth` leads to too many relations. */
export function compileRead(input: CompileInput): CompiledRead {
  const { walk, selection, connection, database, format, options } = input;
  const { statements } = connection;
  const expansions = expand(walk.last.table, input.depth);
  const flat = flatten(expansions);
  const shape = shapeOf(walk, input.form, { place: input.place, expansions });
  let weight = 0;
  const keep = (statement: Statement): KeptStatement => {
    weight += statement.sql.length;
    return { prepared: database.prepare(statement), slots: statement.slots };
  };
  const origin = walk.last.single ? [] : originOf(walk);
  return {
    format,
    shape,
    writer: withZones(format.writer(shape, options), shape),
    options,
    single: walk.last.single,
    rows: keep(statements.rows(walk, selection)),
    ...(input.count ? { count: keep(statements.count(walk, selection)) } : {}),
    expansions: flat.map((expansion) => ({
      expansion,
      ...keep(statements.related(walk, selection, expansion.chain)),
    })),
    ...(origin.length > 0 ? { origin: keep(statements.exists(origin)) } : {}),
    subject: walk.last.table.name,
    representation: hashRepresentation(
      JSON.stringify([
        ...[format.contentTypes, options, input.form, walk.columns, input.depth, input.place.utcSuffix],
      ]),
    ),
    weight,
  };
}

/** The steps up to the last single record, which may be the last step. */
export function originOf({ steps }: Walk): readonly Step[] {
  return steps.slice(0, steps.findLastIndex((step) => step.single) + 1);
}

function flatten(expansions: readonly Expansion[]): readonly Expansion[] {
  return expansions.flatMap((expansion) => [expansion, ...flatten(expansion.children)]);
}
