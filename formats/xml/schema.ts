/**
 * XML Schema 1.0 of the writer's answers for a shape. All types are local: elements with one name may differ
 * by place, such as `Track` inside `Track`.
 *
 * @module
 */

import type { SchemaOptions, Shape, ShapeColumn, ShapeRelation, ValueType } from "@/plugins/contract.ts";
import {
  annotation,
  type Attributes,
  type Element,
  element,
  sequenceType,
  timesOf,
  writeRoot,
} from "./element.ts";
import type { Frame } from "./frame.ts";

type Cardinality = SchemaOptions["cardinality"];

/** The whole document, including its declaration. */
export function writeSchema(shape: Shape, frame: Frame, cardinality: Cardinality): string {
  return writeRoot(sequenceType(contentOf(shape, frame, cardinality)), frame);
}

function contentOf(shape: Shape, frame: Frame, cardinality: Cardinality): readonly Element[] {
  if (shape.form === "columns") {
    return shape.columns.map((column) => turnedColumn(column, frame, cardinality));
  }
  const isList = shape.form === "records" || shape.form === "values";
  return [recordElement(shape, isList ? timesOf(cardinality) : {}, frame)];
}

/** A transposed column: NULLs are always shown, because positions matter. */
function turnedColumn(column: ShapeColumn, frame: Frame, cardinality: Cardinality): Element {
  const { attributes, content } = simpleType(column);
  const times = timesOf(cardinality);
  const value = element("xs:element", { name: "value", ...attributes, ...times, nillable: "true" }, content);
  return element("xs:element", { name: frame.encodeName(column.name) }, [sequenceType([value])]);
}

function recordElement(shape: Shape, times: Attributes, frame: Frame): Element {
  const refers = frame.href && shape.locate !== undefined;
  const relations = (list: readonly ShapeRelation[]) =>
    list
      .filter(({ expanded }) => refers || expanded !== undefined)
      .map((relation) => relationElement(relation, refers, frame));
  const children = [
    ...relations(shape.toOne),
    ...shape.columns.map((column) => columnElement(column, frame)),
    ...relations(shape.toMany),
  ];
  return element("xs:element", { name: frame.encodeName(shape.name), ...times }, [
    ...annotation(shape.comment),
    sequenceType(children, refers),
  ]);
}

function columnElement(column: ShapeColumn, frame: Frame): Element {
  const { attributes, content } = simpleType(column);
  const { nullable, comment } = column;
  const name = frame.encodeName(column.name);
  return element("xs:element", { name, ...attributes, ...nilAttributes(nullable, frame) }, [
    ...annotation(comment),
    ...content,
  ]);
}

/** NULL is an element without content, or absent. */
function nilAttributes(nullable: boolean, { nilVisible }: Frame): Attributes {
  return nullable ? { minOccurs: nilVisible ? undefined : "0", nillable: "true" } : {};
}

/** The records of an expanded relation are children of its element. */
function relationElement(
  { name, expanded, nullableKey }: ShapeRelation,
  refers: boolean,
  frame: Frame,
): Element {
  const content = expanded === undefined ? [] : [
    recordElement(expanded.shape, timesOf(expanded.shape.form === "record" ? 1 : "unbounded"), frame),
  ];
  const mayBeNil = expanded !== undefined && nullableKey !== undefined;
  const attributes = { name: frame.encodeName(name), ...nilAttributes(mayBeNil, frame) };
  return element("xs:element", attributes, [sequenceType(content, refers)]);
}

/** The type of an element: an attribute with its name, or a nested definition. */
interface SimpleType {
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
function simpleType(column: ShapeColumn): SimpleType {
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
