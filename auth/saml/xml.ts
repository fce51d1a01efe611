/**
 * Reads XML into a plain tree. The parser never loads anything.
 *
 * @module
 */

import { ParseOption, XmlDocument, XmlElement, XmlError, XmlText } from "libxml2-wasm";
import { Rejection, require } from "@/plugins/kit/providers/login_failure.ts";

/** An element with its content. */
export interface Element {
  readonly name: string;
  readonly namespace: string;
  /** Values by name; attributes with a namespace as `{namespace}name`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** Its own text, without the text of its children. */
  readonly text: string;
}

const OPTIONS: ParseOption = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_NO_SYS_CATALOG;

/** Stated explicitly, because the parser would otherwise guess an encoding from the first bytes. */
const ENCODING = "utf-8";

/** Parses a document, which must be disposed of. Throws {@link Rejection}. */
export function parseXml(text: string): XmlDocument {
  const options = { option: OPTIONS, encoding: ENCODING };
  return attempt("a message that is no XML", () => XmlDocument.fromString(text, options));
}

/** Parses a document, works with its root, and disposes of it. */
export function withXml<Result>(text: string, work: (root: XmlElement) => Result): Result {
  using document = parseXml(text);
  return work(document.root);
}

/** An error of the parser means that the message is invalid. */
export function attempt<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof XmlError) throw new Rejection(what, { cause });
    throw cause;
  }
}

/** Converts an element to a tree. */
export function treeOf(element: XmlElement): Element {
  const children: Element[] = [];
  let text = "";
  for (const node of nodesIn(element)) {
    if (node instanceof XmlElement) children.push(treeOf(node));
    else if (node instanceof XmlText) text += node.content;
  }
  return {
    name: element.name,
    namespace: element.namespaceUri,
    attributes: attributesOf(element),
    children,
    text,
  };
}

/** The child elements with this name. */
export function childrenOf(parent: Element, namespace: string, name: string): readonly Element[] {
  return parent.children.filter((child) => child.name === name && child.namespace === namespace);
}

/** The only child with this name; undefined without one. Throws {@link Rejection} for several. */
export function childOf(parent: Element, namespace: string, name: string): Element | undefined {
  const [child, ...others] = childrenOf(parent, namespace, name);
  require(others.length === 0, `a message with several ${name}`);
  return child;
}

/** An element and all of its descendants, in the order of the document. */
export function* everythingIn(element: Element): Generator<Element> {
  const rest = [element];
  for (let next = rest.pop(); next; next = rest.pop()) {
    yield next;
    for (const child of next.children.toReversed()) rest.push(child);
  }
}

/** A time in an attribute; UTC if it has no zone. */
export function timeIn({ attributes }: Element, name: string): number | undefined {
  const written = attributes.get(name)?.trim();
  if (written === undefined) return undefined;
  const time = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(written) ? written : `${written}Z`);
  require(Number.isFinite(time), `a ${name} that is no time`);
  return time;
}

/** The child elements with this name, as nodes of the document. */
export function elementsIn(element: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return [...nodesIn(element)].filter((node): node is XmlElement =>
    node instanceof XmlElement && node.name === name && node.namespaceUri === namespace
  );
}

function* nodesIn(element: XmlElement) {
  for (let node = element.firstChild; node; node = node.next) yield node;
}

function attributesOf(element: XmlElement): ReadonlyMap<string, string> {
  return new Map(
    element.attrs.map((
      { name, namespaceUri, content },
    ) => [namespaceUri === "" ? name : `{${namespaceUri}}${name}`, content]),
  );
}
