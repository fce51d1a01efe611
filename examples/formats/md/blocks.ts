/**
 * The blocks of pages in Markdown.
 *
 * @module
 */

import type {
  ChartModel,
  DiagramModel,
  Page,
  PageBlock,
  PageField,
  PageForm,
  PageLinks,
  PageMatrix,
  PageTable,
} from "@/plugins/contract.ts";
import { linked } from "./frame.ts";
import { code, head, line, link, list, own, plain, shown } from "./text.ts";

/** Blocks below each other; `depth` is the level of their headings. */
export function blocksOf(blocks: readonly PageBlock[], page: Page, depth = 2): string {
  return blocks.map((block) => blockOf(block, page, depth)).filter((text) => text !== "").join("\n");
}

function blockOf(block: PageBlock, page: Page, depth: number): string {
  switch (block.kind) {
    case "text":
      return `${plain(block.text)}\n`;
    case "notice":
      return `> ${plain(block.text)}\n\n${linked(block.actions ?? [])}`;
    case "section":
      return `${"#".repeat(depth)} ${plain(block.title)}\n\n${
        blocksOf(block.blocks, page, Math.min(6, depth + 1))
      }`;
    case "links":
      return linksOf(block);
    case "facts":
      return list(
        block.items.map(({ label, value, note }) =>
          `${plain(label)}: ${shown(value)}${note === undefined ? "" : ` (${plain(note)})`}`
        ),
      );
    case "table":
      return tableOf(block);
    case "form":
      return formOf(block, page);
    case "code":
      return `${plain(block.label)}\n\n${block.text.replace(/^/gm, "    ")}\n`;
    case "chart":
      return chartOf(block.chart);
    case "diagram":
      return diagramOf(block.diagram);
    case "explorer":
      return `${link("The document of all operations", block.document)}\n\n${
        blocksOf(block.otherwise, page, depth)
      }`;
  }
}

function linksOf({ items, style, empty = "" }: PageLinks): string {
  if (items.length === 0) return `${plain(empty)}\n`;
  return list(items.map(({ label, href, isDone, status, note }) => {
    const mark = style === "steps" ? `[${isDone ? "x" : " "}] ` : "";
    return [mark + link(label, href), status && plain(status.text), note && plain(note)]
      .filter(Boolean).join(" · ");
  }));
}

function tableOf({ caption, columns, rows, empty }: PageTable): string {
  if (rows.length === 0) return `${plain(empty)}\n`;
  return `${plain(caption)}\n\n${head(columns)}${rows.map((row) => line(row.map(shown))).join("")}`;
}

/** The numbers of a chart. */
function chartOf({ sentence, x, y, items }: ChartModel): string {
  const rows = items.map((item) => {
    const from = plain(String(item.x));
    return line([item.to === undefined ? from : `${from} to ${item.to}`, String(item.y)]);
  });
  return `${plain(sentence)}\n\n${head([{ label: x.title }, { label: y.title, isNumber: true }])}${
    rows.join("")
  }`;
}

/** The tables, and below each the tables that it leads to. */
function diagramOf({ sentence, tables, relations, left }: DiagramModel): string {
  const items = tables.map(({ name, href, note }, at) => {
    const to = relations.filter(({ from }) => from === at).map((each) =>
      `${plain(tables[each.to]?.name ?? "")} by ${plain(each.label)}`
    );
    return `${link(name, href)} (${[plain(note), ...to].join("; ")})`;
  });
  return `${plain(sentence)}\n\n${list(items)}${left === 0 ? "" : `- and ${left} more\n`}`;
}

/** The address and the fields that a program sends there: a text cannot be filled in. */
function formOf(
  { action, method = "post", hidden, fields, problem, before = [], buttons, cancel }: PageForm,
  page: Page,
): string {
  const token = page.csrfToken === undefined || method === "get" ? {} : { csrf_token: page.csrfToken };
  const sent = Object.entries({ ...hidden, ...token }).map(([name, value]) =>
    `${code(name)} = ${code([value].flat().join(", "))}`
  );
  const ways = buttons.map(({ label, name, value = "" }) =>
    `${plain(label)}${name === undefined ? "" : `: ${code(name)} = ${code(value)}`}`
  );
  return (problem === undefined ? "" : `> ${plain(problem)}\n\n`) +
    `${method.toUpperCase()} to ${code(method === "get" ? own(action) : action)}\n\n` +
    list([
      ...fields.flatMap((field) => field.kind === "field" ? [fieldOf(field)] : matrixOf(field)),
      ...sent,
      ...ways,
      ...(cancel === undefined ? [] : [link("Cancel", cancel)]),
    ]) + blocksOf(before, page);
}

function fieldOf(field: PageField): string {
  const { name, label, input, value, isRequired, hint, problem, nothing, sends = "true", onlyIf } = field;
  const choices = [...field.options ?? [], ...field.offered ?? []].map((option) => code(option.value));
  return [
    `${code(name)} ${plain(label)} (${input}${isRequired ? ", required" : ""})`,
    value && `now ${code(value)}`,
    choices.length > 0 && `one of ${choices.join(", ")}`,
    input === "switch" && `on is ${code(sends)}`,
    nothing && `${code(nothing.name)} is ${plain(nothing.label)}`,
    onlyIf && `only if ${code(onlyIf.field)} is ${onlyIf.values.map(code).join(" or ")}`,
    hint && plain(hint),
    problem && `**${plain(problem)}**`,
  ].filter(Boolean).join("; ");
}

function matrixOf({ caption, columns, rows }: PageMatrix): readonly string[] {
  return rows.map(({ name, label, on, only }) => {
    const choices = columns.filter(({ value }) => only?.includes(value) !== false).map(({ value }) =>
      code(value)
    );
    return `${code(name)} ${plain(`${caption}: ${label}`)}; now ${
      on.map(code).join(", ") || "none"
    }; some of ${choices.join(", ")}`;
  });
}
