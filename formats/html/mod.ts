/**
 * HTML: plain pages for people, without scripts and external resources.
 *
 * @module
 */

import type { Format, FormatHost, FormatPlugin, Section } from "@/plugins/contract.ts";
import { writeDocument } from "./document.ts";
import { writeForm } from "./form.ts";
import { writeProblem } from "./problem.ts";
import { compileWriter } from "./writer.ts";

export default { contract: 1, kind: "format", name: "html", setup } satisfies FormatPlugin;

function setup(_section: Section, host: FormatHost): Format {
  const { product, refidPrefix } = host;
  return {
    contentTypes: ["text/html"],
    nested: true,
    paged: true,
    escape: (codePoint) => `&#${codePoint};`,
    writer: (shape, options) => compileWriter(shape, options, product),
    document: (document, options, page) =>
      writeDocument(document, { options, page, settings: { product, refidPrefix } }),
    problem: (problem, options, page) => writeProblem(problem, { options, page, product }),
    form: (form, options, page) => writeForm(form, { options, page, product }),
  };
}
