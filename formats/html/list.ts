/**
 * Pages of lists: a table whose rows lead to their records, with the tools to change what it shows.
 *
 * @module
 */

import type {
  Body,
  Cell,
  Page,
  PageList,
  RelationLabel,
  Row,
  Shape,
  ShapeColumn,
  ShapeRelation,
} from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { compileHeaders, compileMenus, sortLink } from "./list_head.ts";
import { showPager } from "./list_pager.ts";
import { showPrograms } from "./programs.ts";
import { Room } from "./room.ts";
import { CLOSE_TABLE, openTable } from "./table.ts";
import { beginning, escapeHtml, link, markOdd, showCount } from "./text.ts";
import { lengthIn, linkText, longestOf, NULL, showValue, type ValueStyle } from "./value.ts";

/** More relations stand on the pages of the records only, so that a list can be read and stays small. */
const MOST_RELATIONS = 20;
/** Characters of a label: a column that stays in sight is narrow. */
const LONGEST_LABEL = 100;

/** The record of a row: its path, and the start of a link to its page. */
interface RecordLink {
  readonly path: string;
  readonly open: string;
}

/**
 * Writes the start tag and the content of a cell; the end tag of the cell before is part of the start.
 * `written` has the cells of related records, which many rows of one answer share.
 */
type CellWriter = (row: Row, record: RecordLink | null, written: Map<Row, string>) => string;

/**
 * Compiles the table of a list; the facts of the page, and its HTML before the table, come with each answer.
 */
export function compileList(shape: Shape): (page: Page, list: PageList, before: string) => Body {
  const { locate } = shape;
  const toMany = shape.toMany.slice(0, MOST_RELATIONS);
  const others = showOthers(shape.toMany.length - toMany.length);
  const lead = leadOf(shape);
  const headers = locate === undefined
    ? ""
    : toMany.map((relation, index) => manyHeader(relation, index === toMany.length - 1)).join("");
  const opener = needsOpener(shape, lead) ? '<th scope="col"><span class="hidden">Record</span></th>' : "";
  const showHeaders = compileHeaders(shape, lead);
  const showMenus = compileMenus(shape);
  const writeRow = compileRow({ ...shape, toMany }, lead);
  return (page, list, before) => {
    const shown = { page, list, sort: sortLink(page) };
    const menus = showMenus(shown);
    const begin = before + menus.asked + openTable(`Records of ${shape.name}`) +
      `<thead><tr>${opener}${showHeaders(shown)}${headers}</tr></thead>\n<tbody>\n`;
    const room = new Room(begin + menus.all, page);
    const start = `.html${escapeHtml(list.place)}`;
    const written = new Map<Row, string>();
    return {
      begin: () => begin,
      row(row) {
        if (room.isFull) return "";
        return room.take(writeRow(row, `${start}${page.offset + room.rows}`, written));
      },
      end: () =>
        CLOSE_TABLE + others + showKeyless(list) + menus.all + showPager(page, room) + showPrograms(page),
    };
  };
}

/** Whether a record has a link before its columns: the column for it leads elsewhere, or is missing. */
function needsOpener(shape: Shape, lead: number): boolean {
  return shape.locate !== undefined && (lead >= shape.columns.length || labelOf(shape, lead) !== undefined);
}

/** Compiles the rows; `place` is the end of the address that leads from a row to its record. */
function compileRow(
  shape: Shape,
  lead: number,
): (row: Row, place: string, written: Map<Row, string>) => string {
  const { columns, toMany, locate } = shape;
  const hasOpener = needsOpener(shape, lead);
  const cells = [
    ...columns.map((column, index) => compileCell(shape, column, index, index === lead)),
    ...(locate === undefined
      ? []
      : toMany.map((relation, index) => compileMany(relation, columns.length + index))),
  ];
  const end = cells.length === 0 ? "</tr>\n" : "</td></tr>\n";
  return (row, place, written) => {
    const path = locate === undefined ? null : locate(row);
    const record = path === null ? null : { path, open: `<a href="${path}${place}">` };
    let text = hasOpener ? `<tr><td>${record ? `${record.open}Open</a>` : ""}</td>` : "<tr>";
    // Few pieces: the time that the server needs to join the text of a page grows with their number.
    for (const cell of cells) text += cell(row, record, written);
    return text + end;
  };
}

/**
 * The column that leads to the record and stays in sight: its label, else the first
 * text that is no key, else the key.
 */
function leadOf({ columns, locate, toOne, label = [] }: Shape): number {
  if (locate === undefined) return -1;
  const behind = new Set(toOne.flatMap((relation) => relation.label ? [relation.label.column] : []));
  const named = label.find((index) => !behind.has(index));
  if (named !== undefined) return named;
  const text = columns.findIndex(({ type, isKey }, index) => type === "text" && !isKey && !behind.has(index));
  if (text >= 0 && text < 4) return text;
  return Math.max(0, columns.findIndex(({ isKey }, index) => isKey && !behind.has(index)));
}

function labelOf({ toOne }: Shape, index: number): RelationLabel | undefined {
  return toOne.find(({ label }) => label?.column === index)?.label;
}

function compileCell(shape: Shape, column: ShapeColumn, index: number, isLead: boolean): CellWriter {
  const label = labelOf(shape, index);
  const longest = longestOf(shape.columns.length);
  if (label) return labelCell(label, index, column, isLead, longest);
  const { name, type } = column;
  const style = { type, longest };
  const isNumber = isNumeric(type);
  const open = openCell(index, isNumber, isLead);
  const right = openCell(index, true, isLead);
  const segment = encodeURIComponent(name.toWellFormed());
  const none = (isNumber ? right : open) + NULL;
  return (row, record) => {
    const value = row[index];
    if (!isLead) {
      // Most cells: the ways below give the same.
      if (typeof value === "number") return right + value;
      if (value === null) return none;
    }
    const start = isNumber || typeof value === "number" || typeof value === "bigint" ? right : open;
    const shown = column.length === undefined ? style : { ...style, length: lengthIn(row, column) };
    if (record === null) return start + showValue(value, shown);
    if (isLead) return `${start}${record.open}${showLead(value, shown)}</a>`;
    // Other values have no page that they need a link to.
    const whole = typeof value === "string" && value.length <= longest || typeof value === "number"
      ? undefined
      : `${record.path}/${segment}.html`;
    return start + showValue(value, shown, whole);
  };
}

/** The end of the cell before, and the start of this one. */
function openCell(index: number, isNumber: boolean, isLead: boolean): string {
  const before = index === 0 ? "" : "</td>";
  const classes = [...(isNumber ? ["number"] : []), ...(isLead ? ["first"] : [])].join(" ");
  return before + (classes === "" ? "<td>" : `<td class="${classes}">`);
}

/** The text of a link from a value to its record, whatever it is. */
function showLead(
  value: Cell | undefined,
  { type, longest = LONGEST_LABEL, length }: ValueStyle,
): string {
  if (typeof value !== "string" || value.trim() === "") return showValue(value, { type, length });
  return markOdd(beginning(value, Math.min(longest, LONGEST_LABEL)));
}

/** A foreign key as the label of its record. */
function labelCell(
  label: RelationLabel,
  index: number,
  { type }: ShapeColumn,
  isLead: boolean,
  longest: number,
): CellWriter {
  const style = { type, longest };
  const open = openCell(index, false, isLead);
  return (row, _, written) => {
    const related = relatedRow(row[label.cell]);
    const known = related && written.get(related);
    if (known !== undefined) return known;
    const value = row[index];
    const path = related && label.locate(related);
    if (!related || typeof path !== "string") return open + showValue(value, style);
    const text = markOdd(labelText(related, label) || linkText(value));
    const cell = `${open}<a href="${path}.html">${text}</a>`;
    written.set(related, cell);
    return cell;
  };
}

/** The related record's label as text; empty without one. */
export function labelText(related: Row, { texts }: Pick<RelationLabel, "texts">): string {
  let text = "";
  for (const position of texts) {
    const part = related[position];
    const shown = part === null || part === undefined ? "" : String(part);
    if (shown.trim() !== "") text += text === "" ? shown : ` ${shown}`;
  }
  return beginning(text, LONGEST_LABEL);
}

/** The one row in the cell of an expanded to-one relation. */
export function relatedRow(cell: Cell | undefined): Row | undefined {
  return Array.isArray(cell) ? cell[0] : undefined;
}

function showOthers(count: number): string {
  if (count <= 0) return "";
  const what = count === 1 ? "One more relation is" : `${count} more relations are`;
  return `<p class="hint">${what} on the page of each record.</p>\n`;
}

function showKeyless({ keyless }: PageList): string {
  return keyless === undefined ? "" : `<p class="hint">${escapeHtml(keyless)}</p>\n`;
}

/** "Count related" leads to the last one: wide lists would hide the numbers beyond their right edge. */
function manyHeader({ name, title = name, count }: ShapeRelation, isLast: boolean): string {
  const id = isLast ? ' id="related"' : "";
  return `<th scope="col"${id} class="${count === undefined ? "" : "number "}many">${escapeHtml(title)}</th>`;
}

/** A link to the related records, with their number where they were counted. */
function compileMany({ name, title = name, segment, count }: ShapeRelation, index: number): CellWriter {
  const before = index === 0 ? "" : "</td>";
  return (row, record) => {
    const number = count === undefined ? undefined : row[count];
    if (record === null) return `${before}<td class="many">`;
    const to = `${record.path}/${segment}.html`;
    if (typeof number !== "number") return `${before}<td class="many">${link(to, title)}`;
    return `${before}<td class="number many">${number === 0 ? "0" : link(to, showCount(number))}`;
  };
}
