/**
 * Checks the records of a body against the table and converts their values, before the database is used. All
 * mistakes are reported together. Pure.
 *
 * @module
 */

import { nearestInWords } from "@/core/base/nearest.ts";
import type { Column } from "@/core/catalog.ts";
import { badRecords, quote, type RecordComplaint, type ToldComplaint } from "@/core/errors.ts";
import type { Body } from "@/core/request/body.ts";
import type { Table } from "@/core/schema/table.ts";
import type { BodyRecord, BodyValue, SqlTraits } from "@/plugins/contract.ts";
import { convertValue, cut, type FullValue } from "./convert_value.ts";

/** One record's values by column position, in column order, in the form that the driver binds. */
export type Assignments = ReadonlyMap<number, unknown>;

/** The options of checking a body. */
export interface ValidateOptions {
  readonly table: Table;
  /** `refid_prefix`: members with this name are references and ignored, like relations. */
  readonly refidPrefix: string;
  /** True for a new record, which needs every column that the database does not fill; false for an update. */
  readonly complete: boolean;
  /**
   * The table as the caller reads it. References to related records are ignored: a record may be sent back.
   */
  readonly readable: Table | undefined;
  /** Columns whose value comes from the path. */
  readonly supplied: ReadonlySet<number>;
  /** The values that only this engine has, and their form for storing. */
  readonly traits: Pick<SqlTraits, "special" | "stored">;
  /** Whether a cell with another value may look like this value. Absent: no record is compared. */
  readonly mayRepeat?: (value: BodyValue, column: Column) => boolean;
}

/** Number of complaints after which checking stops. */
const MAX_ERRORS = 100;

/** The values of all records of a body. */
export interface Checked {
  readonly records: readonly Assignments[];
  readonly isList: boolean;
  /** The body's format in messages: `JSON`. */
  readonly label: string;
  /** Members that leave their cell unchanged if it shows them already, by the column's position. */
  readonly repeats: Repeats;
}

/** The member's value, and its complaint unless the cell shows it. */
export type Repeats = ReadonlyMap<number, Repeat>;

/** A member that may repeat its cell. */
interface Repeat {
  readonly given: BodyValue;
  readonly complaint?: ToldComplaint;
}

/** Reads and checks a body, one step per record. Throws 400 with up to {@link MAX_ERRORS} complaints. */
export function* validateBody(
  { records, label }: Body,
  options: ValidateOptions,
): Generator<undefined, Checked, void> {
  const errors: ToldComplaint[] = [];
  const checked: Assignments[] = [];
  const repeats = new Map<number, Repeat>();
  let isFinal = false;
  const notes: Notes = {
    complain(name, detail, member) {
      const record = checked.length;
      const complaint = complaintOf(label, { record, column: name, sentence: detail });
      errors.push(complaint);
      if (member && options.mayRepeat) repeats.set(member.position, { given: member.given, complaint });
      else isFinal = true;
      return errors.length < MAX_ERRORS;
    },
    repeat: ({ position, given }) => void repeats.set(position, { given }),
  };
  let isList = true;
  while (errors.length < MAX_ERRORS) {
    const { done, value } = records.next();
    if (done) {
      isList = value;
      break;
    }
    if (value) checked.push(validateRecord(value, options, notes));
    yield;
  }
  // Whether cells show the members is known only after reading them; a body with
  // several records is refused here.
  if (isFinal || checked.length !== 1) requireNone(errors);
  return { records: checked, isList, label, repeats };
}

/** Throws 400 with all complaints, if there are any. */
export function requireNone(complaints: readonly ToldComplaint[]): void {
  if (complaints.length > 0) throw badRecords(complaints);
}

/** A member of a record: its column and its value. */
interface Member {
  readonly position: number;
  readonly given: BodyValue;
}

/** Collects notes about members while they are read. */
interface Notes {
  /**
   * Notes a mistake; with `member` it counts only if the cell does not show the
   * member. False: enough complaints.
   */
  complain(name: string, detail: string, member?: Member): boolean;
  /** Notes that the cell may show the member already. */
  repeat(member: Member): void;
}

/** A mistake in a body of this format. */
export function complaintOf(
  label: string,
  { record, column, sentence }: Required<RecordComplaint>,
): ToldComplaint {
  const node = `/${record}/${cut(column, 80)}`;
  const text = `Could not parse ${label}: The ${quote(column)}: error at node '${node}': ${sentence}`;
  return { record, column, sentence, text };
}

function validateRecord(record: BodyRecord, options: ValidateOptions, notes: Notes): Assignments {
  const { table } = options;
  const values = new Map<number, unknown>();
  for (const [name, given] of record) {
    const value = valueOf(given);
    const position = table.columnNames.exact(name);
    const column = position === undefined ? undefined : table.columns[position];
    if (position === undefined || !column) {
      const complaint = complaintAbout(name, value, options);
      if (complaint !== undefined && !notes.complain(name, complaint)) break;
    } else if (column.generated) {
      if (isLost(column, value, options) && !notes.complain(name, MADE_BY_DATABASE)) break;
    } else if (!options.complete || !isLeftToDatabase(value, position, table)) {
      const converted = convertValue(value, column, options.traits);
      const member = { position, given };
      if ("complaint" in converted) {
        if (!notes.complain(name, converted.complaint, member)) break;
        continue;
      }
      values.set(position, converted.value);
      if (options.mayRepeat?.(given, column)) notes.repeat(member);
    }
  }
  if (options.complete) requireColumns(record, options, notes);
  else requireWritable(record, table, notes);
  return inColumnOrder(values);
}

/** The meaning of a member whose cell does not look like it. */
function valueOf(given: BodyValue): FullValue {
  return given !== null && typeof given === "object" && given.kind === "empty" ? null : given;
}

function inColumnOrder(values: Assignments): Assignments {
  let last = -1;
  for (const position of values.keys()) {
    if (position < last) return new Map([...values].toSorted(([a], [b]) => a - b));
    last = position;
  }
  return values;
}

const MADE_BY_DATABASE = "the database computes this column: leave it out";

/** Whether a new record would silently lose this value of a generated column. An update may repeat it. */
function isLost({ ignoresGiven }: Column, value: FullValue, { complete }: ValidateOptions): boolean {
  return complete && !ignoresGiven && value !== null;
}

/** The complaint about a member that is not a column. */
function complaintAbout(name: string, value: FullValue, options: ValidateOptions): string | undefined {
  const { readable, refidPrefix, complete, table } = options;
  if (name === refidPrefix) return undefined;
  if (readable?.relationNames.exact(name) === undefined) return unknownColumn(name, table);
  const isIgnored = !complete || isReference(value, refidPrefix);
  return isIgnored
    ? undefined
    : "related records cannot be created with it: send them in requests of their own";
}

/** An object with only a reference, as JSON prints it, or an empty list or object. */
const REFERENCE = /^(?:\[\s*\]|\{\s*(?:"(?<name>[^"\\]*)"\s*:\s*(?:"[^"\\]*"|null)\s*)?\})$/;

/** Whether the value of a relation has no records: XML and CSV write an empty element or field. */
function isReference(value: FullValue, refidPrefix: string): boolean {
  if (value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  if (typeof value === "boolean" || value.kind === "number") return false;
  const found = REFERENCE.exec(value.text);
  return found !== null && (found.groups?.["name"] ?? refidPrefix) === refidPrefix;
}

function unknownColumn(name: string, table: Table): string {
  const similar = nearestInWords(name, table.columnNames.names);
  return `table ${quote(table.name)} has no such column${similar === undefined ? "" : `, ${similar}`}`;
}

/** NULL as a key that the database generates means that it should generate one. */
function isLeftToDatabase(value: FullValue, position: number, { columns, primaryKey }: Table): boolean {
  const column = columns[position];
  return value === null && primaryKey.includes(position) && column?.hasDefault === true && !column.nullable;
}

function requireColumns(record: BodyRecord, { table, supplied }: ValidateOptions, notes: Notes): void {
  for (const [position, { name, nullable, hasDefault, generated }] of table.columns.entries()) {
    const isGiven = record.has(name) || supplied.has(position);
    if (!isGiven && !nullable && !hasDefault && !generated) notes.complain(name, "is required");
  }
}

/** Refuses a change of computed columns alone, which would change nothing. */
function requireWritable(record: BodyRecord, { columns, columnNames }: Table, notes: Notes): void {
  const named = [...record.keys()].flatMap((name) => columns[columnNames.exact(name) ?? -1] ?? []);
  if (!named.every(({ generated }) => generated)) return;
  for (const { name } of named) notes.complain(name, MADE_BY_DATABASE);
}
