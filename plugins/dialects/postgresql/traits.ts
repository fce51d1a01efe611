/**
 * PostgreSQL's SQL. The server reads all values from text, by the type that they are compared with or stored
 * in, so it decides about their spelling and refuses invalid ones.
 *
 * @module
 */

import { type Expression, PostgresAdapter, PostgresQueryCompiler, sql } from "kysely";
import type { Column, CutValue, SqlTraits, Value, ValueType } from "@/plugins/contract.ts";
import { decimalsOf, digitsOf } from "@/plugins/kit/numbers.ts";
import { isPlainlyWithin, requireWholeDigits } from "@/plugins/kit/type_detail.ts";
import { argument, comparable, MICROSECONDS, rulesOf, textOf } from "./forms.ts";
import { special, withEra } from "./specials.ts";

/** PostgreSQL's traits for the core. */
export const traits: SqlTraits = {
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  // The driver refuses the two highest numbers of the protocol.
  maxParameters: 65_533,
  nullsFirst: false,
  forUpdate: true,
  lexis: {
    names: [{ open: '"', close: '"', doubled: true }],
    strings: ["'"],
    backslash: "prefixed",
    dollarStrings: true,
    nestedComments: true,
    slices: true,
    placeholders: /\$\d+/u,
    // Without COPY, SET, LISTEN, PREPARE, DO and statements that end a transaction or change the catalog.
    statements: [
      ...["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE"],
      ...["CALL", "EXPLAIN", "SHOW"],
    ],
  },
  parameterName: (number) => `$${number}`,
  argument,
  selectable: (reference, column) => rulesOf(column).selected?.(reference) ?? reference,
  comparable,
  ordered,
  textual,
  dayText,
  summed,
  parameter,
  secondDecimals: 6,
  stored,
  defaulted: () => sql`default`,
  cut,
  special,
};

function textual(reference: Expression<unknown>, column: Column): Expression<unknown> {
  return rulesOf(column).matched?.(reference) ?? reference;
}

const LARGE = /^(?:text|character varying|citext|json|jsonb|xml|bytea)(?:\(\d+\))?$/;

/** The server knows the bytes of a text without reading it. */
function cut(
  reference: Expression<unknown>,
  { type, declaredType }: Column,
  most: number,
): CutValue | undefined {
  if (!LARGE.test(declaredType)) return undefined;
  const [value, count] = type === "binary"
    ? [reference, sql`octet_length`]
    : [sql`${reference}::text`, sql`char_length`];
  const isLong = sql`octet_length(${value}) > ${sql.lit(most)}`;
  return {
    beginning: sql`case when ${isLong} then substr(${value}, 1, ${sql.lit(most)}) else ${value} end`,
    length: sql`case when ${isLong} then ${count}(${value}) end`,
  };
}

/**
 * Texts of moments are in UTC, as answers show them, whatever the session's zone. Infinities are in no year.
 */
function dayText(reference: Expression<unknown>, { zone }: Column): Expression<unknown> {
  const day = zone === "utc" ? sql`(${reference} at time zone 'UTC')` : reference;
  return sql`case when ${day} >= '0001-01-01' and ${day} < '10000-01-01' then to_char(${day}, 'YYYY-MM-DD') end`;
}

/** A text column of a saved query has no form: its type may be one without an order, such as xml. */
function ordered(reference: Expression<unknown>, column: Column): Expression<unknown> {
  if (column.type === "text" && !("form" in column)) return sql`${reference}::text`;
  return rulesOf(column).ordered?.(reference) ?? reference;
}

const ADDED: { readonly [Type in ValueType]?: string } = { float: "float8", integer: "int8" };

/** Single precision would add with seven digits, and an `oid` cannot be added. Sums of 64 bits are exact. */
function summed(compared: Expression<unknown>, { type }: Column): Expression<unknown> {
  return sql`sum(${compared}::${sql.raw(ADDED[type] ?? "numeric")})`;
}

function parameter(value: Value, column: Column): unknown {
  if (value === null) return null;
  const text = withEra(textOf(value), column);
  return rulesOf(column).parameter?.(text) ?? text;
}

function stored(value: Value, column: Column): unknown {
  if (value === null) return null;
  const text = textOf(value);
  if (text === "" && column.nullable && isNeverEmpty(column)) return null;
  requireKept(text, column);
  return rulesOf(column).stored?.(text) ?? text;
}

/** Whether an empty text can only mean NULL, as an empty field of CSV does. */
function isNeverEmpty(column: Column): boolean {
  return membersOf(column)?.includes("") === false || "neverEmpty" in column;
}

/** The values of an enum. Those of a text are the list of a check, which the server refuses as a rule. */
function membersOf(column: Column): readonly string[] | undefined {
  return "form" in column && column.form === "plain" ? column.bounds?.members : undefined;
}

/**
 * Throws a RangeError, whose message is the end of a sentence, where the column
 * would round or refuse the value.
 */
function requireKept(text: string, column: Column): void {
  const { declaredType, detail: { element } = {} } = column;
  requireBytes(text, column);
  requireWholeDigits(text, column);
  if (membersOf(column)?.includes(text) === false) {
    throw new RangeError(`'${text.slice(0, 40)}' is not one of the column's values`);
  }
  const values = element === undefined ? [text] : text.match(ELEMENT) ?? [];
  const dropped = element && !declaredType.includes("with time zone") ? DROPPED[element] : undefined;
  if (dropped && values.some((value) => dropped.test(value))) {
    throw new RangeError(`${text.slice(0, 40)} has a part that a column of type ${declaredType} drops`);
  }
  const scale = scaleOf(column);
  const isRounded = scale !== undefined && !isPlainlyWithin(text, { fraction: scale }) &&
    values.some((value) => digitsAfterPoint(value, column) > scale);
  if (isRounded) {
    throw new RangeError(
      `${text.slice(0, 100)} has more digits than are kept in a column of type ${declaredType}`,
    );
  }
  if (!isInRange(text, column)) {
    throw new RangeError(`${text} is out of range for a column of type ${declaredType}`);
  }
}

/** Money is a 64-bit number of its smallest unit, and declared digits hold no infinity. */
function isInRange(text: string, column: Column): boolean {
  if (column.declaredType !== "money") {
    return column.detail?.precision === undefined || !text.endsWith("Infinity");
  }
  const [digits, power = "0"] = digitsOf(text)?.split("e") ?? [];
  if (digits === undefined) return false;
  const units = BigInt(digits) * 10n ** BigInt(Math.max(0, Number(power) + (scaleOf(column) ?? 0)));
  return BigInt.asIntN(64, units) === units;
}

/** Of an array of numbers or times. */
const ELEMENT = /[^{},"]+/g;

const OFFSET = /:\d\d(?:\.\d+)? ?[+-](?!00(?::?00)?$)\d/;
/** What the server takes off the elements of an array; values of their own with it are refused before. */
const DROPPED: { readonly [Type in ValueType]?: RegExp } = { date: /[T ]\d/, datetime: OFFSET, time: OFFSET };

/** The bytes of types that the server cuts off without an error. */
const CUT: ReadonlyMap<string, number> = new Map([["name", 63], ['"char"', 1]]);

function requireBytes(text: string, { declaredType }: Column): void {
  const most = CUT.get(declaredType);
  if (most === undefined || new TextEncoder().encode(text).length <= most) return;
  throw new RangeError(`it has more bytes than a column of type ${declaredType} keeps (${most})`);
}

function scaleOf(column: Column): number | undefined {
  if ("scale" in column && typeof column.scale === "number") return column.scale;
  return column.type === "time" || column.type === "datetime" ? MICROSECONDS : column.detail?.scale;
}

/** The fraction of seconds in a time or an interval: `10:00:00.5+02`, `PT1.5S`, `1.5 secs ago`. */
const SECONDS = /\.(\d+)(?=$|[-+sZ]|\s+(?:[-+\d]|s|ago|BC|AD))/i;

/** Digits after the point of a number, or of the seconds of a time or an interval. */
function digitsAfterPoint(text: string, { type, detail }: Column): number {
  if ((detail?.element ?? type) === "decimal") return decimalsOf(text);
  return decimalsOf(`.${SECONDS.exec(text)?.[1] ?? 0}`);
}
