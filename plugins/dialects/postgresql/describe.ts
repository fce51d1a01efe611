/**
 * Describes a saved query's statement: the server parses it without running it.
 *
 * @module
 */

import type { ResultColumn, StatementDescription, WrittenStatement } from "@/plugins/contract.ts";
import { codeOf, DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { typeOfArgument } from "./forms.ts";
import { irregularOf, meaningOf } from "./column_types.ts";
import { classify } from "./failures.ts";
import type { Field, Lane } from "./lane.ts";

/** The names of types. */
const TYPES = `SELECT t.oid, t.typname, t.typtype::text, pg_catalog.format_type(t.oid, NULL)
  FROM pg_catalog.pg_type t WHERE t.oid = ANY ($1::pg_catalog.oid[])`;

interface TypeName {
  readonly oid: number;
  readonly name: string;
  readonly kind: string;
  readonly declared: string;
}

/** `hasSessions`: the session has the settings with which values are read. */
export async function describeStatement(
  lane: Lane,
  { sql, parameters }: WrittenStatement,
  { hasSessions }: { readonly hasSessions: boolean },
): Promise<StatementDescription> {
  const fields = await lane.describe(sql, parameters.map((type) => typeOfArgument(type, "0"))).catch(refuse);
  if (fields.length === 0) return { columns: [] };
  const types = await typesOf(lane, fields);
  return { columns: fields.map((field) => describeColumn(field, types.get(field.type), hasSessions)) };
}

async function typesOf(lane: Lane, fields: readonly Field[]): Promise<ReadonlyMap<number, TypeName>> {
  const identifiers = [...new Set(fields.map(({ type }) => type))];
  const { rows } = await lane.run(TYPES, [`{${identifiers.join()}}`], false);
  return new Map(rows.map(([oid, name, kind, declared]) => {
    const type = { oid: Number(oid), name: String(name), kind: String(kind), declared: String(declared) };
    return [type.oid, type] as const;
  }));
}

function describeColumn(
  { name, type }: Field,
  known: TypeName | undefined,
  hasSessions: boolean,
): ResultColumn {
  const declaredType = known?.declared ?? "";
  return { name, declaredType, ...(known ? typeOf(type, known, hasSessions) : { type: "text" }) };
}

/** Money depends on the region, which is only known in the service's own sessions. */
function typeOf(
  base: number,
  { name, kind }: TypeName,
  hasSessions: boolean,
): Pick<ResultColumn, "type" | "zone" | "irregular"> {
  const meaning = meaningOf({ base, baseKind: kind, baseName: name });
  if (meaning === undefined || (meaning.form === "money" && !hasSessions)) return { type: "text" };
  const { type, zone } = meaning;
  return { type, ...(zone ? { zone } : {}), ...irregularOf(meaning) };
}

/** Failures that do not concern the statement itself. */
const OTHERS: ReadonlySet<string | undefined> = new Set([
  "login",
  "timeout",
  "unavailable",
  "contention",
  "too-complex",
]);

function refuse(error: unknown): never {
  const state = codeOf(error);
  const isOther = state === "42501" || !/^[0-9A-Z]{5}$/.test(state) || OTHERS.has(classify(error));
  if (isOther || !(error instanceof Error)) throw error;
  const position: unknown = Reflect.get(error, "position");
  const place = typeof position === "string" ? ` at character ${position}` : "";
  throw new DatabaseFailure("invalid", `${error.message}${place}`, { cause: error });
}
