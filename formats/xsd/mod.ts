/**
 * XSD: the schemas of XML answers, as a format with its own extension. It has no data.
 *
 * @module
 */

import type { Format, FormatHost, FormatPlugin, Problem, Section, WriteOptions } from "@/plugins/contract.ts";

export default { contract: 2, kind: "format", name: "xsd", setup } satisfies FormatPlugin;

function setup(_section: Section, host: FormatHost): Format {
  return {
    contentTypes: ["text/xsd"],
    schemasOf: "xml",
    escape: (codePoint) => `&#${codePoint};`,
    writer: refuse,
    document: refuse,
    problem: problemWriter(host.product),
  };
}

/** Never called, because a format with `schemasOf` is not used for data. */
function refuse(): never {
  throw new TypeError("XSD describes data, it holds none");
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A writer of errors in the format of XML answers, whose root element has the product's name. */
function problemWriter(product: string): (problem: Problem, options: WriteOptions) => string {
  const root = encodeName(product);
  return ({ httpCode, description, urlTemplate }, { charset }) =>
    `<?xml version="1.0" encoding="${escapeText(charset.toUpperCase())}"?>\n` +
    `<${root} xmlns="urn:rowhouse"><http_code>${httpCode}</http_code>` +
    `<description>${escapeText(description)}</description>` +
    (urlTemplate === undefined ? "" : `<url_template>${escapeText(urlTemplate)}</url_template>`) +
    `</${root}>\n`;
}

/** Converts any text to an ASCII element name, with `_xHHHH_` for invalid characters. */
function encodeName(name: string): string {
  return name.replace(/^(?:[^A-Za-z_]|xml)|[^-.\w]|^$/gi, (text) => {
    const code = text.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return text === "" ? "_" : `_x${code}_${text.slice(1)}`;
  });
}

/** Drops characters that XML cannot represent. */
function escapeText(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what has to be found
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\p{Cs}\ufffe\uffff]/gu, "")
    .replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");
}
