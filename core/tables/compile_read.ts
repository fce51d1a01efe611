/**
 * Compiles the common parts of all reads of one shape: statements, expansion of relations, and the writer.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { Connection, View } from "@/core/database/connect.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { DatabaseMapping, Json } from "@/core/model.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { type LinkStyle, printName } from "@/core/request/print_path.ts";
import { withZones } from "@/core/request/zones.ts";
import { keyedWalks, valuesWalk } from "@/core/schema/key_walk.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import { ALL_ROWS, type Selection } from "@/core/sql/selection.ts";
import type { Statement } from "@/core/sql/statement.ts";
import type { WalkStatements } from "@/core/sql/walk_statements.ts";
import type { Database, Format, Shape, WriteOptions, Writer } from "@/plugins/contract.ts";
import { expand, type Expansion, formOf, shapeOf, type ShapePlace } from "./answer_shape.ts";
import { hashRecord } from "./etag.ts";
import { missingRecord } from "./missing_record.ts";
import { asksCounts, isPage, MOST_COUNTED, pageRead } from "./page_read.ts";
import { selectionOf } from "./plan_selection.ts";
import type { KeptExpansion, KeptStatement, KeyedRows } from "./kept_statement.ts";
import { type LabelRead, MOST_RELATED } from "./related_part.ts";

/** A read without its values. */
export interface CompiledRead {
  readonly format: Format;
  readonly shape: Shape;
  readonly writer: Writer;
  readonly options: WriteOptions;
  /** The read has labels of other records, which its tag would not cover. */
  readonly isPage?: true;
  /** True when the path selects at most one record: without a row the answer is 404. */
  readonly single: boolean;
  /** False for an answer with related records of their own statements, or by columns. */
  readonly isFlat: boolean;
  readonly rows: KeptStatement;
  /** Reads several such records at once. Absent: each is read alone. */
  readonly keyed?: KeyedRows;
  /** Labels among the cells of the rows. Absent: none. */
  readonly joined?: readonly LabelRead[];
  readonly count?: KeptStatement;
  /** The statement counts no further than one beyond this. Absent: all rows. */
  readonly countedUpTo?: number;
  /** In the order of the levels: parents before their children. */
  readonly expansions: readonly KeptExpansion[];
  /** Expansions that are read after the others. Absent: none. */
  readonly late?: readonly KeptExpansion[];
  /** Selects the last single record before a list; run only when the list is empty, to see if it exists. */
  readonly origin?: KeptStatement;
  /** The record or table, for messages. */
  readonly subject: string;
  /** The message if a single record does not exist. Absent: it is a list. */
  readonly missing?: string;
  /** Characters of SQL in all its statements. */
  readonly weight: number;
  /** The part of a record's tag that distinguishes representations. */
  readonly representation: string;
}

/** A request for a database's data, with everything that planning uses. */
export interface DataRequest {
  readonly request: ApiRequest;
  /** The segments after the database's. */
  readonly segments: readonly string[];
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  /** The schema narrowed to the tables that the caller may read, with its plans. */
  readonly view: View;
  readonly service: Service;
  readonly mapping: DatabaseMapping;
  readonly headers: Headers;
}

/** A compiled read before its statements are prepared. */
interface Uncompiled extends
  Pick<
    CompiledRead,
    "shape" | "options" | "single" | "isPage" | "subject" | "missing" | "countedUpTo" | "joined" | "keyed"
  > {
  readonly format: Format;
  /** Everything by which representations differ. */
  readonly representation: string;
  readonly rows: Statement;
  readonly count: Statement | undefined;
  readonly origin?: Statement | undefined;
  readonly expansions: readonly {
    readonly expansion: Expansion;
    readonly statement: Statement;
    readonly pairs?: () => Statement;
  }[];
}

/** Prepares the statements without running them, and compiles the writer. */
export function prepareRead(
  { rows, count, origin, expansions, representation, ...read }: Uncompiled,
  database: Database,
): CompiledRead {
  let weight = 0;
  const keep = (statement: Statement): KeptStatement => {
    weight += statement.sql.length;
    return { prepared: database.prepare(statement), slots: statement.slots };
  };
  const kept = {
    rows: keep(rows),
    ...(count ? { count: keep(count) } : {}),
    ...keepExpansions(expansions.map(({ expansion, statement, pairs }) => {
      return { expansion, ...keep(statement), ...(pairs ? { pairs: once(() => keep(pairs())) } : {}) };
    })),
    ...(origin ? { origin: keep(origin) } : {}),
  };
  const writer = withZones(read.format.writer(read.shape, read.options), read.shape);
  const isFlat = expansions.length === 0 && read.shape.form !== "columns";
  // The statements of several keys are prepared later.
  if (read.keyed) weight *= 3;
  return { ...read, ...kept, isFlat, writer, representation: hashRecord([representation]), weight };
}

/** Makes the statement when it is needed, and keeps it. */
function once(make: () => KeptStatement): () => KeptStatement {
  let made: KeptStatement | undefined;
  return () => made ??= make();
}

/** Compiles the read of a walk without its values. Throws 400 if `depth` leads to too many relations. */
export function compileRead(input: DataRequest, walk: Walk, stream: boolean): CompiledRead {
  if (isPage(input.request, walk, stream)) return compilePage(input, walk);
  const { request, connection: { statements }, service, view: { database } } = input;
  const { parameters, format: { format } } = request;
  const selection = selectionOf(request, walk);
  const depth = walk.columns ? 0 : parameters.depth ?? 0;
  const place = shapePlaceOf(input);
  const expansions = expand(walk.last.table, depth);
  const options = writeOptions(request, service, stream);
  const shape = shapeOf(walk, formOf(walk, parameters), place, expansions);
  return prepareRead({
    ...subjectOf(walk, statements),
    format,
    shape,
    options,
    representation: JSON.stringify([format.contentTypes, options, namesIn(shape), place.utcSuffix]),
    rows: statements.rows(walk, selection),
    ...defined({ keyed: keyedRows(input, walk) }),
    count: parameters.count ? statements.count(walk, selection) : undefined,
    expansions: flatten(expansions).map((expansion) => {
      const { chain } = expansion;
      const pairs = pairsOf(statements, walk, selection, expansion);
      return { expansion, statement: statements.related(walk, selection, chain), pairs };
    }),
  }, database);
}

/**
 * The names and types in an answer. Where they change, or differ for another caller, the answer does so, too,
 * although its cells are the same.
 */
function namesIn({ form, name, columns, toOne, toMany }: Shape): Json {
  const relations = [...toOne, ...toMany].map(({ name, segment, expanded }) => {
    return [name, segment, expanded ? namesIn(expanded.shape) : null];
  });
  return [form, name, columns.map(({ name, type }) => [name, type]), relations];
}

/**
 * The statements for several records. Undefined where a read has no way to a server to save, and where it has
 * more than rows; with replicas, a read depends on its caller.
 */
function keyedRows({ connection, managed, view, request }: DataRequest, walk: Walk): KeyedRows | undefined {
  const { depth = 0, count, distinct } = request.parameters;
  if (depth > 0 || count || distinct) return undefined;
  const walks = keyedWalks(walk);
  if (!walks || !managed.hasLogins || managed.definition.replicas.length > 0) return undefined;
  const kept = new Map<number, KeptStatement>();
  const prepare = (count: number): KeptStatement => {
    const statement = connection.statements.rows(walks.walk(count), ALL_ROWS);
    return { prepared: view.database.prepare(statement), slots: statement.slots };
  };
  const { cell, width } = walks;
  return { cell, width, statement: (count) => kept.getOrInsertComputed(count, prepare) };
}

/** Compiles the read of a page: with keys, labels of related records and a bounded count. */
function compilePage(input: DataRequest, walk: Walk): CompiledRead {
  const { request, connection: { statements }, service, view: { database } } = input;
  const { parameters, format: { format } } = request;
  const selection = selectionOf(request, walk);
  const read = pageRead(walk, {
    distinct: selection.distinct,
    form: formOf(walk, parameters),
    place: shapePlaceOf(input),
    counts: asksCounts(request),
    statements,
  });
  return prepareRead({
    ...subjectOf(walk, statements),
    format,
    shape: read.shape,
    options: writeOptions(request, service, false),
    isPage: true,
    representation: "",
    ...(read.joined.length > 0
      ? { rows: statements.joined(read.walk, selection, read.joined, read.cut), joined: read.joined }
      : { rows: statements.rows(read.walk, selection, read.cut) }),
    ...(parameters.count || walk.last.single
      ? { count: parameters.count ? statements.count(walk, selection) : undefined }
      : { count: statements.countUpTo(MOST_COUNTED, walk, selection), countedUpTo: MOST_COUNTED }),
    expansions: flatten(read.expansions).map((expansion) => {
      const { relation, chain, countedUpTo } = expansion;
      if (expansion.isLate) {
        const { table, foreign: [column = 0] } = relation;
        const late = {
          ...valuesWalk(table, column, MOST_RELATED),
          ...defined({ columns: expansion.columns }),
        };
        return { expansion, statement: statements.rows(late, ALL_ROWS) };
      }
      if (countedUpTo !== undefined) {
        return { expansion, statement: statements.relatedCounts(walk, selection, relation, countedUpTo) };
      }
      const pairs = pairsOf(statements, walk, selection, expansion);
      return { expansion, statement: statements.related(walk, selection, chain, expansion), pairs };
    }),
  }, database);
}

/** What a read is about, and what it says where that does not exist. */
function subjectOf(
  walk: Walk,
  statements: WalkStatements,
): Pick<Uncompiled, "single" | "subject" | "missing" | "origin"> {
  const { steps, last: { table, single } } = walk;
  const subject = table.name;
  if (single) return { single, subject, missing: missingRecord(steps) };
  const origin = originSteps(walk);
  return { single, subject, ...(origin.length > 0 ? { origin: statements.exists(origin) } : {}) };
}

function keepExpansions(all: readonly KeptExpansion[]): Pick<CompiledRead, "expansions" | "late"> {
  const late = all.filter(({ expansion }) => expansion.isLate);
  if (late.length === 0) return { expansions: all };
  return { expansions: all.filter(({ expansion }) => !expansion.isLate), late };
}

/** The steps up to the last single record, which may be the last step. */
export function originSteps({ steps }: Walk): readonly Step[] {
  return steps.slice(0, steps.findLastIndex((step) => step.single) + 1);
}

/**
 * Makes the statement of pairs later. A cached read must not hold the values of the
 * request that it was compiled for.
 */
function pairsOf(
  statements: WalkStatements,
  walk: Walk,
  selection: Selection,
  { chain, most }: Expansion,
): () => Statement {
  const shape = { ...walk, values: [], plain: [] };
  const options = defined({ most });
  return () => statements.pairs(shape, selection, chain, options);
}

function flatten(expansions: readonly Expansion[]): readonly Expansion[] {
  return expansions.flatMap((expansion) => [expansion, ...flatten(expansion.children)]);
}

const places = new WeakMap<LinkStyle, Map<string, ShapePlace>>();

/** The place of the database's records in URLs; the same object for each database and suffix. */
export function shapePlaceOf({ request, managed, service: { links, prefix } }: DataRequest): ShapePlace {
  const { id } = managed.definition;
  const utcSuffix = hasUtcSuffix(request);
  return places.getOrInsertComputed(links, () => new Map())
    .getOrInsertComputed(`${prefix}/${id}/${utcSuffix}`, () => {
      return { utcSuffix, databasePath: `${prefix}/db/${printName(id, links)}`, links };
    });
}

/** Whether times in UTC have the suffix `Z`. */
export function hasUtcSuffix({ parameters, format }: ApiRequest): boolean {
  return parameters.tz === "Z" || format.format.utcSuffix === true;
}

/** The options of the writer, from the request and the configuration. */
export function writeOptions(
  { parameters, format }: ApiRequest,
  service: Service,
  stream: boolean,
): WriteOptions {
  const { href, headers, csvNullStr, nil_visible: nilVisible, nullStr, own } = parameters;
  return {
    contentType: format.contentType,
    charset: service.encoder.charset,
    nullMarker: nullStr ?? "<null>",
    stream,
    ...defined({ href, headers, csvNullStr, nilVisible, parameters: own?.answer }),
  };
}
