/**
 * XSD: the schemas of XML answers, as a format with its own extension. It has no data.
 *
 * @module
 */

import type { Format, FormatPlugin, Problem, WriteOptions } from "@/plugins/contract.ts";

export default { contract: 2, kind: "format", name: "xsd", setup } satisfies FormatPlugin;

function setup(): Format {
  return {
    contentTypes: ["text/xsd"],
    schemasOf: "xml",
    escape: (codePoint) => `&#${codePoint};`,
    writer: refuse,
    document: refuse,
    problem: writeProblem,
  };
}

/** Never called, because a format with `schemasOf` is not used for data. */
function refuse(): never {
  throw new TypeError("XSD describes data, it holds none");
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For a service without XML; otherwise errors look like those of XML. */
function writeProblem({ httpCode, description, urlTemplate }: Problem, { charset }: WriteOptions): string {
  return `<?xml version="1.0" encoding="${escapeText(charset.toUpperCase())}"?>\n` +
    `<error xmlns="urn:rowhouse"><http_code>${httpCode}</http_code>` +
    `<description>${escapeText(description)}</description>` +
    (urlTemplate === undefined ? "" : `<url_template>${escapeText(urlTemplate)}</url_template>`) +
    "</error>\n";
}

/** Drops characters that XML cannot represent. */
function escapeText(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what has to be found
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\p{Cs}\ufffe\uffff]/gu, "")
    .replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");
}
