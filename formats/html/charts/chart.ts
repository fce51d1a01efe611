/**
 * Draws charts as SVG, without style and script in it. Vega is loaded with the first chart: it
 * takes 0.2 s, a chart then some 20 ms.
 *
 * @module
 */

import type { ChartModel } from "@/plugins/contract.ts";
import { escapeHtml } from "../text.ts";
import { chartSpec } from "./chart_spec.ts";
import { plainText, TITLES, widthOf } from "./text.ts";

type Vega = typeof import("./bundled/vega.js");

/**
 * An `svg` element with the role of a picture, whose name is the sentence. Text
 * has the colour of its surroundings.
 */
export async function chartSvg(model: ChartModel): Promise<string> {
  const { compile, None, parse, textMetrics, View } = await import("./bundled/vega.js");
  textMetrics.width = widthOf;
  const { spec } = compile(chartSpec(model), { logger: QUIET });
  const view = new View(parse(spec), { renderer: "none", logLevel: None });
  try {
    return asPicture(await view.toSVG(), model);
  } finally {
    view.finalize();
  }
}

/**
 * Takes the roles of the parts away, which would be read aloud one by one, and gives the whole a role and a
 * name. Numbers get one decimal, which makes a chart of points much smaller.
 */
function asPicture(svg: string, { sentence, x, y }: ChartModel): string {
  const [, width = "", height = "", viewBox = ""] =
    /^<svg [^>]*? width="([\d.]+)" height="([\d.]+)" viewBox="([\d. -]+)">/.exec(svg) ?? [];
  const titled = svg.slice(svg.indexOf(">") + 1)
    .replace(TITLES.x, () => escapeHtml(plainText(x.title)))
    .replace(TITLES.y, () => escapeHtml(plainText(y.title)));
  const content = withCircles(titled).replace(/<[^>]+>/g, (tag) => {
    return tag.replace(/ (?:role="graphics-[a-z]+"|aria-[a-z]+="[^"]*"|pointer-events="none")/g, "")
      .replace(/\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" width="${width}" height="${height}" ` +
    `viewBox="${viewBox}"><title>${escapeHtml(plainText(sentence, 1000))}</title>${content}`;
}

/** Vega draws each point as a path with all of its attributes: four times the text of a circle. */
function withCircles(svg: string): string {
  return svg.replace(POINTS, (_all, group: string, points: string, opacity: string) => {
    const circles = points.replace(POINT, '<circle cx="$1" cy="$2" r="$3"/>');
    return `${group} fill="currentColor" fill-opacity="${opacity}">${circles}</g>`;
  });
}

const POINTS =
  /(<g class="mark-symbol [^>]*)>((?:<path transform="translate[^>]* opacity="([\d.]+)"\/>)+)<\/g>/g;
const POINT = /<path transform="translate\(([^,]+),([^)]+)\)" d="M([\d.]+),0A[^>]*>/g;

/** A chart is drawn without the parts that it cannot show; errors are thrown. */
const QUIET: Parameters<Vega["compile"]>[1]["logger"] = {
  level: () => QUIET,
  error: () => QUIET,
  warn: () => QUIET,
  info: () => QUIET,
  debug: () => QUIET,
};
