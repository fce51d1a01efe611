/**
 * JSON: records as objects, exact numbers, references under the configured key.
 *
 * @module
 */

import type { BodyValue, FormatPlugin } from "@/plugins/contract.ts";
import { readBody } from "./read.ts";
import { schemaWithoutReferences, withoutReferences } from "./references.ts";
import { describe, describeDocument } from "./schema.ts";
import { readSettings } from "./settings.ts";
import { writeTree } from "./tree.ts";
import { writerFor, writeText } from "./value.ts";
import { createWriter } from "./writer.ts";

export default {
  contract: 1,
  kind: "format",
  name: "json",
  setup(section, host) {
    const settings = readSettings(section);
    return {
      contentTypes: ["application/json"],
      nested: true,
      escape: (codePoint) => escapeUnits(String.fromCodePoint(codePoint)),
      writer: (shape, options) =>
        createWriter(shape, { ...settings, ...host, href: options.href ?? settings.href }),
      document: ({ tree }, { href = settings.href }) =>
        JSON.stringify(href ? tree : withoutReferences(tree, host.refidPrefix), null, settings.indent),
      problem: ({ httpCode, description, urlTemplate, errors }) => {
        const problem = { http_code: httpCode, description, url_template: urlTemplate, errors };
        return JSON.stringify(problem, null, settings.indent);
      },
      read: readBody,
      shows: (cell, value, { type }) => writerFor(type)(cell) === sourceOf(value),
      schema: (shape, { cardinality, href = settings.href }) =>
        writeTree(describe(shape, { ...settings, ...host, cardinality, href }), settings.indent),
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

/** Escapes a character that the output's charset lacks, by its UTF-16 units. */
function escapeUnits(character: string): string {
  return character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}
