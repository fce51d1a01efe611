/**
 * Draws the diagram of a database as SVG with links. Dagre is loaded with the first diagram.
 *
 * @module
 */

import type { DiagramModel, DiagramTable } from "@/plugins/contract.ts";
import { escapeHtml } from "../text.ts";
import type { Point } from "./bundled/dagre.js";
import { plainText } from "./text.ts";

/** A model is drawn once; the core keeps one per schema and caller view. */
const drawn = new WeakMap<DiagramModel, Promise<string>>();

/** Longest name of a table, in characters. */
const LONGEST = 28;
const HEIGHT = 44;
/** Width of a character, and of the space beside a name. */
const CHARACTER = 8;
const SPACE = 24;

/** An `svg` element whose tables are links. Lines and text have the colour of their surroundings. */
export function diagramSvg(model: DiagramModel): Promise<string> {
  const known = drawn.get(model);
  if (known) return known;
  const drawing = draw(model);
  drawn.set(model, drawing);
  drawing.catch(() => drawn.delete(model));
  return drawing;
}

async function draw({ tables, relations, sentence }: DiagramModel): Promise<string> {
  const { Graph, layout } = await import("./bundled/dagre.js");
  const graph = new Graph({ multigraph: true })
    .setGraph({ rankdir: "LR", nodesep: 18, ranksep: 60, edgesep: 12, marginx: 14, marginy: 10 });
  for (const [index, { name, note }] of tables.entries()) {
    graph.setNode(String(index), { width: widthOf(name, note), height: HEIGHT });
  }
  for (const [index, { from, to }] of relations.entries()) {
    if (from !== to) graph.setEdge(String(from), String(to), {}, String(index));
  }
  layout(graph);
  const { width, height } = graph.graph();
  const lines = relations.map(({ from, to, label }, index) => {
    const [v, w, name] = [from, to, index].map(String) as [string, string, string];
    const points = from === to ? loopOf(graph.node(v), tables[from]) : graph.edge({ v, w, name }).points;
    return drawLine(points, `${tables[from]?.name ?? ""}: ${label}`);
  });
  const boxes = tables.map((table, index) => drawTable(table, graph.node(String(index))));
  const size = `width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${
    round(height)
  }"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="diagram" role="group" ${size} ` +
    `aria-label="${escapeHtml(sentence)}" font-family="system-ui, sans-serif" fill="currentColor">` +
    `<g class="relations">${lines.join("")}</g><g class="tables">${boxes.join("")}</g></svg>`;
}

/** A reference to the own table leaves at the top and comes back at the right. */
function loopOf({ x, y }: Point, table: DiagramTable | undefined): readonly Point[] {
  const right = x + widthOf(table?.name ?? "", table?.note ?? "") / 2;
  const top = y - HEIGHT / 2;
  return [
    { x: right - 16, y: top },
    { x: right - 16, y: top - 7 },
    { x: right + 10, y: top - 7 },
    { x: right + 10, y },
    { x: right, y },
  ];
}

function widthOf(name: string, note: string): number {
  const longest = Math.max(plainText(name, LONGEST).length, note.length);
  return longest * CHARACTER + SPACE;
}

function drawTable({ name, href, note }: DiagramTable, { x, y }: Point): string {
  const width = widthOf(name, note);
  const left = round(x - width / 2);
  const top = round(y - HEIGHT / 2);
  const middle = `x="${round(x)}" text-anchor="middle"`;
  return `<a href="${escapeHtml(href)}"><title>${escapeHtml(plainText(name, 200))}</title>` +
    `<rect x="${left}" y="${top}" width="${width}" height="${HEIGHT}" rx="6" fill="currentColor" ` +
    'fill-opacity="0.06" stroke="currentColor" stroke-opacity="0.5"/>' +
    `<text ${middle} y="${round(y - 3)}" font-size="14">${escapeHtml(plainText(name, LONGEST))}</text>` +
    `<text ${middle} y="${round(y + 14)}" font-size="11">${escapeHtml(plainText(note))}</text></a>`;
}

/**
 * A line through these points, with a triangle at its end: markers would need
 * names that are unique on the page.
 */
function drawLine(points: readonly Point[], label: string): string {
  const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${round(x)},${round(y)}`).join("");
  const [before, end] = points.slice(-2);
  const head = before && end ? drawHead(before, end) : "";
  return `<g stroke="currentColor" stroke-opacity="0.5"><title>${escapeHtml(plainText(label, 200))}</title>` +
    `<path d="${path}" fill="none"/>${head}</g>`;
}

function drawHead(before: Point, end: Point): string {
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [x, y] = [(end.x - before.x) / length, (end.y - before.y) / length];
  const corner = (side: number) =>
    `${round(end.x - 8 * x + 4 * side * y)},${round(end.y - 8 * y - 4 * side * x)}`;
  return `<path d="M${round(end.x)},${round(end.y)}L${corner(1)}L${corner(-1)}Z" fill-opacity="0.5"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
