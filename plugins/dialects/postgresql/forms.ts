/**
 * How columns of each kind of type are selected, compared and written, as data.
 * The catalog stores a column's form.
 *
 * @module
 */

import { type Expression, sql } from "kysely";
import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { nearestReal } from "@/plugins/kit/numbers.ts";
import { OID } from "./decode.ts";

/** The rules of one kind. Absent members: the column itself, the value's own text. */
interface Rules {
  /**
   * The expressions that are selected, compared with a filter's value, and
   * matched by LIKE in place of the column.
   */
  readonly selected?: Cast;
  readonly compared?: Cast;
  readonly matched?: Cast;
  /** The expression that orders rows in place of a column without an order. */
  readonly ordered?: Cast;
  /** Conversions of a value for comparing and for storing. */
  readonly parameter?: (text: string) => unknown;
  readonly stored?: (text: string) => unknown;
}

type Cast = (reference: Expression<unknown>) => Expression<unknown>;

const asText: Cast = (reference) => sql`${reference}::text`;
const asJsonb: Cast = (reference) => sql`${reference}::jsonb`;
const asNumeric: Cast = (reference) => sql`${reference}::numeric`;
const asBigint: Cast = (reference) => sql`${reference}::int8`;

const toNumeric = (text: string) => new Bound(text, OID.numeric);
const toBigint = (text: string) => new Bound(text, OID.int8);

const FORMS = {
  /**
   * Types that are compared directly and matched as text: numbers, dates, uuid, enums, arrays, ranges, bits.
   */
  plain: { matched: asText },
  /** Types that LIKE supports directly; citext ignores case by itself. */
  text: {},
  /** Compared with 64 bits: a number that a smaller column cannot hold matches no row instead of failing. */
  integer: { matched: asText, parameter: toBigint },
  /** The server would convert the number to an oid, and fail. */
  oid: { compared: asBigint, matched: asText, parameter: toBigint },
  /** Compared with 64 bits, for the same reason as integers. */
  real: {
    matched: asText,
    parameter: (text: string) => new Bound(String(nearestReal(Number(text))), OID.float8),
  },
  /** `char(n)`: spaces at the end count for LIKE alone. */
  padded: { matched: asText },
  /** As text an address has a mask that answers leave out. */
  inet: { matched: (reference) => sql`abbrev(${reference})` },
  /** `name`, `"char"`: a longer text would be cut off before it is compared. */
  short: { matched: asText, parameter: (text: string) => new Bound(text, OID.text) },
  /**
   * Money has the format of the database's region, with its symbol; as a number it is the same everywhere.
   */
  money: {
    selected: asNumeric,
    compared: asNumeric,
    matched: asText,
    parameter: toNumeric,
    stored: toNumeric,
  },
  /** Bound with its zone, because a pooler's session may have another one. */
  timestamptz: { matched: asText, parameter: withZone, stored: withZone },
  /** Each value has its own offset; one without is in UTC, whatever the session's zone. */
  timetz: { matched: asText, parameter: withOffset, stored: withOffset },
  /** Without equality; as jsonb it has one that ignores spaces and the order of keys. */
  json: { compared: asJsonb, matched: asText, ordered: asText },
  /** Types without an order: xml, points, composite types, and arrays of these. */
  incomparable: { compared: asText, matched: asText, ordered: asText },
} as const satisfies Readonly<Record<string, Rules>>;

/** Digits after the point of PostgreSQL's times, if their type does not limit them. */
export const MICROSECONDS = 6;

/** A form's name, as the catalog notes it for a column. */
export type Form = keyof typeof FORMS;

/** A column of this dialect's catalog. */
export interface PostgresColumn extends Column {
  readonly form: Form;
  /** Digits after the point, if its type limits them. */
  readonly scale?: number;
  /** Its type is text to the service, and has no empty text. */
  readonly neverEmpty?: true;
  /** The enum behind its domain, quoted for SQL: the operators of enums do not take domains. */
  readonly castTo?: string;
}

const ZONED = { utc: "timestamptz", offset: "timetz" } as const;

/** The rules of a column; one from elsewhere has those of its zone, or with the name of its type. */
export function rulesOf(column: Column): Rules {
  const form = "form" in column ? column.form : column.zone ? ZONED[column.zone] : column.type;
  return isForm(form) ? FORMS[form] : FORMS.plain;
}

/** The expression that is compared in place of a column. */
export function comparable(reference: Expression<unknown>, column: Column): Expression<unknown> {
  if ("castTo" in column && typeof column.castTo === "string") {
    return sql`${reference}::${sql.raw(column.castTo)}`;
  }
  return rulesOf(column).compared?.(reference) ?? reference;
}

function isForm(name: unknown): name is Form {
  return typeof name === "string" && Object.hasOwn(FORMS, name);
}

/** The text from which the server reads a value. */
export function textOf(value: Exclude<Value, null>): string {
  return value instanceof Uint8Array ? `\\x${value.toHex()}` : String(value);
}

/** `2009-01-02T03:04:05` to `2009-01-02T03:04:05Z`; `BC` stays at the end, an infinity has no zone. */
function withZone(text: string): string {
  const match = /^(\d+-\d\d-\d\d)([T ][\d:.]+)?( BC)?$/.exec(text);
  if (!match) return text;
  const [, date = "", time = "T00:00:00", era = ""] = match;
  return `${date}${time}Z${era}`;
}

/** `10:00:00` to `10:00:00+00`. */
function withOffset(text: string): string {
  return /[Z+-]/.test(text) ? text : `${text}+00`;
}

/** The text of a value that the server reads as a type; or NULL of that type. */
export class Bound {
  readonly text: string | null;
  /** The type's OID. */
  readonly oid: number;

  constructor(text: string | null, oid: number) {
    this.text = text;
    this.oid = oid;
  }

  /** Updates and inserts compare stored values by their text. */
  toString(): string {
    return this.text ?? "";
  }
}

/** The largest 32-bit integer. */
const LARGEST = 2_147_483_647;

const ARGUMENTS: { readonly [Type in ValueType]?: number } = {
  decimal: OID.numeric,
  boolean: OID.bool,
  date: OID.date,
  datetime: OID.timestamp,
  text: OID.text,
};

/**
 * 0: the server infers the type. Functions rarely take more than 32 bits, and
 * those with 64 accept 32 as well.
 */
export function typeOfArgument(type: ValueType | undefined, text: string | null): number {
  if (type === "integer") return Math.abs(Number(text ?? 0)) <= LARGEST ? OID.int4 : OID.int8;
  return type === undefined ? 0 : ARGUMENTS[type] ?? 0;
}

/** With its declared type, else as text whose type the server infers. */
export function argument(value: Value, { type, declaredType }: Column): unknown {
  const text = value === null ? null : textOf(value);
  const oid = typeOfArgument(declaredType === "" ? undefined : type, text);
  return oid === 0 ? text : new Bound(text, oid);
}
