/**
 * How a program asks for what is on the page.
 *
 * @module
 */

import type { Page, PageCode } from "@/plugins/contract.ts";
import { escapeHtml } from "./text.ts";

/** The address of the data, and the request in three languages, each to be copied. */
export function showPrograms(page: Page): string {
  if (!page.formats.includes("json")) return "";
  const url = `${page.origin}${page.link("json", {})}`;
  const items = requestsOf(url, page.account?.login).map(([label, text]) => showCode({ label, text }));
  return `<details class="fold"><summary>For programs</summary>\n${items.join("")}</details>\n`;
}

/** A text in a box, to be copied. */
export function showCode({ label, text }: Omit<PageCode, "kind">): string {
  const name = escapeHtml(label);
  return `<p class="code-label">${name}</p><div class="copy" data-label="${name}">` +
    `<pre tabindex="0" role="group" aria-label="${name}">${escapeHtml(text)}</pre></div>\n`;
}

/** Without `login` no credentials are needed; else a program needs the password or an API key. */
function requestsOf(
  url: string,
  login: string | undefined,
): readonly (readonly [label: string, text: string])[] {
  const quoted = JSON.stringify(url);
  const user = JSON.stringify(login ?? "");
  const [curl, script, python] = login === undefined ? ["", "", ""] : [
    `-u '${login.replaceAll("'", "'\\''")}' `,
    `, {\n  headers: { Authorization: "Basic " + btoa(${user} + ":" + password) },\n}`,
    `, auth=(${user}, password)`,
  ];
  return [
    ["Address", url],
    ["curl", `curl ${curl}'${url.replaceAll("'", "%27")}'`],
    ["JavaScript", `const answer = await fetch(${quoted}${script});\nconst data = await answer.json();`],
    ["Python", `import requests\n\ndata = requests.get(${quoted}${python}).json()`],
  ];
}
