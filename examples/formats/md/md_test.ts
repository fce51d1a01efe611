import assert from "node:assert/strict";
import { testFormat } from "@/tests/conformance/format.ts";
import { startService } from "@/tests/support/service.ts";
import md from "./mod.ts";

/** The cells of a line; a bar behind a backslash is no end of a cell. */
function cellsOf(line: string): readonly string[] {
  return line.slice(2, -2).split(/(?<!\\)(?:\\\\)* \| /);
}

/** The tables of an answer, each as the cells of its lines. */
function tablesIn(text: string): readonly (readonly (readonly string[])[])[] {
  return text.split("\n\n").map((block) =>
    block.split("\n").filter((line) => line.startsWith("| ")).map(cellsOf)
  )
    .filter((lines) => lines.length > 0);
}

function read(cell: string): string | null {
  if (cell === "\\<null\\>") return null;
  return cell.replaceAll("<br>", "\n").replaceAll("&#9;", "\t").replace(/\\([^\w\s])/g, "$1");
}

testFormat("md", () => md, {
  wellFormed(text: string) {
    for (const lines of tablesIn(text)) {
      assert.deepEqual(
        new Set(lines.map(({ length }) => length)).size,
        1,
        "lines of a table have as many cells",
      );
    }
  },
  parse(text: string, { form, columns }) {
    const [lines = []] = tablesIn(text);
    if (form === "columns") {
      return lines.map(([name = "", ...values]) => ({
        cells: new Map([[read(name) ?? "", values.map(read)]]),
      }));
    }
    return lines.slice(2).map((line) => {
      const hasReference = line.length > columns.length;
      const [, href = null] = hasReference ? /^\[open\]\((.*)\)$/.exec(line[0] ?? "") ?? [] : [];
      const cells = line.slice(hasReference ? 1 : 0).map((cell, at) =>
        [columns[at]?.name ?? "", read(cell)] as const
      );
      return { href, cells: new Map(cells) };
    });
  },
  references: true,
});

/** The addresses of a page that lead to other pages of the service, not to documents for programs. */
function linksIn(text: string): readonly string[] {
  return [...text.replace(/^Formats: .*/m, "").matchAll(/\]\((\/[^)#]*)/g)].map(([, href = ""]) => href)
    .filter((href) => !href.includes(".json"));
}

/** Pages with parts that they must have, by address. */
const PARTS: readonly (readonly [href: string, parts: readonly string[]])[] = [
  ["/db/Demo/Port.md?limit=2", [
    "[Add](/db/Demo/Port.md?ui.new)",
    "| [open](/db/Demo/Port/PortId/2.md) | 2 | NO BOO | Bodø |",
    "Rows 1 to 2 of 26 · [Next](/db/Demo/Port.md?limit=2&offset=2)",
    "Formats: [json](/db/Demo/Port.json?limit=2)",
  ]],
  ["/db/Demo/Port.md?limit=2&ui.facet=CountryCode", [
    "CountryCode: [Norway (NO)](/db/Demo/Port/CountryCode/NO.md?limit=2) 6 · ",
    " · [hide](/db/Demo/Port.md?limit=2)",
  ]],
  ["/db/Demo/Port.md?limit=2&schema=true", ["| PortId | INTEGER | yes |"]],
  ["/db/Demo/Port/PortId/1.md", ["| Name | Bergen |", "[Country](/db/Demo/Port/PortId/1/Country.md)"]],
  ["/db/Demo/Port.md?limit=2&ui.chart", ["| Bergen | 1 |", "GET to ` /db/Demo/Port.md `", "now ` bar `"]],
  ["/db/Demo.md", ["(9 columns; Country by CountryCode)"]],
  ["/userdef/admin.md?ui.edit", ["POST to ` /ui/userdef/admin `", "some of ` read `, ` create `"]],
  ["/db/Demo/Port/PortId/1.md?ui.edit", ["; ` n.Notes ` is NULL", "one of ` true `, ` false `"]],
  ["/login", ["- ` login ` Login (required)", "- ` csrf_token ` = "]],
  ["/db/Demo/Prot.md", ["# Error 404", "Did you mean [Port](/db/Demo/Port.md)?"]],
];

Deno.test("the pages of the service lead to each other in Markdown", async () => {
  const apikey = "0123456789abcdef0123456789abcdef";
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${
        new URL("../../", import.meta.url).pathname
      }\nformats = json,md\n`,
      "config/users.cfg": `public: {}\nadmin: {apikey: ${apikey}, databases: {Demo: {}}}\n`,
    },
  });
  const headers = { apikey, accept: "text/markdown" };
  const pages = new Map<string, string>();
  const waiting = new Set(["/", ...PARTS.map(([href]) => href)]);
  for (const href of waiting) {
    const answer = await service.fetch(href, { headers });
    const text = await answer.text();
    const to = answer.headers.get("location");
    if (to !== null) waiting.add(to);
    else {
      assert.equal(answer.status, href === "/db/Demo/Prot.md" ? 404 : 200, `${href}: ${text}`);
      assert.match(answer.headers.get("content-type") ?? "", /^text\/markdown/, href);
      pages.set(href, text);
    }
    // The first pages lead to every kind of page.
    if (waiting.size < 100) { for (const next of linksIn(text)) waiting.add(next); }
  }
  assert.ok(pages.size > 60, `${pages.size} pages`);
  for (const [href, parts] of PARTS) {
    for (const part of parts) {
      assert.ok(pages.get(href)?.includes(part), `${href} lacks ${part}: ${pages.get(href)}`);
    }
  }
});
