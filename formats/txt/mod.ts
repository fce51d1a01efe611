/**
 * Column-aligned plain text, to read in a terminal.
 *
 * @module
 */

import type { Format, FormatPlugin, Section, WriteOptions } from "@/plugins/contract.ts";
import { problemTable } from "@/plugins/kit/formats.ts";
import { compileWriter, writeTable } from "./writer.ts";

export default { contract: 1, kind: "format", name: "txt", setup } satisfies FormatPlugin;

function setup(section: Section): Format {
  const nilVisible = section.nil_visible === true;
  const nullText = (options: WriteOptions) => (options.nilVisible ?? nilVisible) ? options.nullMarker : "";
  return {
    contentTypes: ["text/plain"],
    accepts: [],
    writer: (shape, options) => compileWriter(shape, options.stream, nullText(options)),
    document: (document, options) => writeTable(document, nullText(options)),
    problem: (problem) => writeTable(problemTable(problem), ""),
  };
}
