/**
 * Reads XML. Nothing is ever loaded from anywhere, and what is read is a plain tree.
 *
 * @module
 */

import { ParseOption, XmlDocument, XmlElement, XmlError, XmlText } from "libxml2-wasm";
import { Rejection, require } from "./rejection.ts";

/** An element with what is in it. */
export interface Element {
  readonly name: string;
  readonly namespace: string;
  /** By their names; those with a namespace as `{namespace}name`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

const OPTIONS: ParseOption = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_NO_SYS_CATALOG;

/** It is told, so that the parser does not guess another one from the first bytes. */
const ENCODING = "utf-8";

/** A document, which has to be disposed of. Throws {@link Rejection}. */
export function parseXml(text: string): XmlDocument {
  const options = { option: OPTIONS, encoding: ENCODING };
  return attempt("a message that is no XML", () => XmlDocument.fromString(text, options));
}

/** Works with a document, and disposes of it. */
export function withXml<Result>(text: string, work: (root: XmlElement) => Result): Result {
  using document = parseXml(text);
  return work(document.root);
}

/** What fails in the parser is wrong with the message. */
export function attempt<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof XmlError) throw new Rejection(what, error);
    throw error;
  }
}

/** An element of a document as a tree. */
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

/** The child elements of that name. */
export function childrenOf(parent: Element, namespace: string, name: string): readonly Element[] {
  return parent.children.filter((child) => child.name === name && child.namespace === namespace);
}

/** The only child of that name; undefined if there is none. Throws {@link Rejection} if there are several. */
export function childOf(parent: Element, namespace: string, name: string): Element | undefined {
  const [child, ...others] = childrenOf(parent, namespace, name);
  require(others.length === 0, `a message with several ${name}`);
  return child;
}

/** Everything below an element, and itself, in the order of the document. */
export function* everythingIn(element: Element): Generator<Element> {
  const rest = [element];
  for (let next = rest.pop(); next; next = rest.pop()) {
    yield next;
    for (const child of next.children.toReversed()) rest.push(child);
  }
}

/** Child elements in a document. */
export function elementsIn(element: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return [...nodesIn(element)].filter((node): node is XmlElement =>
    node instanceof XmlElement && node.name === name && node.namespaceUri === namespace
  );
}

function* nodesIn(element: XmlElement) {
  for (let node = element.firstChild; node; node = node.next) yield node;
}

function attributesOf(element: XmlElement): ReadonlyMap<string, string> {
  return new Map(element.attrs.map((attribute) => {
    const { name, namespaceUri, content } = attribute;
    return [namespaceUri === "" ? name : `{${namespaceUri}}${name}`, content];
  }));
}
