/**
 * JSON Schema for the values of a column.
 *
 * @module
 */

import type { ShapeColumn, ValueType } from "@/plugins/contract.ts";
import { type Members, type Tree, treeOf } from "./tree.ts";

/** Times without a zone are not a `date-time` of JSON Schema. */
const TIME_OF_DAY = "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?";
const DATE_TIME = `\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T${TIME_OF_DAY}`;

const MEMBERS: { readonly [Type in ValueType]: (column: ShapeColumn) => Members } = {
  integer: (column) => [
    typeMember("integer", column),
    ["minimum", column.bounds?.range?.[0]],
    ["maximum", column.bounds?.range?.[1]],
  ],
  decimal: (column) =>
    column.irregular === undefined ? [typeMember("number", column)] : [["anyOf", [
      treeOf([typeMember("number", column)]),
      treeOf([["type", "string"], patternOf(column.irregular)]),
    ]]],
  float: (column) => [["anyOf", [treeOf([typeMember("number", column)]), NO_NUMBER]]],
  boolean: (column) => [typeMember("boolean", column)],
  text: textMembers,
  date: (column) => [typeMember("string", column), formatted(column, "date")],
  datetime: (column) => [typeMember("string", column), temporal(column, "date-time", DATE_TIME)],
  time: (column) => [typeMember("string", column), temporal(column, "time", TIME_OF_DAY)],
  binary: (column) => [typeMember("string", column), ["contentEncoding", "base64"]],
  json: () => [],
  any: () => [],
};

/** Numbers that JSON cannot represent are strings. */
const NO_NUMBER = treeOf([["type", "string"], ["enum", ["NaN", "Infinity", "-Infinity"]]]);

/** The schema of one value of a column. */
export function columnSchema(column: ShapeColumn): ReadonlyMap<string, Tree> {
  return treeOf([
    ...MEMBERS[column.type](column),
    ["description", column.comment],
    ["readOnly", column.isGenerated || undefined],
  ]);
}

function textMembers(column: ShapeColumn): Members {
  const { maxLength, nullable, bounds: { members, isUuid } = {} } = column;
  return [
    typeMember("string", column),
    ["maxLength", maxLength],
    ["format", isUuid ? "uuid" : undefined],
    ["enum", members && (nullable ? [...members, null] : members)],
  ];
}

/** The formats of JSON Schema require a zone. */
function temporal(column: ShapeColumn, format: string, pattern: string): Members[number] {
  if (column.zone !== undefined) return formatted(column, format);
  const { irregular } = column;
  return irregular === undefined ? ["pattern", `^${pattern}$`] : patternOf(`${pattern}|${irregular}`);
}

function formatted({ irregular }: ShapeColumn, format: string): Members[number] {
  if (irregular === undefined) return ["format", format];
  return ["anyOf", [treeOf([["format", format]]), treeOf([patternOf(irregular)])]];
}

function patternOf(alternatives: string): Members[number] {
  return ["pattern", `^(${alternatives})$`];
}

function typeMember(type: string, { nullable }: ShapeColumn): Members[number] {
  return ["type", nullable ? [type, "null"] : type];
}
