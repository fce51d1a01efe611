/**
 * Values for columns of each kind, as URLs and bodies spell them: stored values,
 * values near them, and invalid ones.
 *
 * @module
 */

import type { Stored } from "@/tests/support/databases/definition.ts";
import type { Kind } from "@/tests/support/databases/engine.ts";
import fc from "@/tests/support/random.ts";
import type { ColumnFacts } from "./facts.ts";

/** Spellings of a kind, and texts that are invalid for it, separated by `¦`. */
interface Pool {
  readonly right: string;
  readonly wrong: string;
}

const TEXT: Pool = {
  right:
    "¦ ¦a¦a ¦ a¦aa¦%¦_¦a_b¦a%b¦\\¦\\\\¦\\_¦!¦!!¦[a-z]¦[¦]¦^¦'¦''¦\"¦`¦;¦--¦/*¦a/b¦/¦.¦..¦a..b¦,¦*¦~¦<null>¦null" +
    "¦😀¦é¦e\u0301¦ä¦ß¦日¦\u200b¦\u00a0¦\ue000¦\ufffd¦\n¦\r\n¦\t¦\u007f¦\u0001¦0¦ﬁ¦ı¦true¦1e3¦zoë¦ann" +
    `¦${"a".repeat(61)}¦b${"0".repeat(2400)}¦a${"0".repeat(2400)}¦a${"0".repeat(2399)}¦${"x".repeat(300)}`,
  wrong: "a\0¦\0",
};

/**
 * Without values that only some engines have (their pages in docs/): infinities and `NaN`, years beyond 9999,
 * times of more than a day, `24:00`, more than six decimals of a second. Also without decimals of more digits
 * than SQLite compares (docs/api.md).
 */
const POOLS: Readonly<Record<Exclude<Kind, "digits" | "any">, Pool>> = {
  integer: {
    right:
      "0¦1¦-1¦2¦42¦+5¦007¦-0¦2147483648¦9007199254740993¦9223372036854775806¦9223372036854775807¦1000000" +
      "¦-9223372036854775808¦-9223372036854775807¦00000000000000000000001",
    wrong: "9223372036854775808¦-9223372036854775809¦1.0¦1e3¦x¦true¦0x10¦¦ 1¦1 ¦٣",
  },
  decimal: {
    right:
      "0¦0.01¦-0.01¦19.95¦19.950¦19.951¦0.1¦.25¦-.25¦1.¦1e2¦1E-2¦-0¦+1¦42.42¦4242e-2¦999999999999.99¦1e400" +
      "¦1e-400¦-1e400¦1000000000000¦99999999999999999999.99" +
      `¦${"9".repeat(70)}¦0.${"0".repeat(70)}1`,
    wrong: "x¦NaNN¦1,5¦1e¦1e1000¦¦ 1",
  },
  float: {
    right:
      "0¦-0¦0.1¦-0.1¦0.10¦2.5¦42¦1e300¦-1e-300¦5e-324¦1e-400¦1.7976931348623157e308¦1.7976931348623158e308¦1.¦.5" +
      "¦0.30000000000000004¦100000000000000000000000¦1e21¦3.5¦+.5¦0.1000000000000000055511151231257827",
    wrong: "1e309¦x¦¦0x1",
  },
  boolean: { right: "true¦false¦True¦False¦1¦0", wrong: "TRUE¦t¦yes¦2¦¦01" },
  date: {
    right:
      "2024-02-29¦0001-01-01¦0000-01-01¦0000-02-29¦9999-12-31¦1969-12-31¦1970-01-01¦1582-10-10¦0099-01-01",
    wrong: "2023-02-29¦1900-02-29¦2024-2-29¦2024-13-01¦2024-02-29T00:00:00¦20240229¦x¦-0001-01-01¦",
  },
  datetime: {
    right:
      "2024-02-29¦2024-02-29T13:45:00¦2024-02-29T13:45¦2024-02-29T13:45:00.0¦2024-02-29T13:45:00.000001000" +
      "¦2024-03-10T02:30:00.5¦2024-03-10T02:30:00.500¦2000-02-29T00:00:00.000001" +
      "¦1969-12-31T23:59:59.999999¦9999-12-31T23:59:59.999999¦0000-01-01T00:00:00" +
      "¦2024-02-29 13:45:00¦0001-01-01T00:00:00",
    wrong:
      "2024-02-29T24:00:00¦2024-02-29T13:45:60¦2024-02-29T13:45:00Z¦2024-02-29T13:45:00+01:00¦2023-02-29T00:00:00" +
      "¦x¦¦2024-02-29t13:45:00¦2024-02-29 ¦2024-02-29T13:45:00.0000000001",
  },
  time: {
    right:
      "13:45¦13:45:00¦13:45:00.0¦13:45:00.5¦00:00:00¦00:00¦23:59:59¦23:59:59.999999¦23:59:59.5¦00:00:00.000001",
    wrong: "13:60¦13:45:00.0000000001¦x¦1:45¦13:45:00Z¦",
  },
  binary: { right: "AA==¦AP+J¦¦AQ==¦AQ¦AA¦/w==¦AAAA¦gA==¦fw==¦ AA==", wrong: "!!¦A¦AP-J¦_w==" },
  json: { right: '{"a": 1}¦[]¦null¦""¦"text"¦{}¦1¦true¦[1,2]¦{"b": [1, 2.5, "x%"]}', wrong: "{" },
  varchar: TEXT,
  text: TEXT,
};

/**
 * Values that SQL Server does not keep (docs/mssql.md): spaces at the end of text, zeros at the end of bytes,
 * years before 1, numbers next to zero.
 */
const NOT_TRIMMED: Readonly<Partial<Record<Kind, RegExp>>> = {
  varchar: / $/,
  text: / $/,
  binary: /AA=*$/,
  float: /e-324|e-400/,
  date: /^0000/,
  datetime: /^0000/,
};

/** A value for the column: mostly one that it has, seldom one that it cannot have. */
export function spelling(column: ColumnFacts): fc.Arbitrary<string> {
  const present = presentIn(column);
  const [right, wrong] = [odd(column, "right"), odd(column, "wrong")];
  return fc.oneof(
    { weight: 18, arbitrary: fc.constantFrom(...(present.length === 0 ? right : present)) },
    { weight: 12, arbitrary: fc.constantFrom(...right) },
    { weight: column.isLoose ? 0 : 1, arbitrary: fc.constantFrom(...wrong) },
  );
}

/** The values in the column, in the form of answers. */
export function presentIn({ values, kind }: ColumnFacts): readonly string[] {
  return [...new Set(values.flatMap((value) => value === null ? [] : [textOf(value, kind)]))];
}

/** Tells whether wildcards apply to the kind. Filters treat JSON as text, too. */
export function isTextual({ kind }: ColumnFacts): boolean {
  return kind === "text" || kind === "varchar" || kind === "json";
}

/** Further spellings of the column's kind, or invalid ones. */
export function odd({ kind, isTrimmed }: ColumnFacts, side: keyof Pool): readonly string[] {
  if (kind === "digits" || kind === "any") {
    throw new Error(`No values are known of ${kind}`);
  }
  const all = POOLS[kind][side].split("¦");
  return isTrimmed ? all.filter((text) => !NOT_TRIMMED[kind]?.test(text)) : all;
}

function textOf(value: Exclude<Stored, null>, kind: Kind): string {
  if (value instanceof Uint8Array) return value.toBase64();
  if (kind === "boolean") return String(Number(value) !== 0);
  return kind === "datetime" ? String(value).replace(" ", "T") : String(value);
}
