/**
 * XSD: the schemas of XML answers, as a format with its own extension. It has no data.
 *
 * @module
 */

import type { Format, FormatHost, FormatPlugin, Section } from "@/plugins/contract.ts";
import { problemWriter } from "./problem.ts";

export default { contract: 1, kind: "format", name: "xsd", setup } satisfies FormatPlugin;

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
