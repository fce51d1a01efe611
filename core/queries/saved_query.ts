/**
 * A saved query on a connected database: its text as parameters and pieces, and the columns of its result.
 * Prepared once per view; cached until the query or the database's catalog changes.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { Column } from "@/core/catalog.ts";
import type { View } from "@/core/database/connect.ts";
import { unusableQuery } from "@/core/database/explain_failure.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { ServiceError } from "@/core/errors.ts";
import type { QueryDefinition } from "@/core/model.ts";
import { QueryStatements } from "@/core/sql/query_statements.ts";
import {
  authorsPlace,
  parametersIn,
  type QueryText,
  readQueryText,
  selectedParameters,
} from "@/core/sql/query_text.ts";
import { SqlMistake } from "@/core/sql/query_tokens.ts";
import type { Statement } from "@/core/sql/statement.ts";
import type { CompiledRead } from "@/core/tables/compile_read.ts";
import type { Database, ResultColumn, SqlLexis, WrittenStatement } from "@/plugins/contract.ts";

/** A query that its database has prepared. */
export interface SavedQuery {
  readonly definition: QueryDefinition;
  readonly text: QueryText;
  /**
   * Columns of the result, with unique names. Empty: it returns no rows. Absent: known only after it has run.
   */
  readonly columns?: readonly Column[];
  /** False: it changes something. Undefined: known only after it has run. */
  readonly isReadOnly: boolean | undefined;
  readonly statements: QueryStatements;
  /** Compiled reads of this query by selection. */
  readonly plans: WeightedCache<CompiledRead>;
}

/** A query whose columns are known. */
export type KnownQuery = SavedQuery & { readonly columns: readonly Column[] };

/** The cache of a view's queries by definition: a changed query has another definition. */
export function createSavedQueries(): WeakMap<QueryDefinition, Eventual<SavedQuery>> {
  return new WeakMap();
}

const createQueryTexts = () => new WeakMap<QueryDefinition, QueryText>();

/** The text of a query, without asking its database. Throws 503 if it cannot be a saved query. */
export function findQueryText(definition: QueryDefinition, { database, memo }: View): QueryText {
  const read = () => readQueryText(definition.sql, database.sql.lexis);
  try {
    return memo(createQueryTexts).getOrInsertComputed(definition, read);
  } catch (error) {
    throw error instanceof ServiceError ? unusableQuery(definition.id, error) : error;
  }
}

/** Returns a prepared query, or prepares it. Rejects with 503 if the database refuses its SQL. */
export function findSavedQuery(definition: QueryDefinition, { database, memo }: View): Eventual<SavedQuery> {
  const queries = memo(createSavedQueries);
  const known = queries.get(definition);
  if (known) return known;
  const preparing = describeQuery(definition, database).then((query) => {
    queries.set(definition, query);
    return query;
  }, (error: unknown) => {
    queries.delete(definition);
    const isWrong = error instanceof ServiceError || database.classify(error) === "invalid";
    throw isWrong ? unusableQuery(definition.id, error) : error;
  });
  queries.set(definition, preparing);
  return preparing;
}

/** Throws 400 for a text that cannot be a saved query, and the errors of the database. */
export async function describeQuery(definition: QueryDefinition, database: Database): Promise<SavedQuery> {
  const text = readQueryText(definition.sql, database.sql.lexis);
  const { sql, verb, slots } = new QueryStatements(database.sql, text).plain();
  const parameters = typesOf(slots, definition, text);
  const described = await database.describe({ sql, verb, parameters });
  const columns = described.columns && nameColumns(typeParameters(described.columns, definition, text));
  return {
    definition,
    text,
    ...(columns ? { columns } : {}),
    isReadOnly: text.isWriting ? false : described.isReadOnly,
    statements: new QueryStatements(database.sql, text, columns),
    plans: new WeightedCache(),
  };
}

/** Engines that do not know the type of a selected parameter learn it from the definition. */
function typeParameters(
  columns: readonly ResultColumn[],
  { parameters }: QueryDefinition,
  text: QueryText,
): readonly ResultColumn[] {
  const selected = selectedParameters(text);
  return columns.map((column) => {
    const type = column.type === "any" ? parameters.get(selected.get(column.name) ?? "") : undefined;
    return type === undefined ? column : { ...column, type };
  });
}

/** The types of a statement's parameters; undefined for those that the definition leaves to the engine. */
export function typesOf(
  slots: Statement["slots"],
  { parameters }: QueryDefinition,
  text: QueryText,
): WrittenStatement["parameters"] {
  return slots.map((slot) =>
    typeof slot === "number" ? parameters.get(text.parameters[slot] ?? "") : undefined
  );
}

/**
 * The place in the author's text of the mistake for which {@link describeQuery} was refused, if the engine or
 * the reader of the text tells it.
 */
export function placeInQuery(
  error: unknown,
  { sql }: QueryDefinition,
  database: Database,
): number | undefined {
  if (error instanceof SqlMistake) return error.place;
  const place = database.place?.(error);
  if (place === undefined) return undefined;
  const text = readQueryText(sql, database.sql.lexis);
  return authorsPlace(text, new QueryStatements(database.sql, text).plain().sql, place);
}

/**
 * An engine's words about a mistake at `place`, with the author's parameters instead of the placeholders that
 * stand for them.
 */
export function withParameters(
  words: string,
  place: number | undefined,
  { sql }: QueryDefinition,
  { sql: { lexis, parameterName } }: Database,
): string {
  if (!parameterName) {
    const [written] = /^:[\p{L}_][\p{L}\p{M}\p{N}_]*/u.exec(sql.slice(place ?? sql.length)) ?? [];
    return written === undefined ? words : words.replace("?", written);
  }
  // The last one first: `$1` is the beginning of `$10`.
  return readQueryText(sql, lexis).parameters.reduceRight((text, name, index) => {
    return text.replaceAll(parameterName(index + 1), `:${name}`);
  }, words);
}

/** Makes names unique: `name`, `name_2`, `name_3`; ignores case, because some engines do. */
export function nameColumns(columns: readonly ResultColumn[]): readonly Column[] {
  const taken = new Set<string>();
  return columns.map((column, index) => {
    const base = column.name === "" ? `column_${index + 1}` : column.name;
    let name = base;
    for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${base}_${count}`;
    taken.add(name.toLowerCase());
    return { ...column, name, nullable: true, hasDefault: false, generated: false };
  });
}

/** Lists and documents, also refused ones, ask for the names of all queries. */
const names = new WeakMap<SqlLexis, WeakMap<QueryDefinition, readonly string[] | undefined>>();

/** Names of the parameters in a query's text, which is read once; undefined if it cannot be run. */
export function namesInText(definition: QueryDefinition, lexis: SqlLexis): readonly string[] | undefined {
  return names.getOrInsertComputed(lexis, () => new WeakMap())
    .getOrInsertComputed(definition, ({ sql }) => parametersIn(sql, lexis));
}

/** Names of a query's parameters; while its text cannot be read, those of the definition. */
export function parameterNames(
  definition: QueryDefinition,
  databases: ReadonlyMap<string, Pick<ManagedDatabase, "lexis">>,
): readonly string[] {
  const lexis = databases.get(definition.database)?.lexis;
  return (lexis && namesInText(definition, lexis)) ?? [...definition.parameters.keys()];
}
