/**
 * How a program asks for what is on the page.
 *
 * @module
 */

import type { Page } from "@/plugins/contract.ts";
import { escapeHtml } from "./text.ts";

/** The address of the data, and the request in three languages, each to be copied. */
export function showPrograms(page: Page): string {
  if (!page.formats.includes("json")) return "";
  const url = `${page.origin}${page.link("json", {})}`;
  const texts: readonly (readonly [string, string])[] = [
    ["Address", url],
    ["curl", `curl -u LOGIN '${url.replaceAll("'", "%27")}'`],
    ["JavaScript", `const answer = await fetch(${JSON.stringify(url)});\nconst data = await answer.json();`],
    ["Python", `import requests\n\ndata = requests.get(${JSON.stringify(url)}).json()`],
  ];
  const items = texts.map(([label, text]) =>
    `<h3>${label}</h3><div class="copy" data-label="${label}"><pre tabindex="0" role="group" aria-label="${label}">${
      escapeHtml(text)
    }</pre></div>\n`
  );
  return `<details class="fold"><summary>For programs</summary>\n${items.join("")}</details>\n`;
}
