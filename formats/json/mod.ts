/**
 * JSON: records as objects, exact numbers, references under the configured key.
 *
 * @module
 */

import type {
  BodyValue,
  FormatHost,
  FormatPlugin,
  PluginSettings,
  SettingValues,
} from "@/plugins/contract.ts";
import { ascii, isNumeric } from "@/plugins/kit/formats.ts";
import { readBody } from "./read.ts";
import { schemaWithoutReferences, withoutReferences } from "./references.ts";
import { describe, describeDocument } from "./schema.ts";
import { writerFor, writeText, writeTree } from "./text.ts";
import { createWriter, type JsonOptions } from "./writer.ts";

const SETTINGS = {
  indent: {
    type: "integer",
    least: 0,
    most: 10,
    default: 4,
    sentence: "Spaces per level of JSON; 0 writes it on one line.",
  },
  href: { type: "boolean", default: true, sentence: "Whether JSON includes references to records." },
  utc_suffix: {
    type: "boolean",
    default: false,
    sentence: "Whether JSON writes times of types with a time zone with `Z` at their end.",
  },
  single_as_array: {
    type: "boolean",
    default: false,
    sentence: "Whether JSON gives a single record as an array of one; listed columns of it stay an object.",
  },
} as const satisfies PluginSettings;

export default {
  contract: 2,
  kind: "format",
  name: "json",
  settings: SETTINGS,
  setup(section: SettingValues<typeof SETTINGS>, host: FormatHost) {
    const settings: JsonOptions = {
      indent: section.indent,
      href: section.href,
      singleAsArray: section.single_as_array,
      refidPrefix: host.refidPrefix,
    };
    return {
      contentTypes: ["application/json"],
      nested: true,
      utcSuffix: section.utc_suffix,
      escape: (codePoint) => ascii(String.fromCodePoint(codePoint)),
      writer: (shape, { href = settings.href }) => createWriter(shape, { ...settings, href }),
      document: ({ tree }, { href = settings.href }) =>
        JSON.stringify(href ? tree : withoutReferences(tree, host.refidPrefix), null, settings.indent),
      problem: ({ httpCode, description, urlTemplate, errors }) => {
        const problem = { http_code: httpCode, description, url_template: urlTemplate, errors };
        return JSON.stringify(problem, null, settings.indent);
      },
      read: readBody,
      shows: (cell, value, { type }) => {
        const text = writerFor(type)(cell);
        // A body may quote a number.
        return text === sourceOf(value) || (isNumeric(type) && text === value);
      },
      schema: (shape, { cardinality, href = settings.href }) =>
        writeTree(describe(shape, { ...settings, cardinality, href }), settings.indent),
      documentSchema: ({ schema }, { cardinality, href = settings.href }) => {
        const described = href ? schema : schemaWithoutReferences(schema, host.refidPrefix);
        return JSON.stringify(describeDocument(described, cardinality), null, settings.indent);
      },
    };
  },
} satisfies FormatPlugin;

/** The source text of a body's value; undefined for lists and objects, which are not cells of answers. */
function sourceOf(value: BodyValue): string | undefined {
  if (typeof value === "string") return writeText(value);
  if (value === null || typeof value === "boolean") return String(value);
  return value.kind === "number" ? value.text : undefined;
}
