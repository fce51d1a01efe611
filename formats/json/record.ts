/**
 * Compiles the members of a record to constant texts with gaps for the values.
 *
 * @module
 */

import type { Pieces, Row } from "@/plugins/contract.ts";
import { flat } from "@/plugins/kit/formats.ts";
import { type Brackets, keyText, needsEscapes, type WriteValue } from "./text.ts";

/** A value of a record by its name. */
export type Member = PlainMember | RowsMember;

type PlainMember = CellMember | PathMember;

/** A value of the row. `isNumeric`: text is written as a number. `write` is for all but plain text. */
export interface CellMember {
  readonly name: string;
  readonly kind: "cell";
  readonly cell: number;
  readonly isNumeric: boolean;
  readonly write: WriteValue;
}

/** The record's path between constant texts. */
interface PathMember {
  readonly name: string;
  readonly kind: "path";
  readonly open: string;
  readonly suffix: string;
  readonly close: string;
}

/** Related records. */
export interface RowsMember {
  readonly name: string;
  readonly kind: "rows";
  readonly cell: number;
  write(rows: readonly Row[]): Pieces;
}

/** The constant text before a value that is written whole, and before a string or a path, with its quote. */
interface Before {
  readonly whole: string;
  readonly opened: string;
}

/**
 * A value behind a constant text. A string or a path is left open: its ending begins the text behind it.
 * The time of an answer grows with the number of its parts.
 */
interface Step {
  readonly member: PlainMember;
  readonly behindWhole: Before;
  readonly behindOpened: Before;
}

/** Plain members, and the constant text behind the last of them. */
interface Part {
  readonly steps: readonly Step[];
  readonly behindWhole: string;
  readonly behindOpened: string;
}

/** The parts of a record: one before each of the related records, and the rest. */
interface Layout {
  readonly nested: readonly Nested[];
  readonly rest: Part;
}

interface Nested {
  readonly part: Part;
  readonly rows: RowsMember;
}

/** The writer of records with these members. Without a path, references are null. */
export function compileRecord(
  members: readonly Member[],
  brackets: Brackets,
  indent: number,
): (row: Row, path: string | null) => string | Pieces {
  if (members.length === 0) return () => brackets.empty;
  const layout = layoutOf(members, brackets, { indent, hasPath: true });
  const pathless = layoutOf(members, brackets, { indent, hasPath: false });
  if (layout.nested.length > 0) {
    return (row, path) => writeParts(row, path === null ? pathless : layout, path ?? "");
  }
  return (row, path) => writePart(row, (path === null ? pathless : layout).rest, path ?? "");
}

/** Joins the constant texts between the values. */
function layoutOf(
  members: readonly Member[],
  { open, next, close }: Brackets,
  { indent, hasPath }: { readonly indent: number; readonly hasPath: boolean },
): Layout {
  const nested: Nested[] = [];
  let [steps, ending] = [new Array<Step>(), ""];
  const partUpTo = (text: string): Part => ({
    steps,
    behindWhole: flat(text),
    behindOpened: flat(ending + text),
  });
  for (const [index, member] of members.entries()) {
    const key = (index === 0 ? open : next) + keyText(member.name, indent);
    if (member.kind === "rows") {
      nested.push({ part: partUpTo(key), rows: member });
      [steps, ending] = [[], ""];
      continue;
    }
    const around = textsAround(member, hasPath);
    const behind = (text: string) => ({ whole: flat(text + key), opened: flat(text + key + around.opening) });
    steps.push({ member, behindWhole: behind(""), behindOpened: behind(ending) });
    ending = around.ending;
  }
  return { nested, rest: partUpTo(close) };
}

/** The texts around a string or a path. Paths are percent-encoded, so they need no escaping. */
function textsAround(
  member: PlainMember,
  hasPath: boolean,
): { readonly opening: string; readonly ending: string } {
  if (member.kind === "cell") return { opening: '"', ending: '"' };
  const { open, suffix, close } = member;
  return hasPath
    ? { opening: `${open}"`, ending: `${suffix}"${close}` }
    : { opening: `${open}null`, ending: close };
}

/** A record with nested records, whose length has no bound. */
function* writeParts(row: Row, { nested, rest }: Layout, path: string): Pieces {
  for (const { part, rows } of nested) {
    yield writePart(row, part, path);
    const cell = row[rows.cell];
    yield* rows.write(Array.isArray(cell) ? cell : []);
  }
  yield writePart(row, rest, path);
}

/** Each part is appended to all before it: V8 then copies them in one loop when the answer is sent. */
function writePart(row: Row, { steps, behindWhole, behindOpened }: Part, path: string): string {
  let text = "";
  let isOpened = false;
  for (const step of steps) {
    const { member } = step;
    const before = isOpened ? step.behindOpened : step.behindWhole;
    if (member.kind === "path") {
      isOpened = true;
      text = text + before.opened + path;
      continue;
    }
    const value = row[member.cell] ?? null;
    isOpened = typeof value === "string" && !member.isNumeric && !needsEscapes(value);
    if (isOpened || (typeof value === "number" && Number.isFinite(value))) {
      text = text + (isOpened ? before.opened : before.whole) + value;
    } else text = text + before.whole + member.write(value);
  }
  return text + (isOpened ? behindOpened : behindWhole);
}
