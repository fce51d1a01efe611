/**
 * Pages of one value: a whole text, or bytes to download.
 *
 * @module
 */

import type { Body, Cell, Shape } from "@/plugins/contract.ts";
import { showExports } from "./exports.ts";
import { icon } from "./icons.ts";
import { openPage, type PageFrame } from "./page.ts";
import { escapeHtml, escapeLabel, showCount } from "./text.ts";
import { showValue } from "./value.ts";

/** The body of the page. */
export function valueBody(shape: Shape, frame: PageFrame): Body {
  const { page } = frame;
  const [column] = shape.columns;
  return {
    begin: () => openPage({ title: column?.name ?? shape.name, tools: showExports(page, shape.name) }, frame),
    row: ([value]) => `<p class="whole">${showWhole(value, shape, frame)}</p>\n`,
    end: () => "",
  };
}

function showWhole(value: Cell | undefined, { columns: [column] }: Shape, { page }: PageFrame): string {
  if (!(value instanceof Uint8Array)) return showValue(value, { type: column?.type ?? "any" });
  const address = escapeHtml(`${page.prefix}/ui/raw${page.path}`);
  const size = value.length === 1 ? "1 byte" : `${showCount(value.length)} bytes`;
  const name = column?.name ?? "value";
  const download = `<a class="button" href="${address}" download="${escapeLabel(name)}">${
    icon("export")
  }Download ${size}</a>`;
  return download + showPicture(value, name, address);
}

/** The preview of a picture; empty for other bytes. `address`: that of the bytes, escaped. */
export function showPicture(bytes: Uint8Array, name: string, address: string): string {
  if (!isPicture(bytes)) return "";
  return `<img class="preview" src="${address}" alt="${escapeLabel(`Picture in ${name}`)}" loading="lazy"/>`;
}

/**
 * The first bytes of PNG, JPEG, GIF and WebP. SVG is a document that may have scripts, and no picture here.
 */
function isPicture(bytes: Uint8Array): boolean {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  return start.startsWith("\x89PNG\r\n\x1a\n") || start.startsWith("\xff\xd8\xff") ||
    /^GIF8[79]a/.test(start) ||
    /^RIFF....WEBP/s.test(start);
}
