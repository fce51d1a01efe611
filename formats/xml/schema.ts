/**
 * XML Schema 1.0 of the writer's answers for a shape. All types are local: elements with one name may differ by place,
 * such as `Track` inside `Track`.
 *
 * @module
 */

import type { SchemaOptions, Shape, ShapeColumn, ShapeRelation } from "@/plugins/contract.ts";
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
import { simpleType } from "./schema_types.ts";

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
  return [recordElement(shape, isList ? timesOf(0, cardinality) : {}, frame)];
}

/** A transposed column: NULLs are always shown, because positions matter. */
function turnedColumn(column: ShapeColumn, frame: Frame, cardinality: Cardinality): Element {
  const { attributes, content } = simpleType(column);
  const times = timesOf(0, cardinality);
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
    recordElement(expanded.shape, timesOf(0, expanded.shape.form === "record" ? 1 : "unbounded"), frame),
  ];
  const attributes = { name: frame.encodeName(name), ...nilAttributes(nullableKey !== undefined, frame) };
  return element("xs:element", attributes, [sequenceType(content, refers)]);
}
