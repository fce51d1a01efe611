/**
 * The fields of forms about records: an input for each column.
 *
 * @module
 */

import { counted } from "@/core/base/counted.ts";
import { defined } from "@/core/base/defined.ts";
import type { Column } from "@/core/catalog.ts";
import type { Value } from "@/core/model.ts";
import { optionsOf, sentences, YES_NO } from "@/core/pages/blocks.ts";
import { spaced } from "@/core/pages/value_text.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { PageField, PageOption } from "@/plugins/contract.ts";
import {
  complaintOf,
  type Offered,
  offeredInput,
  searchOf,
  selectInput,
  textOf,
  vainHint,
} from "./choice_field.ts";
import { isAsShown, isLeft } from "./kept_text.ts";

/** The column of a record, for its field. */
export interface FieldInput {
  /** The value of the record; undefined for a new one. */
  readonly stored: Value | undefined;
  readonly typed: FormState | undefined;
  readonly isNew: boolean;
  readonly offered: Offered | undefined;
  /** The choice of a record for several columns fills it. */
  readonly isFilled: boolean;
  /** Tells people or the database which record it is. */
  readonly isName: boolean;
}

/**
 * Whether an empty field is an empty text, which is a value: always where the record, or the one that is
 * copied, has it already. A record without a name is a mistake otherwise; and no choice is empty.
 */
export function mayBeEmpty(
  { type, nullable, hasDefault, bounds }: Column,
  { stored, offered, isFilled, isName }: FieldInput,
): boolean {
  const isChosen = offered !== undefined || isFilled || bounds?.members !== undefined;
  return type === "text" && (stored === "" || !(isChosen || nullable || hasDefault || isName));
}

/**
 * Whether a column has no empty text, as numbers, dates and choices: where the field of a record is emptied,
 * the record has no value.
 */
export function isNullEmpty({ type, bounds }: Column, { stored, offered }: FieldInput): boolean {
  if (stored === "" || offered?.options.some(({ value }) => value === "")) return false;
  const isText = type === "text" || type === "any" || type === "binary";
  return !isText || offered !== undefined || bounds?.members !== undefined;
}

/** The field of a column. */
export function fieldOf(column: Column, input: FieldInput): PageField {
  const { stored, isNew, offered, isFilled } = input;
  const { name, nullable, hasDefault } = column;
  // Saving again must not undo what somebody else has changed, and this reader has not.
  const isTheirs = input.typed?.isOutdated && isLeft(name, input.typed.values);
  const typed = isTheirs ? undefined : input.typed;
  const value = isFile(column, input) ? "" : typed?.values.get(`c.${name}`)?.[0] ?? typedText(stored, column);
  const isNull = typed
    ? typed.values.has(`n.${name}`)
    : stored !== undefined
    ? stored === null
    : nullable && !hasDefault;
  // The default is for new records: an empty field would leave the value of a record as it is.
  const mayStayOut = hasDefault && (isNew || !isNullEmpty(column, input));
  const mayBeLeft = nullable || mayStayOut || isFilled || mayBeEmpty(column, input) || keepsFile(input);
  return {
    kind: "field",
    name: `c.${name}`,
    label: name,
    value,
    ...inputOf(column, { value, isNew, offered }),
    ...defined({
      hint: hintOf(column, input),
      problem: problemOf(column, input) ?? changeOf(column, input, isNull ? "NULL" : value),
      nothing: nullable ? { name: `n.${name}`, label: "NULL", isOn: isNull } : undefined,
      isRequired: mayBeLeft ? undefined : true,
      search: searchOf(name, offered),
    }),
  };
}

/** Bytes that lead to a record are a choice. */
function isFile({ type }: Column, { offered }: FieldInput): boolean {
  return type === "binary" && offered === undefined;
}

/** Whether a record has bytes that stay where no file is chosen. */
function keepsFile({ stored, isNew, offered }: FieldInput): boolean {
  return !isNew && stored instanceof Uint8Array && offered === undefined;
}

/** The value of the record, where somebody else has changed it meanwhile; `shown` is that in the field. */
function changeOf(column: Column, input: FieldInput, shown: string): string | undefined {
  const { stored, typed, offered } = input;
  if (!typed?.isOutdated || stored === undefined || keepsFile(input)) return undefined;
  const text = typedText(stored, column);
  const now = stored === null ? "NULL" : text;
  if (now === shown || isAsShown(column.name, { stored, text, values: typed.values })) return undefined;
  return `Now: ${offered?.options.find(({ value }) => value === now)?.label ?? now}`;
}

function hintOf(column: Column, input: FieldInput): string | undefined {
  const { stored, isNew, offered } = input;
  const own = typedText(stored, column);
  return sentences(
    stored instanceof Uint8Array && !offered &&
      `The file of the record (${counted(stored.length, "byte")}) ` +
        (isNew ? "is not copied: choose one." : "stays unless you choose another."),
    column.comment?.replace(/[\p{L}\p{N})]$/u, "$&."),
    offered && !offered.isComplete && offered.current !== "" && `${own} is ${offered.current}.`,
    isNew && column.hasDefault && stored !== "" && "Filled by the database if it is left empty.",
    mayBeEmpty(column, input) && "May be empty.",
    vainHint(offered),
    HINTS[column.type],
    column.zone === "utc" && "In UTC.",
  );
}

function problemOf(column: Column, input: FieldInput): string | undefined {
  const { name, maxLength } = column;
  const { typed, offered } = input;
  const complaint = complaintOf(name, typed, offered);
  // The field takes longer texts: browsers would cut what is pasted, and say nothing.
  if (complaint !== undefined) {
    return complaint.replace(/' is too long$/, `$&: at most ${maxLength} characters fit`);
  }
  const isLost = isFile(column, input) && typed?.values.has(`c.${name}`);
  return refusalOf(name, typed?.problem) ??
    (isLost ? "The file that you chose is not kept: choose it again." : undefined);
}

/**
 * Engines name the column, or a constraint that is called by it: `"Port_Locode_key"`. Names stand behind such
 * a character, unlike words of the sentence, which may be names of columns, too.
 */
function refusalOf(column: string, problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  const isNamed = new RegExp(`(?<=["'\\x60._(\\[]|failed: )${RegExp.escape(column)}(?![\\p{L}\\p{N}])`, "iu");
  if (!isNamed.test(problem)) return undefined;
  if (DANGLING.test(problem)) return "There is no record with this value.";
  if (!/unique|duplicate/i.test(problem)) return "The database refuses this value.";
  // SQLite names all columns of a key.
  return `Another record has ${/failed: .*, /.test(problem) ? "these values" : "this value"} already.`;
}

/** Messages of engines about a foreign key that leads nowhere, unlike one that others still need. */
const DANGLING = /not present in table|update a child row|conflicted with the FOREIGN KEY/i;

const HINTS: Readonly<Partial<Record<Column["type"], string>>> = {
  datetime: "For example 2031-05-27 07:30:00.",
  time: "For example 07:30:00.",
  json: "JSON.",
};

/** A value as people type it. */
export function typedText(value: Value | undefined, { type }: Column): string {
  if (value === null || value === undefined) return "";
  return spaced(textOf(value), type);
}

/** A text that may be longer has a field of several lines. */
const SHORT = 255;

function inputOf(
  { type, maxLength = Infinity, nullable, hasDefault, identity, detail, bounds }: Column,
  { value, isNew, offered }: {
    readonly value: string;
    readonly isNew: boolean;
    readonly offered: Offered | undefined;
  },
): Pick<PageField, "input" | "options" | "offered" | "value"> {
  const hasBlank = nullable || (isNew && hasDefault) || value === "";
  if (offered) return offeredInput(offered, value, hasBlank);
  const select = (options: readonly PageOption[]) => selectInput(options, value, hasBlank);
  if (bounds?.members) return select(optionsOf(bounds.members));
  switch (type) {
    case "boolean":
      return select(YES_NO);
    case "integer":
    case "decimal":
    case "float":
      return { input: identity || detail?.isUnsigned ? "number" : "text" };
    case "date":
      return { input: value === "" || isInCalendar(value) ? "date" : "text" };
    case "json":
      return { input: "long text" };
    case "binary":
      return { input: "file" };
    case "text":
      return { input: maxLength > SHORT ? "long text" : "text" };
    default:
      return { input: "text" };
  }
}

/** Whether browsers show a date: they empty fields of days that do not exist, such as `0000-00-00`. */
function isInCalendar(value: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(value) && !value.startsWith("0000") ? Date.parse(value) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
