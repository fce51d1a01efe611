/**
 * Compiles what all reads of one shape share: their statements, how related rows are put together, and the writer.
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

/** Related rows to read, and where they go. */
export interface KeptExpansion extends KeptStatement {
  readonly expansion: Expansion;
}

/** Everything about a read but its values. */
export interface CompiledRead {
  readonly format: Format;
  readonly shape: Shape;
  readonly writer: Writer;
  readonly options: WriteOptions;
  /** True when the path gives at most one record: none is 404. */
  readonly single: boolean;
  readonly rows: KeptStatement;
  readonly count?: KeptStatement;
  /** In the order of the levels: parents before their children. */
  readonly expansions: readonly KeptExpansion[];
  /** Tells whether the last single record before a list exists; asked only when the list is empty. */
  readonly origin?: KeptStatement;
  /** Names the record or table in messages. */
  readonly subject: string;
  /** Characters of SQL in all its statements. */
  readonly weight: number;
  /** The part of a record's tag that tells representations apart. */
  readonly representation: string;
}

/** One shape of a read; of the walk only what is no value counts. */
export interface CompileInput {
  readonly walk: Walk;
  readonly form: Shape["form"];
  readonly selection: Selection;
  /** Levels of related records; 0: none. */
  readonly depth: number;
  /** Whether the number of all records is asked for, too. */
  readonly count: boolean;
  readonly connection: Connection;
  /** The database under the caller's login. */
  readonly database: Database;
  readonly format: Format;
  readonly options: WriteOptions;
  readonly place: ShapePlace;
}

/** Prepares the statements, but runs none. Throws 400 when `depth` leads to too many relations. */
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
  const origin = originOf(walk);
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
    ...(origin ? { origin: keep(statements.exists(origin)) } : {}),
    subject: walk.last.table.name,
    representation: hashRepresentation(
      JSON.stringify([
        ...[format.contentTypes, options, input.form, walk.columns, input.depth, input.place.utcSuffix],
      ]),
    ),
    weight,
  };
}

/** The steps up to the last single record that a list was reached from. */
function originOf(walk: Walk): readonly Step[] | undefined {
  if (walk.last.single) return undefined;
  const last = walk.steps.findLastIndex((step) => step.single);
  return last < 0 ? undefined : walk.steps.slice(0, last + 1);
}

function flatten(expansions: readonly Expansion[]): readonly Expansion[] {
  return expansions.flatMap((expansion) => [expansion, ...flatten(expansion.children)]);
}
