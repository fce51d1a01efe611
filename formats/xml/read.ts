/**
 * Reads a request's body: a root element with one element per record, which has one element per column.
 *
 * @module
 */

import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
import type { BodyRecord, BodyValue, Reading, ReadInput } from "@/plugins/contract.ts";
import { ascii, MAX_DEPTH, MAX_NAMES, MAX_RECORDS, quote, Refusal } from "@/plugins/kit/formats.ts";
import { SCHEMA_INSTANCE, type XmlSettings } from "./frame.ts";
import { decodeName, nameEncoder } from "./names.ts";
import { collapse } from "./text.ts";

/** Number of characters that are parsed in one step. */
const STEP = 2 ** 15;
/** The level of a column's element: root, record, column. */
const COLUMN_DEPTH = 3;

/** The root element of bodies, the same as that of answers. */
type Root = Pick<XmlSettings, "rootTag" | "xmlns">;

/** Bodies need not declare the prefix `xsi`. */
const OPTIONS = {
  xmlns: true,
  position: false,
  defaultXMLVersion: "1.0",
  forceXMLVersion: true,
  additionalNamespaces: { xsi: SCHEMA_INSTANCE },
} as const;

type Parser = SaxesParser<typeof OPTIONS>;

/** The records of a body, or the place and kind of its mistake. */
export function* readBody(text: string, input: ReadInput, root: Root): Reading {
  // The parser would join a lone surrogate with the next character, for example the start of a tag.
  if (!text.isWellFormed()) return { complaint: "a character is half of a surrogate pair" };
  const parser = new SaxesParser(OPTIONS);
  const reader = new ElementReader(text, { input, root, parser });
  try {
    for (let at = 0; at < text.length; at += STEP) {
      parser.write(text.slice(at, at + STEP));
      yield* reader.take();
      yield;
    }
    parser.close();
    yield* reader.take();
    return { isList: reader.count !== 1 };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const place = `line ${parser.line}, column ${parser.columnIndex + 1}`;
    return { complaint: `${place}: ${error.message}${hintOf(text, parser)}` };
  }
}

/** The parser's messages may repeat names, so they are shortened and converted to ASCII. */
function shorten(message: string): string {
  return ascii(message.length > 200 ? `${message.slice(0, 197)}...` : message);
}

/** The parser reports an ampersand without reference only at the end, where it still expects a semicolon. */
function hintOf(text: string, { position }: Parser): string {
  const isOpen = position >= text.length && text.includes("&", text.lastIndexOf(";") + 1);
  return isOpen ? " (an ampersand is written as &amp;)" : "";
}

function refuse(message: string): never {
  throw new Refusal(message);
}

/** Collects records while its parser walks through the document. */
class ElementReader {
  /** Number of records so far. */
  count = 0;
  /** Records that have not been taken yet. */
  #records: BodyRecord[] = [];
  readonly #source: string;
  readonly #input: ReadInput;
  readonly #root: Root;
  readonly #parser: Parser;
  #depth = 0;
  /** Number of attributes of the tag that is being read. */
  #attributes = 0;
  #record = new Map<string, BodyValue>();
  /** The open column: its name, its text, and the start of its content. */
  #column = "";
  #text = "";
  #start = 0;
  #isNil = false;
  #isNested = false;

  constructor(
    source: string,
    { input, root, parser }: { readonly input: ReadInput; readonly root: Root; readonly parser: Parser },
  ) {
    this.#source = source;
    this.#input = input;
    this.#root = root;
    this.#parser = parser;
    parser.on("error", ({ message }) => refuse(shorten(message.replace(/\.$/, ""))));
    // Without document types, only the five predefined entities exist.
    parser.on("doctype", () => refuse("a document type (DOCTYPE) is not allowed"));
    parser.on("opentagstart", () => this.#enter());
    parser.on("attribute", () => this.#attribute());
    parser.on("opentag", (tag) => this.#open(tag));
    parser.on("text", (text) => this.#addText(text));
    parser.on("cdata", (text) => this.#addText(text));
    parser.on("closetag", () => this.#close());
  }

  /** Removes and returns the finished records. */
  take(): readonly BodyRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** Called as soon as an element's name is known, so that deeper content is not read. */
  #enter(): void {
    if (this.#depth++ === MAX_DEPTH) refuse(`elements are nested more than ${MAX_DEPTH} deep`);
    this.#attributes = 0;
  }

  /**
   * Called for each attribute, because the parser compares all attributes of
   * a tag with each other at its end.
   */
  #attribute(): void {
    if (this.#attributes++ === MAX_NAMES) refuse(`an element has more than ${MAX_NAMES} attributes`);
  }

  #open(tag: SaxesTagNS): void {
    if (this.#depth === 1) this.#openRoot(tag.local);
    else if (this.#depth === COLUMN_DEPTH - 1) this.#openRecord(tag.local);
    else if (this.#depth === COLUMN_DEPTH) this.#openColumn(tag);
    else if (this.#depth > COLUMN_DEPTH) this.#isNested = true;
    if (this.#depth <= COLUMN_DEPTH && tag.uri !== this.#root.xmlns) this.#refuseNamespace(tag);
    if (this.#depth > 1 && this.#depth <= COLUMN_DEPTH) refuseAttributes(tag);
  }

  #addText(text: string): void {
    if (this.#depth === COLUMN_DEPTH) this.#text += text;
    else if (this.#depth < COLUMN_DEPTH && /[^ \t\r\n]/.test(text)) {
      refuse("there is text outside of a column");
    }
  }

  #close(): void {
    if (this.#depth === COLUMN_DEPTH) this.#record.set(this.#column, this.#value());
    if (this.#depth === COLUMN_DEPTH - 1) this.#records.push(this.#record);
    this.#depth--;
  }

  #refuseNamespace({ local, uri }: SaxesTagNS): never {
    const found = uri === "" ? "without a namespace" : `in namespace ${quote(uri)}`;
    refuse(`expected the element ${quote(local)} in namespace ${quote(this.#root.xmlns)}, found it ${found}`);
  }

  #openRoot(name: string): void {
    if (decodeName(name) !== this.#root.rootTag) refuseName(name, this.#root.rootTag);
  }

  #openRecord(name: string): void {
    if (decodeName(name) !== this.#input.name) refuseName(name, this.#input.name);
    if (this.count++ === MAX_RECORDS) refuse(`there are more than ${MAX_RECORDS} records`);
    this.#record = new Map();
  }

  #openColumn({ local, attributes }: SaxesTagNS): void {
    const name = decodeName(local);
    if (this.#record.has(name)) refuse(`the name ${quote(name)} is there twice`);
    if (this.#record.size === MAX_NAMES) refuse(`a record has more than ${MAX_NAMES} columns`);
    this.#column = name;
    this.#text = "";
    this.#start = this.#parser.position;
    this.#isNil = Object.values(attributes).some(isNil);
    this.#isNested = false;
  }

  #value(): BodyValue {
    if (this.#isNil) {
      if (this.#isNested || this.#text !== "") {
        refuse(`the element ${quote(this.#column)} is nil and not empty`);
      }
      return null;
    }
    if (this.#isNested) return { kind: "nested", text: this.#content() };
    return collapse(this.#text, this.#input.columns.get(this.#column));
  }

  /** The source between the tags of the open column. */
  #content(): string {
    const content = this.#source.slice(this.#start, this.#parser.position);
    return content.slice(0, content.lastIndexOf("</"));
  }
}

function refuseName(found: string, expected: string): never {
  refuse(`expected an element ${quote(nameEncoder("utf-8")(expected))}, not ${quote(found)}`);
}

/** Values are content. Answers have `href`; attributes with a prefix mean something to others. */
function refuseAttributes({ local, attributes }: SaxesTagNS): void {
  for (const { uri, name } of Object.values(attributes)) {
    if (uri !== "" || name === "href") continue;
    refuse(`the attribute ${quote(name)} of ${quote(local)} is not read: write it as an element`);
  }
}

function isNil({ uri, local, value }: SaxesAttributeNS): boolean {
  return uri === SCHEMA_INSTANCE && local === "nil" && /^\s*(true|1)\s*$/.test(value);
}
