/**
 * Definitions in the words of one engine.
 *
 * @module
 */

import type { ColumnFixture, Stored, TableFixture } from "./definition.ts";

/** The kind of a column's values, by its declared type in SQLite. */
export type Kind =
  | "integer"
  | "decimal"
  | "digits"
  | "float"
  | "boolean"
  | "varchar"
  | "text"
  | "date"
  | "datetime"
  | "time"
  | "binary"
  | "json"
  | "any";

/** The syntax of one engine; texts are inserted into scripts unchanged. */
export interface Engine {
  quote(name: string): string;
  /** The column's type; `(…)` of the declared one is `bounds`. */
  readonly types: Readonly<Record<Kind, (bounds: string) => string>>;
  /** Stands behind the type of a column that the database counts up. */
  readonly identity: string;
  generated(expression: string): string;
  /** Unique keys take NULL for equal to NULL. Default false. */
  readonly nullsEqual?: boolean;
  /** Generated columns have a type in their declaration. Default true. */
  readonly typesGenerated?: boolean;
  /** A text column that is part of a key or a unique one may need another type: it has no length. */
  readonly keyText?: string;
  defaultOf(expression: string, kind: Kind): string;
  text(value: string): string;
  bytes(value: Uint8Array): string;
  boolean(value: boolean): string;
  /** Infinity, where the engine has it; `NULL` elsewhere. */
  infinity(value: number): string;
  /** Foreign keys may be checked at the end of a transaction. */
  readonly canDefer: boolean;
  /** Most rows of one INSERT. */
  readonly batch: number;
  /** Stands behind every statement. */
  readonly terminator: string;
  /** Around everything. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Around the rows of one table. */
  beforeRows?(table: TableFixture): readonly string[];
  afterRows?(table: TableFixture, largest: bigint): readonly string[];
  /** Empties a table and resets its counter. */
  empty(table: TableFixture): readonly string[];
  /** Pieces of expressions and views with quoted names, and the engine's own words for them. */
  readonly rewrites: readonly (readonly [string, string])[];
}

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^$/, "any"],
  [/^BOOLEAN/, "boolean"],
  [/^(DATETIME|TIMESTAMP)/, "datetime"],
  [/^DATE/, "date"],
  [/^TIME/, "time"],
  [/^DECIMAL TEXT/, "digits"],
  [/^DECIMAL/, "decimal"],
  [/INT/, "integer"],
  [/CHAR/, "varchar"],
  [/^TEXT/, "text"],
  [/^REAL/, "float"],
  [/^BLOB/, "binary"],
  [/^JSON/, "json"],
];

/** The kind of a column, by its declared type. Throws for a type that no engine is told about. */
export function kindOf({ type }: ColumnFixture): Kind {
  const [, kind] = KINDS.find(([pattern]) => pattern.test(type)) ?? [];
  if (kind === undefined) throw new Error(`No engine is told what "${type}" is`);
  return kind;
}

/** A value in the engine's syntax. A date that only SQLite stores becomes NULL. */
export function literal(engine: Engine, value: Stored, kind: Kind): string {
  if (value === null) return "NULL";
  if (kind === "boolean") return engine.boolean(Number(value) !== 0);
  if (kind === "any") return engine.text(textOf(value));
  if (value instanceof Uint8Array) return engine.bytes(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : engine.infinity(value);
  if (typeof value === "bigint") return String(value);
  if (kind === "digits") return value;
  const text = moment(value, kind);
  return text === null ? "NULL" : engine.text(text);
}

function moment(value: string, kind: Kind): string | null {
  if (kind === "time") return value.length === 5 ? `${value}:00` : value;
  if (kind !== "date" && kind !== "datetime") return value;
  const [, date, time = "00:00:00"] = /^(\d{4}-\d\d-\d\d)(?:[T ](.+))?$/.exec(value) ?? [];
  if (date === undefined) return null;
  return kind === "date" ? date : `${date} ${time.length === 5 ? `${time}:00` : time}`;
}

/** Spells the value as the service writes it into JSON. */
function textOf(value: Exclude<Stored, null>): string {
  return value instanceof Uint8Array ? value.toBase64() : String(value);
}
