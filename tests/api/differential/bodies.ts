/**
 * Random records as bodies in each format that is read: mostly what fits the table, sometimes what does not.
 *
 * @module
 */

import fc from "@/tests/support/random.ts";
import type { ColumnFacts, TableFacts } from "./facts.ts";
import { odd, presentIn } from "./values.ts";

/** A member as spelled; null is NULL. */
type Field = readonly [column: ColumnFacts, text: string | null];

/** A request's body: its content type and its text. */
export interface Body {
  readonly type: string;
  readonly body: string;
}

/**
 * Values that bodies do not have, by kind, because only SQLite stores them unchanged: more decimals than
 * declared; zeros at the end of decimals, which SQLite drops; years before 1; fractions of a second in TIME,
 * or more than six decimals of one.
 */
const LEFT_OUT: Readonly<Partial<Record<ColumnFacts["kind"], RegExp>>> = {
  decimal: /^/,
  date: /^0000/,
  datetime: /^0000|\.\d{7}/,
  time: /\./,
};
/** Keys of counted tables that are no number of the counter's. */
const GIVEN_KEYS = ["-5", "10", "11", "500"];

const WRITERS: Readonly<Record<string, (records: readonly (readonly Field[])[], table: string) => string>> = {
  "application/json": (records) => {
    const objects = records.map((fields) => `{${fields.map(member).join(", ")}}`);
    return objects.length === 1 ? objects.join() : `[${objects.join(",\n ")}]`;
  },
  "text/csv": (records) => {
    const names = [...new Set(records.flatMap((fields) => fields.map(([{ name }]) => name)))];
    const cell = (fields: readonly Field[], name: string) =>
      fields.find(([column]) => column.name === name)?.[1] ?? "";
    const lines = records.map((fields) => names.map((name) => cell(fields, name)));
    return [names, ...lines].map((line) => line.map(quoted).join(",")).join("\r\n");
  },
  "text/xml": (records, table) => {
    const name = elementName(table);
    const elements = records.map((fields) => `<${name}>${fields.map(element).join("")}</${name}>`);
    const schema = 'xmlns="urn:rowhouse" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    return `<Rowhouse ${schema}>${elements.join("\n")}</Rowhouse>`;
  },
};

/** New records, as many as `most`. */
export function newRecords(table: TableFacts, most: number): fc.Arbitrary<Body> {
  const record = fc.tuple(...table.columns.map((column) => newField(column, table)))
    .map((fields) => fields.filter((field) => field !== undefined));
  return written(fc.array(record, { minLength: 1, maxLength: most }), table);
}

/** Changes of few columns, rarely of the key. */
export function changes(table: TableFacts): fc.Arbitrary<Body> {
  const others = table.columns.filter(({ name }) => !table.primaryKey.includes(name));
  const columns = fc.shuffledSubarray(others, { minLength: 1, maxLength: Math.min(3, others.length) });
  // SQL Server never changes an identity column (docs/mssql.md).
  const isFixed = ({ name, isTrimmed }: ColumnFacts) =>
    isTrimmed && table.isCounted && table.primaryKey.includes(name);
  const changeable = table.columns.filter((column) => !isFixed(column));
  const anyColumns = fc.shuffledSubarray(changeable, { minLength: 1, maxLength: 2 });
  const list = fc.oneof({ weight: 9, arbitrary: columns }, { weight: 1, arbitrary: anyColumns });
  const record = list.chain((chosen) => fc.tuple(...chosen.map((column) => field(column, table))));
  return written(record.map((fields) => [fields]), table);
}

function written(
  records: fc.Arbitrary<readonly (readonly Field[])[]>,
  table: TableFacts,
): fc.Arbitrary<Body> {
  return fc.tuple(records, fc.constantFrom(...Object.entries(WRITERS))).map(([list, [type, write]]) => {
    return { type, body: write(list, table.name) };
  });
}

/** Counted keys are mostly left to the database; required columns are rarely missing. */
function newField(column: ColumnFacts, table: TableFacts): fc.Arbitrary<Field | undefined> {
  const isKey = table.primaryKey.includes(column.name);
  const there = field(column, table);
  const absent = fc.constant(undefined);
  const [most, least] = isKey && table.isCounted ? [absent, there] : [there, absent];
  return fc.oneof({ weight: column.isNullable ? 2 : 60, arbitrary: most }, { weight: 1, arbitrary: least });
}

function field(column: ColumnFacts, table: TableFacts): fc.Arbitrary<Field> {
  const isCounted = table.isCounted && table.primaryKey.includes(column.name);
  const own = isCounted ? GIVEN_KEYS : presentIn(column);
  const isKept = (value: string) => !LEFT_OUT[column.kind]?.test(value);
  const fitting = [...own, ...odd(column, "right").filter(isKept)];
  const isText = column.kind === "text" || column.kind === "varchar";
  const text = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...(own.length > 0 ? own : fitting)) },
    { weight: 8, arbitrary: fc.constantFrom(...fitting) },
    { weight: isText ? 16 : 0, arbitrary: words(column) },
    { weight: isText ? 0 : 1, arbitrary: fc.constantFrom(...odd(column, "wrong")) },
  );
  const value = fc.oneof(
    { weight: column.isNullable ? 9 : 60, arbitrary: text },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  return value.map((each): Field => [column, each]);
}

/** SQL Server counts characters beyond the basic ones as two (docs/mssql.md), so there are fewer. */
function words({ isTrimmed }: ColumnFacts): fc.Arbitrary<string> {
  if (!isTrimmed) return fc.string({ unit: "grapheme", minLength: 1, maxLength: 9 });
  return fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }).map((text) => `${text}.`);
}

/** Numbers and truth values as JSON has them, where the text is one. */
function member([{ name, kind }, text]: Field): string {
  return `${JSON.stringify(name)}: ${text === null ? "null" : literal(text, kind)}`;
}

function literal(text: string, kind: ColumnFacts["kind"]): string {
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  if (isNumber && ["integer", "decimal", "float"].includes(kind)) return text;
  const isLiteral = kind === "json" || (kind === "boolean" && /^(true|false)$/.test(text));
  return isLiteral ? text : JSON.stringify(text);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function element([{ name }, text]: Field): string {
  const tag = elementName(name);
  if (text === null) return `<${tag} xsi:nil="true"/>`;
  const escaped = text.replaceAll(/[<&\]>\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<${tag}>${escaped}</${tag}>`;
}

/** Escapes characters that XML forbids in names, like answers. */
function elementName(name: string): string {
  const escape = (sign: string) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  return name.replaceAll(/[^\p{L}\p{N}_.-]/gu, escape).replace(/^[^\p{L}_]/u, escape);
}
