/**
 * Describes a saved query's statement: the server prepares it without running it.
 *
 * @module
 */

import type { ResultColumn, StatementDescription, ValueType, WrittenStatement } from "@/plugins/contract.ts";
import { DatabaseFailure, isMistake, placeOfWord } from "@/plugins/kit/database_failure.ts";
import { valueTypeOf, zoneOf } from "./column_types.ts";
import { BYTES, type Field } from "./driver.ts";
import { classify, numberOf } from "./failures.ts";
import type { Session } from "./session.ts";
import { IRREGULAR } from "./stored.ts";

/**
 * The results of procedures, and on MariaDB those of `RETURNING`, SHOW and EXPLAIN,
 * are known only after they have run.
 */
export async function describeStatement(
  session: Session,
  { sql, verb }: WrittenStatement,
): Promise<StatementDescription> {
  const fields = await prepare(session, sql);
  return verb === "CALL" || fields.length === 0 ? {} : { columns: fields.map(resultColumnOf) };
}

/** Sessions are read-only, and refuse even to prepare a statement that writes. */
async function prepare(session: Session, sql: string): Promise<readonly Field[]> {
  await session.command("START TRANSACTION READ WRITE");
  try {
    return await session.describe(sql).catch((error: unknown) => refuse(error, sql));
  } finally {
    // A lost connection has ended its transaction.
    if (session.alive) await session.command("ROLLBACK");
  }
}

function refuse(error: unknown, sql: string): never {
  if (numberOf(error) === 0 || !isMistake(classify(error)) || !(error instanceof Error)) throw error;
  throw new DatabaseFailure("invalid", error.message, { cause: error, place: placeIn(sql, error.message) });
}

/**
 * `… near 'FORM Pet' at line 2` quotes the rest of the statement, up to 80 characters; others quote a name.
 */
function placeIn(sql: string, message: string): number | undefined {
  const [, rest] = / near '(.*)' at line \d+$/s.exec(message) ?? [];
  if (rest === "") return sql.length;
  const [, name] = /'(?:[^']*\.)?([^'.]+)'/.exec(message) ?? [];
  return placeOfWord(rest ?? name, sql);
}

/** The server's plan as a list of the facts of each step. */
export async function planStatement(
  session: Session,
  { sql }: WrittenStatement,
  values: readonly unknown[],
): Promise<readonly string[]> {
  const answer = await session.run(`EXPLAIN ${sql}`, values);
  if (!("rows" in answer)) return [];
  return answer.rows.map((row) => {
    const facts = answer.fields.map(({ label, name }, index) => [label ?? name, row[index]] as const);
    return facts.filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${value}`).join(", ");
  });
}

/** The names of types by their number in the protocol; text types have another name for bytes. */
const NAMES: Readonly<Record<number, readonly [text: string, bytes?: string]>> = {
  0: ["decimal"],
  1: ["tinyint"],
  2: ["smallint"],
  3: ["int"],
  4: ["float"],
  5: ["double"],
  7: ["timestamp"],
  8: ["bigint"],
  9: ["mediumint"],
  10: ["date"],
  11: ["time"],
  12: ["datetime"],
  13: ["year"],
  14: ["date"],
  15: ["varchar", "varbinary"],
  16: ["bit"],
  245: ["json"],
  246: ["decimal"],
  247: ["enum"],
  248: ["set"],
  249: ["tinytext", "tinyblob"],
  250: ["mediumtext", "mediumblob"],
  251: ["longtext", "longblob"],
  252: ["text", "blob"],
  253: ["varchar", "varbinary"],
  254: ["char", "binary"],
};

const UNSIGNED = 32;
const ENUM = 256;
const SET = 2048;
/** The number of decimals that stands for none. */
const ANY_SCALE = 31;

/** With the name in the statement, and a type of the catalog. */
export function resultColumnOf(field: Field): ResultColumn {
  const declaredType = declaredTypeOf(field);
  const type = typeOf(field, declaredType);
  const irregular = IRREGULAR[type];
  return {
    name: field.label ?? field.name,
    type,
    ...(irregular === undefined ? {} : { irregular }),
    declaredType,
    ...zoneOf(declaredType),
  };
}

/**
 * A selected parameter has no type yet; MySQL reports the longest VARCHAR: 16,383 characters of four bytes.
 */
const PARAMETER = { columnType: 253, columnLength: 65_532 } as const;

/** MariaDB reports a selected parameter as bytes without length. */
function typeOf(field: Field, declaredType: string): ValueType {
  const name = /^[a-z]+/.exec(declaredType)?.[0] ?? "";
  if (name === "varbinary" && (field.orgTable ?? "") === "" && field.columnLength === 0) return "any";
  return valueTypeOf(name, declaredType) ?? "any";
}

function isParameter({ columnType, columnLength, orgTable = "" }: Field): boolean {
  return orgTable === "" && columnType === PARAMETER.columnType && columnLength === PARAMETER.columnLength;
}

function declaredTypeOf(field: Field): string {
  if (isParameter(field)) return "";
  if (field.extendedFormat === "json") return "json";
  if (field.extendedTypeName !== undefined) return field.extendedTypeName;
  if (has(field, ENUM)) return "enum";
  if (has(field, SET)) return "set";
  const [text, bytes = text] = NAMES[field.columnType ?? -1] ?? [];
  const name = field.characterSet === BYTES ? bytes : text;
  if (name === undefined) return "";
  // Bits cannot be declared as signed or unsigned.
  const sign = has(field, UNSIGNED) && name !== "bit" ? " unsigned" : "";
  return `${name}${sizeOf(name, field)}${sign}`;
}

function has({ flags }: Field, flag: number): boolean {
  return typeof flags === "number" && (flags & flag) > 0;
}

function sizeOf(name: string, field: Field): string {
  const { columnLength = 0, decimals = 0 } = field;
  switch (name) {
    case "tinyint":
      return columnLength === 1 ? "(1)" : "";
    case "bit":
      return `(${columnLength})`;
    case "decimal": {
      // The length includes the sign and the point.
      const digits = columnLength - (decimals > 0 ? 1 : 0) - (has(field, UNSIGNED) ? 0 : 1);
      return `(${digits},${decimals})`;
    }
    case "double":
      // An expression has more decimals than the server tells.
      return field.orgTable && decimals < ANY_SCALE ? `(${columnLength},${decimals})` : "";
    case "datetime":
    case "timestamp":
    case "time":
      return decimals > 0 && decimals < ANY_SCALE ? `(${decimals})` : "";
    default:
      return "";
  }
}
