/**
 * Converts PostgreSQL's text format to values of the contract, by the type that the server reports for a
 * result's column. The driver looks a parser up once per statement; a type without one stays text.
 *
 * @module
 */

import type { Value } from "@/plugins/contract.ts";
import { integerOf } from "@/plugins/kit/numbers.ts";

/** OIDs of built-in types, the same on every server. */
export const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  float4: 700,
  float8: 701,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  money: 790,
  timetz: 1266,
  numeric: 1700,
} as const;

type Parse = (text: string) => Value;

/** By OID of the type. They never get NULL. */
export const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [OID.bool, (text) => text === "t"],
  [OID.bytea, toBytes],
  ...[OID.int2, OID.int4, OID.oid, OID.float4, OID.float8].map((oid) => [oid, Number] as const),
  [OID.int8, integerOf],
  [OID.numeric, toDecimal],
  [OID.money, toAmount],
  [OID.timetz, toTimeWithOffset],
  [OID.timestamp, toDatetime],
  [OID.timestamptz, toDatetimeInUtc],
]);

const NINE = 57;

/** Digits stay text; `NaN` and the infinities become numbers, because each format spells them differently. */
function toDecimal(text: string): Value {
  return text.charCodeAt(text.length - 1) > NINE ? Number(text) : text;
}

/**
 * `2009-01-02 03:04:05`, also with a longer year or a final `BC`, to `2009-01-02T03:04:05`; `infinity` stays.
 */
function toDatetime(text: string): Value {
  const at = text.indexOf(" ");
  return at < 0 ? text : `${text.slice(0, at)}T${text.slice(at + 1)}`;
}

/** The session's zone is UTC, so the offset is redundant. */
function toDatetimeInUtc(text: string): Value {
  return toDatetime(text.replace("+00", ""));
}

/** `-$1,234.50`, the spelling in sessions of this service; behind a pooler the text stays. */
function toAmount(text: string): Value {
  return /^-?\$[\d,]+\.\d\d$/.test(text) ? text.replace(/[$,]/g, "") : text;
}

/** `12:00:00.5+02` to `12:00:00.5+02:00`, the form of ISO 8601 and XML Schema. */
function toTimeWithOffset(text: string): Value {
  return /[+-]\d\d$/.test(text) ? `${text}:00` : text;
}

/** `\x00ff`, or the older form with backslashes, if a pooler's sessions use it. */
function toBytes(text: string): Value {
  if (text.startsWith("\\x")) return Uint8Array.fromHex(text.slice(2));
  const bytes = text.replace(/\\(\\|[0-7]{3})/g, (_, escaped: string) => {
    return escaped === "\\" ? "\\" : String.fromCharCode(Number.parseInt(escaped, 8));
  });
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}
