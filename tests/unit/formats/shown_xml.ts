/**
 * Reads answers in XML back for the tests of the format.
 *
 * @module
 */

import { SaxesParser } from "saxes";
import type { Shape } from "@/plugins/contract.ts";
import type { ShownRecord } from "@/tests/conformance/format_subject.ts";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** A whole answer in XML. */
export function parseXml(text: string, shape: Shape): readonly ShownRecord[] {
  const { children } = readTree(text);
  if (shape.form !== "columns") return children.map((each) => readRecord(each, shape));
  return children.map(({ name, children }) => ({ cells: new Map([[decode(name), children.map(readCell)]]) }));
}

function readRecord({ attributes, children }: Element, shape: Shape): ShownRecord {
  const relations = new Map(
    [...shape.toOne, ...shape.toMany].map((each) => [each.name, each.expanded?.shape]),
  );
  const cells = children.filter(({ name }) => !relations.has(decode(name)));
  const related = children.flatMap(({ name, children }) => {
    const inner = relations.get(decode(name));
    return inner ? [[decode(name), children.map((each) => readRecord(each, inner))] as const] : [];
  });
  return {
    cells: new Map(cells.map((each) => [decode(each.name), readCell(each)])),
    href: attributes["href"] ?? null,
    related: new Map(related),
  };
}

function readCell({ attributes, text }: Element): string | null {
  return attributes["xsi:nil"] === "true" ? null : text;
}

function decode(name: string): string {
  return name.replace(/_x([0-9A-F]{4})_/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
}

function readTree(text: string): Element {
  const parser = new SaxesParser();
  const top: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  parser.on("opentag", ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (piece) => void ((open.at(-1) ?? top).text += piece));
  parser.on("closetag", () => void open.pop());
  parser.write(text).close();
  return top.children[0] ?? top;
}
