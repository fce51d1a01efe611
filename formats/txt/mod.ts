/**
 * Column-aligned plain text, to read in a terminal.
 *
 * @module
 */

import type { Format, FormatHost, FormatPlugin, Problem, Section, WriteOptions } from "@/plugins/contract.ts";
import { compileWriter, writeTable } from "./writer.ts";

export default { contract: 1, kind: "format", name: "txt", setup } satisfies FormatPlugin;

function setup(section: Section, _host: FormatHost): Format {
  const nilVisible = section.nil_visible === true;
  const nullText = (options: WriteOptions) => (options.nilVisible ?? nilVisible) ? options.nullMarker : "";
  return {
    contentTypes: ["text/plain"],
    accepts: [],
    writer: (shape, options) => compileWriter(shape, options.stream, nullText(options)),
    document: (document, options) => writeTable(document, nullText(options)),
    problem: writeProblem,
  };
}

function writeProblem(problem: Problem): string {
  const { httpCode, description, urlTemplate } = problem;
  if (urlTemplate === undefined) {
    return writeTable({ columns: ["http_code", "description"], rows: [[httpCode, description]] }, "");
  }
  const columns = ["http_code", "description", "url_template"];
  return writeTable({ columns, rows: [[httpCode, description, urlTemplate]] }, "");
}
