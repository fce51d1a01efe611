/**
 * What XML Schema says about the values of a column.
 *
 * @module
 */

import type { ShapeColumn, ValueType } from "@/plugins/contract.ts";
import { type Attributes, type Element, element } from "./element.ts";

/** The type of an element: named by an attribute, or described inside. */
export interface SimpleType {
  readonly attributes: Attributes;
  readonly content: readonly Element[];
}

/** Most types have no zone: a pattern of digits and colons behind the `T` leaves none. */
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

/** Engines without exact decimals may give exponents, and parsers in wide use take no decimal of more than 24 digits. */
const DECIMAL: SimpleType = {
  attributes: {},
  content: [element("xs:simpleType", {}, [element("xs:union", { memberTypes: "xs:decimal xs:double" })])],
};

/** The type of a value that is there: whether it may be nil is said by the element. */
export function simpleType(column: ShapeColumn): SimpleType {
  return TYPES[column.type](column);
}

function named(type: string): SimpleType {
  return { attributes: { type }, content: [] };
}

/** One of the built-in type with this pattern, or what else the column's values may look like. */
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
