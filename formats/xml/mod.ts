/**
 * XML: a root element in a namespace, an element per record, a child per column.
 *
 * @module
 */

import type { Format, FormatHost, FormatPlugin, PluginSettings, SettingValues } from "@/plugins/contract.ts";
import { TEXTUAL } from "@/plugins/kit/formats.ts";
import { writeDocument, writeProblem } from "./document.ts";
import { writeDocumentSchema } from "./document_schema.ts";
import { compileFrame, type XmlSettings } from "./frame.ts";
import { readBody } from "./read.ts";
import { writeSchema } from "./schema.ts";
import { collapse, encodeValue, escapeText } from "./text.ts";
import { compileWriter } from "./writer.ts";

const SETTINGS = {
  root_tag: {
    type: "text",
    pattern: "[\\p{L}_][\\p{L}\\p{N}._-]*",
    expected: "an XML name without colon",
    sentence: "Name of the XML root element. Unset: that of `branding.name`.",
  },
  xmlns: {
    type: "text",
    pattern: '[^\\s"<>]+',
    expected: "a URI",
    default: "urn:rowhouse",
    sentence: "Namespace of XML answers.",
  },
  href: { type: "boolean", default: true, sentence: "Whether XML includes references to records." },
  nil_visible: { type: "boolean", default: true, sentence: "Whether XML shows columns that are NULL." },
} as const satisfies PluginSettings;

type Section = SettingValues<typeof SETTINGS>;

export default { contract: 2, kind: "format", name: "xml", settings: SETTINGS, setup } satisfies FormatPlugin;

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
    shows: (cell, value, { type }) => {
      if (cell === null || value === null) return cell === value;
      const shown = typeof cell === "string" ? collapse(cell, type) : cell;
      return typeof value === "string" && encodeValue(shown) === escapeText(value);
    },
    // Texts may have characters that XML cannot represent.
    isAmbiguous: (value, { type }) => typeof value === "string" && TEXTUAL.has(type),
    schema: (shape, options) => writeSchema(shape, compileFrame(settings, options), options.cardinality),
    documentSchema: (shape, options) =>
      writeDocumentSchema(shape, compileFrame(settings, options), options.cardinality),
    schemaContentType: "text/xsd",
  };
}

function readSettings(section: Section, { product, refidPrefix }: FormatHost): XmlSettings {
  const { root_tag: rootTag = product, xmlns, nil_visible: nilVisible, href } = section;
  return { rootTag, xmlns, nilVisible, href, refidPrefix };
}
