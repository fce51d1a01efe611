/**
 * Markdown: tables, and the pages of the service with their links, for terminals, notes and language
 * models. README.md describes its use.
 *
 * @module
 */

import type {
  Body,
  Format,
  FormatHost,
  FormatPlugin,
  FormPage,
  Page,
  Row,
  Shape,
  ShapeColumn,
  WriteOptions,
} from "@/plugins/contract.ts";
import { blocksOf } from "./blocks.ts";
import { aboutList, closed, linked, opened, pager } from "./frame.ts";
import { code, head, line, link, list, plain, valueOf } from "./text.ts";

export default {
  contract: 2,
  kind: "format",
  name: "md",
  setup: (_settings, { product }: FormatHost): Format => ({
    contentTypes: ["text/markdown"],
    paged: true,
    escape: (codePoint) => `&#${codePoint};`,
    writer: (shape, options) => (page) => bodyOf(shape, options, page),
    document: ({ name, columns, rows }, _options, page) =>
      opened(page.crumbs.at(-1)?.label ?? name, page) + head(columns.map((label) => ({ label }))) +
      rows.map((row) => line(row.map((cell) => valueOf(cell)))).join("") + closed(page),
    problem: ({ httpCode, description, urlTemplate, errors = [], nearest = [] }, _options, page) =>
      opened(`Error ${httpCode}`, page) +
      list([
        plain(description),
        ...errors.map(plain),
        ...(urlTemplate === undefined ? [] : [`Expected URL: ${code(urlTemplate)}`]),
        ...nearest.map(({ label, href }) => `Did you mean ${link(label, href)}?`),
      ]) + closed(page),
    view: ({ title, lead, actions, blocks }, _options, page) =>
      opened(title, page, actions) + (lead === undefined ? "" : `${plain(lead)}\n\n`) +
      blocksOf(blocks, page) +
      closed(page),
    form: (form, _options, page) => opened(`${form.title} · ${product}`, page) + formOf(form) + closed(page),
    schema: ({ name, comment, columns }, { cardinality }) =>
      `# ${plain(name)}\n\n${comment === undefined ? "" : `${plain(comment)}\n\n`}` +
      head(FACTS.map(([label]) => ({ label }))) +
      columns.map((column) => line(FACTS.map(([, fact]) => plain(fact(column))))).join("") +
      (cardinality === "unbounded" ? "" : `\nAt most ${cardinality} records.\n`),
    documentSchema: ({ name, columns }) =>
      `# ${plain(name)}\n\n${head([{ label: "Column" }, { label: "Type" }, { label: "Key" }])}` +
      columns.map((column) => line([plain(column.name), column.type, column.isKey ? "yes" : ""])).join(""),
  }),
} satisfies FormatPlugin;

/** The facts about a column that its schema tells. */
const FACTS: readonly (readonly [label: string, fact: (column: ShapeColumn) => string])[] = [
  ["Column", ({ name }) => name],
  ["Type", ({ declaredType, type }) => declaredType || type],
  ["Key", ({ isKey }) => isKey ? "yes" : ""],
  ["Required", ({ isRequired }) => isRequired ? "yes" : ""],
  ["Computed", ({ isGenerated }) => isGenerated ? "yes" : ""],
  ["Values", ({ bounds, irregular, detail }) =>
    [
      ...(detail?.bits === undefined ? [] : [`${detail.bits} bits`]),
      ...(detail?.isUnsigned ? ["never negative"] : []),
      ...(detail?.element === undefined ? [] : [`a list of ${detail.element}`]),
      ...(bounds?.members ?? []),
      ...(bounds?.isUuid ? ["UUID"] : []),
      ...(bounds?.range ? [bounds.range.join(" to ")] : []),
      ...(irregular === undefined ? [] : [`also ${irregular}`]),
    ].join(", ")],
  ["Comment", ({ comment = "" }) => comment],
];

function formOf({ text, problem, buttons, form }: FormPage): string {
  const lines = [...(problem === undefined ? [] : [problem]), ...text].map((each) => `${plain(each)}\n\n`);
  const shown = form?.fields.filter(({ isReadOnly }) => !isReadOnly);
  const fields = shown?.map(({ name, label, required, hint, isWrong }) =>
    `${code(name)} ${plain(label)}${required ? " (required)" : ""}${isWrong ? " (to be corrected)" : ""}${
      hint === undefined ? "" : `: ${plain(hint)}`
    }`
  );
  const hidden = Object.entries(form?.hidden ?? {}).map(([name, value]) => `${code(name)} = ${code(value)}`);
  return lines.join("") + linked(buttons) +
    (form
      ? `${plain(form.submit)}: POST to ${code(form.action)}\n\n${list([...fields ?? [], ...hidden])}`
      : "");
}

/** Rows as a table. A record is one with two columns, and has its related records below. */
function bodyOf(shape: Shape, options: WriteOptions, page: Page): Body {
  const { columns, form, comment } = shape;
  const locate = options.href === false || form === "columns" ? undefined : shape.locate;
  const isRecord = form === "record" && page.record !== undefined;
  const nullText = options.nilVisible ? plain(options.nullMarker) : "";
  const labels = form === "columns" ? [] : columns.map(({ name: label, type }) => ({
    label,
    isNumber: type === "integer" || type === "decimal" || type === "float",
  }));
  let rows = 0;
  return {
    begin: () =>
      opened(shape.name, page) + (comment === undefined ? "" : `${plain(comment)}\n\n`) + aboutList(page) +
      (isRecord || labels.length === 0 ? "" : head([...(locate ? [{ label: "Record" }] : []), ...labels])),
    row(row) {
      rows++;
      if (isRecord) return recordOf(row, shape, nullText, page);
      const cells = form === "columns" ? row : columns.map((_, at) => row[at]);
      const path = locate?.(row);
      const own = locate ? [path === null || path === undefined ? "" : link("open", `${path}.md`)] : [];
      return line([...own, ...cells.map((cell) => valueOf(cell, nullText))]);
    },
    end: () => pager(page, rows) + closed(page),
  };
}

function recordOf(row: Row, shape: Shape, nullText: string, { record = {} }: Page): string {
  const { columns, toOne, toMany, locate } = shape;
  const path = locate?.(row) ?? null;
  const facts = columns.map(({ name }, at) => line([plain(name), valueOf(row[at], nullText)]));
  const relations = [...toOne, ...toMany].filter(({ nullableKey }) =>
    path !== null && !nullableKey?.some((at) => row[at] === null)
  );
  const { edit, copy, remove, previous, next } = record;
  const ways = Object.entries({ Edit: edit, Copy: copy, Delete: remove, Previous: previous, Next: next });
  return linked(ways.flatMap(([label, href]) => href === undefined ? [] : [{ label, href }])) +
    head([{ label: "Column" }, { label: "Value" }]) + facts.join("") + "\n" +
    list(
      relations.map(({ name, segment, many }) =>
        link(`${many ? "All " : ""}${name}`, `${path}/${segment}.md`)
      ),
    );
}
