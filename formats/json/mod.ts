/**
 * JSON: records as objects, exact numbers, references under the configured key.
 *
 * @module
 */

import type { BodyValue, FormatPlugin } from "@/plugins/contract.ts";
import { ascii } from "@/plugins/kit/formats.ts";
import { readBody } from "./read.ts";
import { schemaWithoutReferences, withoutReferences } from "./references.ts";
import { describe, describeDocument } from "./schema.ts";
import { writerFor, writeText, writeTree } from "./text.ts";
import { createWriter, type JsonOptions } from "./writer.ts";

export default {
  contract: 2,
  kind: "format",
  name: "json",
  setup(section, host) {
    // The defaults equal those of `json_sdb.` in config/settings.ts.
    const settings: JsonOptions = {
      indent: typeof section["indent"] === "number" ? section["indent"] : 4,
      href: section["href"] !== false,
      singleAsArray: section["single_as_array"] === true,
      refidPrefix: host.refidPrefix,
    };
    return {
      contentTypes: ["application/json"],
      nested: true,
      escape: (codePoint) => ascii(String.fromCodePoint(codePoint)),
      writer: (shape, { href = settings.href }) => createWriter(shape, { ...settings, href }),
      document: ({ tree }, { href = settings.href }) =>
        JSON.stringify(href ? tree : withoutReferences(tree, host.refidPrefix), null, settings.indent),
      problem: ({ httpCode, description, urlTemplate, errors }) => {
        const problem = { http_code: httpCode, description, url_template: urlTemplate, errors };
        return JSON.stringify(problem, null, settings.indent);
      },
      read: readBody,
      shows: (cell, value, { type }) => writerFor(type)(cell) === sourceOf(value),
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
