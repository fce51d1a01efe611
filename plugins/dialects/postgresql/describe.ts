/**
 * Describes a saved query's statement: the server parses it without running it.
 *
 * @module
 */

import type { ResultColumn, StatementDescription, WrittenStatement } from "@/plugins/contract.ts";
import { codeOf, DatabaseFailure, isMistake } from "@/plugins/kit/database_failure.ts";
import { asJson, type ColumnRow } from "./catalog_queries.ts";
import { irregularOf, meaningOf } from "./column_types.ts";
import { classify } from "./failures.ts";
import { typeOfArgument } from "./forms.ts";
import type { Field, Lane } from "./lane.ts";

type TypeRow = Pick<ColumnRow, "base" | "baseKind" | "baseName" | "declared">;

const TYPES = asJson(`SELECT t.oid::int8 AS base, t.typtype::text AS "baseKind", t.typname AS "baseName",
    pg_catalog.format_type(t.oid, NULL) AS declared
  FROM pg_catalog.pg_type t WHERE t.oid = ANY ($1::pg_catalog.oid[])`);

/** `hasSessions`: the session has the settings with which values are read. */
export async function describeStatement(
  lane: Lane,
  { sql, parameters }: WrittenStatement,
  hasSessions: boolean,
): Promise<StatementDescription> {
  const types = parameters.map((type) => typeOfArgument(type, "0"));
  const fields = await lane.describe(sql, types).catch((error: unknown) => refuse(error, sql));
  if (fields.length === 0) return { columns: [] };
  const rows = await typesOf(lane, fields);
  return { columns: fields.map(({ name, type }) => describeColumn(name, rows.get(type), hasSessions)) };
}

async function typesOf(lane: Lane, fields: readonly Field[]): Promise<ReadonlyMap<number, TypeRow>> {
  const identifiers = [...new Set(fields.map(({ type }) => type))];
  const { rows } = await lane.run(TYPES, [`{${identifiers.join()}}`], false);
  const types = rows.map(([json]): TypeRow => JSON.parse(String(json)));
  return new Map(types.map((type) => [type.base, type]));
}

/** Money depends on the region, which is only known in the service's own sessions. */
function describeColumn(name: string, row: TypeRow | undefined, hasSessions: boolean): ResultColumn {
  const declaredType = row?.declared ?? "";
  const meaning = row && meaningOf(row);
  if (!meaning || (meaning.form === "money" && !hasSessions)) return { name, declaredType, type: "text" };
  const { type, zone } = meaning;
  return { name, declaredType, type, ...(zone ? { zone } : {}), ...irregularOf(meaning) };
}

function refuse(error: unknown, sql: string): never {
  const state = codeOf(error);
  const failure = classify(error);
  // The other states of `permission` are about objects of another kind.
  const isOwn = failure === "permission"
    ? state !== "42501"
    : isMistake(failure) && failure !== "too-complex";
  if (!isOwn || !/^[0-9A-Z]{5}$/.test(state) || !(error instanceof Error)) throw error;
  const position = Number(Reflect.get(error, "position"));
  // The server counts characters from 1.
  const place = position > 0 ? [...sql].slice(0, position - 1).join("").length : undefined;
  throw new DatabaseFailure("invalid", error.message, { cause: error, place });
}

/** The server only plans: the session cannot write, and the statement is one that only reads. */
export async function planStatement(
  lane: Lane,
  { sql }: WrittenStatement,
  values: readonly unknown[],
): Promise<readonly string[]> {
  const { rows } = await lane.run(`EXPLAIN ${sql}`, values, false);
  return rows.map(([line]) => String(line));
}
