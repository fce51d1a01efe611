/**
 * XML Schema for the values of a column.
 *
 * @module
 */

import type { ShapeColumn, ValueType } from "@/plugins/contract.ts";
import { type Attributes, type Element, element } from "./element.ts";

/** The type of an element: an attribute with its name, or a nested definition. */
export interface SimpleType {
  readonly attributes: Attributes;
  readonly content: readonly Element[];
}

/** Most types have no zone: a pattern of digits and colons after the `T` excludes one. */
const DATE_TIME = "[^T]+T[0-9:.]+";
const TIME = "[0-9:.]+";
const ZONE = "(Z|[+\\-][0-9:]+)";

const TYPES: { readonly [Type in ValueType]: (column: ShapeColumn) => SimpleType } = {
  integer: () => named("xs:integer"),
  decimal: () => DECIMAL,
  float: () => named("xs:double"),
  boolean: () => named("xs:boolean"),
  text: ({ maxLength }) => {
    return maxLength === undefined
      ? named("xs:string")
      : restricted("xs:string", "xs:maxLength", `${maxLength}`);
  },
  date: (column) => temporal(column, "xs:date"),
  datetime: (column) => temporal(column, "xs:dateTime", DATE_TIME + (column.zone ? ZONE : "")),
  time: (column) => temporal(column, "xs:time", TIME + (column.zone ? ZONE : "")),
  binary: () => named("xs:base64Binary"),
  json: () => named("xs:string"),
  any: () => named("xs:string"),
};

/** Engines without exact decimals may use exponents, and common parsers limit `xs:decimal` to 24 digits. */
const DECIMAL: SimpleType = {
  attributes: {},
  content: [element("xs:simpleType", {}, [element("xs:union", { memberTypes: "xs:decimal xs:double" })])],
};

/** The type of a value other than NULL; the element defines whether it may be nil. */
export function simpleType(column: ShapeColumn): SimpleType {
  return TYPES[column.type](column);
}

function named(type: string): SimpleType {
  return { attributes: { type }, content: [] };
}

/** The built-in type with this pattern, or one of the column's irregular texts. */
function temporal({ irregular }: ShapeColumn, base: string, pattern?: string): SimpleType {
  const regular = pattern === undefined ? named(base) : restricted(base, "xs:pattern", pattern);
  if (irregular === undefined) return regular;
  const other = restricted("xs:string", "xs:pattern", irregular);
  const union = element("xs:union", { memberTypes: regular.attributes["type"] }, [
    ...regular.content,
    ...other.content,
  ]);
  return { attributes: {}, content: [element("xs:simpleType", {}, [union])] };
}

function restricted(base: string, facet: string, value: string): SimpleType {
  const restriction = element("xs:restriction", { base }, [element(facet, { value })]);
  return { attributes: {}, content: [element("xs:simpleType", {}, [restriction])] };
}
