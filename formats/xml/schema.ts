/**
 * XML Schema 1.0 of the writer's answers for a shape. All types are local: elements with one name may differ by place,
 * such as `Track` inside `Track`.
 *
 * @module
 */

import type { SchemaOptions, Shape, ShapeColumn, ShapeRelation } from "@/plugins/contract.ts";
import { type Attributes, type Element, element } from "./element.ts";
import type { Frame } from "./frame.ts";
import { annotation, sequenceType, timesOf, writeRoot } from "./schema_elements.ts";
import { simpleType } from "./schema_types.ts";

/** The options of a schema beside the shape. */
export interface XmlSchemaOptions {
  readonly cardinality: SchemaOptions["cardinality"];
}

interface Context extends XmlSchemaOptions {
  readonly frame: Frame;
}

/** The whole document, including its declaration. */
export function writeSchema(shape: Shape, frame: Frame, options: XmlSchemaOptions): string {
  const context = { ...options, frame };
  return writeRoot(sequenceType(contentOf(shape, context)), frame);
}

function contentOf(shape: Shape, context: Context): readonly Element[] {
  if (shape.form === "columns") return shape.columns.map((column) => turnedColumn(column, context));
  const isList = shape.form === "records" || shape.form === "values";
  return [recordElement(shape, isList ? timesOf(0, context.cardinality) : {}, context)];
}

/** A transposed column: NULLs are always shown, because positions matter. */
function turnedColumn(column: ShapeColumn, { frame, cardinality }: Context): Element {
  const { attributes, content } = simpleType(column);
  const times = timesOf(0, cardinality);
  const value = element("xs:element", { name: "value", ...attributes, ...times, nillable: "true" }, content);
  return element("xs:element", { name: frame.encodeName(column.name) }, [sequenceType([value])]);
}

function recordElement(shape: Shape, times: Attributes, context: Context): Element {
  const { frame } = context;
  const refers = frame.href && shape.locate !== undefined;
  const relations = (list: readonly ShapeRelation[]) =>
    list
      .filter(({ expanded }) => refers || expanded !== undefined)
      .map((relation) => relationElement(relation, refers, context));
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
  context: Context,
): Element {
  const content = expanded === undefined ? [] : [
    recordElement(expanded.shape, timesOf(0, expanded.shape.form === "record" ? 1 : "unbounded"), context),
  ];
  const { frame } = context;
  const attributes = { name: frame.encodeName(name), ...nilAttributes(nullableKey !== undefined, frame) };
  return element("xs:element", attributes, [sequenceType(content, refers)]);
}
