/**
 * HTML: pages for people. They work without their script, and load nothing but the files of this format.
 *
 * @module
 */

import type { Format, FormatHost, FormatPlugin, Page, Section, WriteOptions } from "@/plugins/contract.ts";
import { readAssets } from "./assets.ts";
import { writeDocument } from "./document.ts";
import type { Site } from "./page.ts";
import { writeForm, writeProblem } from "./plain.ts";
import { readTemplate } from "./template.ts";
import { writeView } from "./view.ts";
import { compileWriter } from "./writer.ts";

export default { contract: 2, kind: "format", name: "html", setup } satisfies FormatPlugin;

function setup(_section: Section, { product, refidPrefix, references, templates }: FormatHost): Format {
  const site: Site = { product, template: readTemplate(templates) };
  const frame = ({ charset }: WriteOptions, page: Page) => ({ ...site, charset, page });
  return {
    contentTypes: ["text/html"],
    nested: true,
    paged: true,
    assets: readAssets(),
    escape: (codePoint) => `&#${codePoint};`,
    writer: (shape, options) => compileWriter(shape, options, site),
    document: (document, options, page) =>
      writeDocument({ ...document, tree: references(document.tree) }, frame(options, page), refidPrefix),
    problem: (problem, options, page) => writeProblem(problem, frame(options, page)),
    view: (view, options, page) => writeView(view, frame(options, page)),
    form: (form, options, page) => writeForm(form, frame(options, page)),
  };
}
