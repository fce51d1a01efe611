/**
 * NDJSON, one JSON text per line: log processors and `jq` read it without holding the whole answer in memory.
 * An example of a format that does not come with the service; README.md describes its use.
 *
 * @module
 */

import type {
  BodyValue,
  Cell,
  Format,
  FormatHost,
  FormatPlugin,
  Json,
  PluginSettings,
  Row,
  SettingValues,
  Shape,
  ValueType,
  WriteOptions,
} from "@/plugins/contract.ts";
import { readBody } from "./read.ts";

const SETTINGS = {
  nulls: { type: "boolean", default: true, sentence: "Whether columns that are NULL are written." },
  href: { type: "boolean", default: true, sentence: "Whether records begin with their reference." },
} as const satisfies PluginSettings;

type Settings = SettingValues<typeof SETTINGS>;

export default {
  contract: 2,
  kind: "format",
  name: "ndjson",
  settings: SETTINGS,
  setup(settings: Settings, host: FormatHost): Format {
    return {
      contentTypes: ["application/x-ndjson"],
      escape: (codePoint) => escapeUnits(String.fromCodePoint(codePoint)),
      writer: (shape, options) => {
        const write = rowWriter(shape, { settings, options, host });
        const body = { begin: () => "", row: (row: Row) => `${write(row)}\n`, end: () => "" };
        return () => body;
      },
      document: (document) => {
        const tree = host.references(document.tree);
        return (isList(tree) ? tree : [tree]).map((item) => `${JSON.stringify(item)}\n`).join("");
      },
      read: readBody,
      shows: (cell, value, { type }) => writeCell(cell, type) === sourceOf(value),
      problem: ({ httpCode, description, urlTemplate }) =>
        `${JSON.stringify({ http_code: httpCode, description, url_template: urlTemplate })}\n`,
    };
  },
} satisfies FormatPlugin;

interface Context {
  readonly settings: Settings;
  readonly options: WriteOptions;
  readonly host: FormatHost;
}

/** Everything independent of the row is computed here, once. */
function rowWriter(shape: Shape, context: Context): (row: Row) => string {
  const { columns, form } = shape;
  if (form === "values" || form === "value") {
    const type = columns[0]?.type ?? "any";
    return ([value = null]) => writeCell(value, type);
  }
  if (form === "columns") return columnWriter(shape);
  return recordWriter(shape, context);
}

function recordWriter(
  { columns, locate }: Shape,
  { settings, options, host }: Context,
): (row: Row) => string {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const isShown = (cell: Cell) => settings.nulls || cell !== null;
  const isTaken = columns.some(({ name }) => name === host.refidPrefix);
  const reference = (options.href ?? settings.href) && !isTaken ? locate : undefined;
  const prefix = `${JSON.stringify(host.refidPrefix)}:`;
  return (row) => {
    const members = columns.flatMap(({ type }, position) => {
      const cell = row[position] ?? null;
      return isShown(cell) ? [keys[position] + writeCell(cell, type)] : [];
    });
    if (reference) members.unshift(prefix + writeReference(reference(row)));
    return `{${members.join(",")}}`;
  };
}

function writeReference(path: string | null): string {
  return path === null ? "null" : `"${path}.ndjson"`;
}

/** A transposed table: each row is a column's name, then its values. */
function columnWriter({ columns }: Shape): (row: Row) => string {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return ([name = null, ...values]) => {
    const key = String(name);
    const texts = values.map((value) => writeCell(value, types.get(key) ?? "any"));
    return `{${JSON.stringify(key)}:[${texts.join(",")}]}`;
  };
}

const DIGITS = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Decimals arrive as strings of digits, so that no digit is lost. */
function writeCell(cell: Cell, type: ValueType): string {
  if (typeof cell === "string") return type === "decimal" && DIGITS.test(cell) ? cell : JSON.stringify(cell);
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : `"${cell}"`;
  if (typeof cell === "bigint") return String(cell);
  if (cell instanceof Uint8Array) return `"${cell.toBase64()}"`;
  return JSON.stringify(cell);
}

/** A value of a body as it was written; undefined for lists and objects, which no cell is. */
function sourceOf(value: BodyValue): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return value.kind === "number" ? value.text : undefined;
}

function escapeUnits(character: string): string {
  return character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

function isList(tree: Json): tree is readonly Json[] {
  return Array.isArray(tree);
}
