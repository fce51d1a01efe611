/**
 * Walks through the XML of a workbook in short steps.
 *
 * @module
 */

import { SaxesParser, type SaxesTagNS } from "saxes";
import { Refusal } from "./zip.ts";

/** What a reader does with elements, named without their prefixes. */
export interface Walker {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Number of characters that are parsed in one step. */
const STEP = 16_384;
const LONGEST_MESSAGE = 150;

/** Throws {@link Refusal} for what is no XML. Other requests run after each step. */
export function* walk(xml: string, walker: Walker): Generator<undefined, void, void> {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const refuse = (message: string): never => {
    throw new Refusal(
      `a part of the workbook is no XML: ${message.replace(/[^ -~]/g, "?").slice(0, LONGEST_MESSAGE)}`,
    );
  };
  parser.on("error", ({ message }) => refuse(message));
  parser.on("doctype", () => refuse("it has a DOCTYPE"));
  parser.on("opentag", ({ local, attributes }: SaxesTagNS) => {
    const all = Object.values(attributes);
    walker.open(local, (name) => all.find((each) => each.local === name && each.prefix !== "xmlns")?.value);
  });
  parser.on("text", (text) => walker.text?.(text));
  parser.on("cdata", (text) => walker.text?.(text));
  parser.on("closetag", ({ local }) => walker.close?.(local));
  for (let at = 0; at < xml.length; at += STEP) {
    parser.write(xml.slice(at, at + STEP));
    yield;
  }
  parser.close();
}

/** Walks through a small part at once. */
export function walkSmall(xml: string, walker: Walker): void {
  for (const _ of walk(xml, walker));
}
