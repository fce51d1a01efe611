/**
 * XML: a root element in a namespace, an element per record, a child per column.
 *
 * @module
 */

import type { Format, FormatHost, FormatPlugin, Section } from "@/plugins/contract.ts";
import { TEXTUAL } from "@/plugins/kit/formats.ts";
import { writeDocument, writeProblem } from "./document.ts";
import { writeDocumentSchema } from "./document_schema.ts";
import { compileFrame, type XmlSettings } from "./frame.ts";
import { readBody } from "./read.ts";
import { writeSchema } from "./schema.ts";
import { encodeValue, escapeText } from "./text.ts";
import { compileWriter } from "./writer.ts";

export default { contract: 2, kind: "format", name: "xml", setup } satisfies FormatPlugin;

function setup(section: Section, host: FormatHost): Format {
  const settings = readSettings(section, host);
  return {
    contentTypes: ["text/xml", "application/xml"],
    nested: true,
    escape: (codePoint) => `&#${codePoint};`,
    writer: (shape, options) => compileWriter(shape, compileFrame(settings, options)),
    document: (document, options) => writeDocument(document, compileFrame(settings, options)),
    problem: (problem, options) => writeProblem(problem, compileFrame(settings, options)),
    read: (text: string, input) => readBody(text, input, settings),
    shows: (cell, value) =>
      cell === null || value === null
        ? cell === value
        : typeof value === "string" && encodeValue(cell) === escapeText(value),
    // Texts may have characters that XML cannot represent.
    isAmbiguous: (value, { type }) => typeof value === "string" && TEXTUAL.has(type),
    schema: (shape, options) => writeSchema(shape, compileFrame(settings, options), options.cardinality),
    documentSchema: (shape, options) =>
      writeDocumentSchema(shape, compileFrame(settings, options), options.cardinality),
    schemaContentType: "text/xsd",
  };
}

function readSettings(section: Section, host: FormatHost): XmlSettings {
  const { root_tag: rootTag, xmlns, nil_visible: nilVisible, href } = section;
  return {
    rootTag: typeof rootTag === "string" ? rootTag : host.product,
    xmlns: typeof xmlns === "string" ? xmlns : "urn:rowhouse",
    nilVisible: typeof nilVisible === "boolean" ? nilVisible : true,
    href: typeof href === "boolean" ? href : true,
    refidPrefix: host.refidPrefix,
  };
}
