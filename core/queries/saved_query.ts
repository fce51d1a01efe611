/**
 * A saved query on a connected database: its text as parameters and pieces, and the columns of its result. Found by
 * preparing the statement once for each view; kept until the query or the database's catalog changes.
 *
 * @module
 */

import type { CompiledRead } from "@/core/tables/compile_read.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Eventual } from "@/core/base/eventual.ts";
import { unusableQuery } from "@/core/database/explain_failure.ts";
import type { Column, QueryDefinition } from "@/core/model.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { parametersIn, type QueryText, readQueryText } from "@/core/sql/query_text.ts";
import { QueryStatements } from "@/core/sql/wrap_query.ts";
import type { Database, ResultColumn } from "@/plugins/contract.ts";

/** A query that its database has taken. */
export interface SavedQuery {
  readonly definition: QueryDefinition;
  readonly text: QueryText;
  /** Columns of the result, each with a name of its own. None: it gives no rows. Absent: only running it tells. */
  readonly columns?: readonly Column[];
  /** False: it changes something. Undefined: the engine tells only when it runs. */
  readonly isReadOnly: boolean | undefined;
  readonly statements: QueryStatements;
  /** Reads of this query by what is asked of them. */
  readonly plans: WeightedCache<CompiledRead>;
}

/** A query whose columns are known. */
export type KnownQuery = SavedQuery & { readonly columns: readonly Column[] };

/** Queries of one view by their definition: a changed query is another one. */
export type SavedQueries = WeakMap<QueryDefinition, Eventual<SavedQuery>>;

/** What a view keeps of its queries. */
export function createSavedQueries(): SavedQueries {
  return new WeakMap();
}

/** Finds a query that was prepared before, or prepares it. Rejects with 503 where the database does not take its SQL. */
export function findSavedQuery(
  definition: QueryDefinition,
  { database, queries }: { readonly database: Database; readonly queries: SavedQueries },
): Eventual<SavedQuery> {
  const known = queries.get(definition);
  if (known) return known;
  const preparing = prepareQuery(definition, database).then((query) => {
    queries.set(definition, query);
    return query;
  }, (error: unknown) => {
    queries.delete(definition);
    throw error;
  });
  queries.set(definition, preparing);
  return preparing;
}

async function prepareQuery(definition: QueryDefinition, database: Database): Promise<SavedQuery> {
  try {
    return await describeQuery(definition, database);
  } catch (error) {
    const isWrong = error instanceof ServiceError || database.classify(error) === "invalid";
    throw isWrong ? unusableQuery(definition.id, error) : error;
  }
}

/** Throws 400 for a text that cannot be a saved query, and what the database says of it. */
export async function describeQuery(definition: QueryDefinition, database: Database): Promise<SavedQuery> {
  const text = readQueryText(definition.sql, database.sql.lexis);
  const statements = new QueryStatements(database.sql, text);
  const { sql, verb, slots } = statements.plain([]);
  const types = slots.map((slot) => definition.parameters.get(text.parameters[slot] ?? ""));
  const described = await database.describe({ sql, verb, parameters: types });
  const columns = described.columns && nameColumns(described.columns);
  return {
    definition,
    text,
    ...(columns ? { columns } : {}),
    isReadOnly: text.isWriting ? false : described.isReadOnly,
    statements: statements.with(columns ?? []),
    plans: new WeightedCache(),
  };
}

/** `name`, `name_2`, `name_3`: some engines tell columns apart by case, others do not. */
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

/** Names of a query's parameters; those that the definition names while it cannot be told what is one in its text. */
export function parameterNames(
  { sql, database, parameters }: QueryDefinition,
  databases: ReadonlyMap<string, ManagedDatabase>,
): readonly string[] {
  const managed = databases.get(database);
  const declared = [...parameters.keys()];
  if (managed?.status !== "Connected") return declared;
  return parametersIn(sql, managed.connection.database.sql.lexis) ?? declared;
}
