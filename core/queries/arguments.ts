/**
 * The values of a saved query's parameters, from the path and from a body.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { indexNames, type NameIndex } from "@/core/base/name_index.ts";
import { nearestInWords } from "@/core/base/nearest.ts";
import type { Column } from "@/core/catalog.ts";
import { badRequest, nodeOf, quote, type RecordComplaint, ServiceError } from "@/core/errors.ts";
import type { QueryDefinition, Value, ValueType } from "@/core/model.ts";
import type { Body } from "@/core/request/body.ts";
import { decodeText, type Grammar, readName } from "@/core/request/path_grammar.ts";
import { type LinkStyle, printName } from "@/core/request/print_path.ts";
import { expectedOf, flawOf, isTooFine, readLexical, wholeNumber } from "@/core/request/read_value.ts";
import type { BodyRecord, BodyValue, Database, SqlTraits } from "@/plugins/contract.ts";
import { digitsOf } from "@/plugins/kit/numbers.ts";

/** Values by the names of their parameters. */
export type Arguments = ReadonlyMap<string, Value>;

/** The path of a query: its arguments, and the raw column list at its end. */
export interface QueryPath {
  readonly arguments: Arguments;
  readonly columns?: string;
}

/** The parameters of a query. */
export interface QueryParameters {
  readonly definition: QueryDefinition;
  /** Names in the order of the SQL text. */
  readonly names: readonly string[];
  /** The values that only its engine has. */
  readonly special: SqlTraits["special"];
  /** The position in the body of the set that is read, if there are several: refusals name it. */
  readonly set?: number;
}

/** The parameters for one of `count` sets of arguments. */
export function parametersOfSet(query: QueryParameters, set: number, count: number): QueryParameters {
  return count > 1 ? { ...query, set } : query;
}

/** The template of a query's URL: `/query/invoices-by-year/year/{year}.json`. */
export function urlTemplateOf(
  { id, names, extension }: {
    readonly id: string;
    readonly names: readonly string[];
    readonly extension: string;
  },
  { prefix, links }: { readonly prefix: string; readonly links: LinkStyle },
): string {
  const steps = names.map((name) => `/${printName(name, links)}/{${name}}`);
  return `${prefix}/query/${printName(id, links)}${steps.join("")}.${extension}`;
}

/**
 * Reads the segments after a query's name: pairs of parameter and value in any order, then at most one column
 * list. Throws 400.
 */
export function readQueryPath(
  segments: readonly string[],
  query: QueryParameters,
  grammar: Grammar,
): QueryPath {
  const index = indexNames(query.names);
  const given = new Map<string, string>();
  let columns: string | undefined;
  const trimmed = segments.at(-1) === "" && segments.length % 2 === 1 ? segments.slice(0, -1) : segments;
  for (let position = 0; position < trimmed.length; position += 2) {
    const raw = trimmed[position] ?? "";
    const value = trimmed[position + 1];
    const { literal, substituted } = readName(raw, grammar);
    const name = index.find(literal) ?? index.find(substituted);
    // A name without a value behind it is one of a column, whatever the parameters are called.
    const isSlash = value === "" && name === undefined && position + 2 === trimmed.length;
    if (value === undefined || isSlash) {
      columns = raw;
      break;
    }
    if (name === undefined) throw unknownParameter(substituted, query);
    if (given.has(name)) throw refuse(query, `parameter ${quote(name)} is given twice`);
    given.set(name, value);
  }
  const read = (value: string, name: string) =>
    grammar.nullMarker.test(value) ? null : convert(decodeText(value, grammar), name, query);
  return { arguments: readEach(given, read), ...defined({ columns }) };
}

/** All values. The refusal is about the first wrong one, with the complaints about all of them. */
function readEach<T>(given: ReadonlyMap<string, T>, read: (value: T, name: string) => Value): Arguments {
  const values = new Map<string, Value>();
  const refused: ServiceError[] = [];
  for (const [name, value] of given) {
    try {
      values.set(name, read(value, name));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.complaints.length === 0) throw error;
      refused.push(error);
    }
  }
  const [first] = refused;
  if (!first) return values;
  throw badRequest(first.message, { complaints: refused.flatMap(({ complaints }) => complaints) });
}

/** The sets of arguments of a body, one step per set, completed by those of the path. Throws 400. */
export function* readQueryBody(
  { records, isEmpty }: Body,
  { path, query, most }: { readonly path: Arguments; readonly query: QueryParameters; readonly most: number },
): Generator<undefined, readonly Arguments[], void> {
  // Without Content-Length only its end tells that a request has no body.
  if (isEmpty) return [path];
  const given: BodyRecord[] = [];
  for (const record of records) {
    if (record) given.push(record);
    if (given.length > most) {
      throw refuse(query, `it is not run more than ${most} times at once: send fewer sets`);
    }
    yield;
  }
  if (given.length === 0) throw refuse(query, "the body has no arguments");
  const index = indexNames(query.names);
  const sets: Arguments[] = [];
  for (const [set, record] of given.entries()) {
    sets.push(readSet(record, path, parametersOfSet(query, set, given.length), index));
    yield;
  }
  return sets;
}

/** The arguments of a JSON object. Throws 400. */
export function readArguments(given: unknown, query: QueryParameters): Arguments {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw refuse(query, "its arguments are an object with a value for each parameter");
  }
  const entries = Object.entries(given).map(([name, value]): [string, BodyValue] => {
    if (typeof value === "number") {
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        throw refuse(query, `parameter ${quote(name)} has more digits than a number keeps: send it as text`);
      }
      return [name, { kind: "number", text: String(value) }];
    }
    const isScalar = value === null || typeof value === "string" || typeof value === "boolean";
    return [name, isScalar ? value : { kind: "nested", text: "" }];
  });
  return readSet(new Map(entries), new Map(), query, indexNames(query.names));
}

function readSet(
  record: BodyRecord,
  path: Arguments,
  query: QueryParameters,
  index: NameIndex<string>,
): Arguments {
  const given = new Map<string, BodyValue>();
  for (const [key, value] of record) {
    const name = index.exact(key);
    if (name === undefined) throw unknownParameter(key, query);
    if (path.has(name)) throw refuse(query, `parameter ${quote(name)} is given in the path and in the body`);
    given.set(name, value);
  }
  return new Map([...path, ...readEach(given, (value, name) => bodyArgument(value, name, query))]);
}

/** The values in the order of the parameters. Throws 400 for a missing one. */
export function completeArguments(given: Arguments, query: QueryParameters): readonly Value[] {
  return query.names.map((name) => {
    const value = given.get(name);
    if (value === undefined) throw missing(name, query);
    return value;
  });
}

/** A parameter as a column, for dialects that bind values by column. */
function parameterColumn(name: string, value: Value, { parameters }: QueryDefinition): Column {
  const declared = parameters.get(name);
  const type = declared ?? typeOfValue(value);
  return { name, type, declaredType: declared ?? "", nullable: true, hasDefault: false, generated: false };
}

/**
 * Values in the order of the parameters, in the form of the driver. Throws 400 for
 * one that the engine cannot take.
 */
export function bindArguments(
  values: readonly Value[],
  query: QueryParameters,
  { sql: { argument, secondDecimals } }: Database,
): readonly unknown[] {
  const { names, definition } = query;
  return values.map((value, index) => {
    const name = names[index] ?? "";
    try {
      const column = parameterColumn(name, value, definition);
      if (isTooFine(value, column.type, secondDecimals)) {
        throw new RangeError(`the database holds at most ${secondDecimals} decimals of a second`);
      }
      const flaw = typeof value === "string" ? flawOf(value) : undefined;
      if (flaw !== undefined) throw new RangeError(flaw);
      return argument ? argument(value, column) : value;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw refuse(query, `parameter ${quote(name)}: ${error.message}`);
    }
  });
}

function typeOfValue(value: Value): ValueType {
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "float";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "bigint" ? "integer" : "text";
}

function bodyArgument(value: BodyValue, name: string, query: QueryParameters): Value {
  const type = query.definition.parameters.get(name);
  if (value === null) return null;
  if (typeof value === "string") return convert(value, name, query);
  if (typeof value === "boolean") {
    return type === undefined || type === "boolean" ? value : convert(String(value), name, query);
  }
  if (value.kind === "empty") return null;
  if (value.kind === "nested") {
    throw refuse(query, `parameter ${quote(name)} is an object or list, not a value`);
  }
  if (type !== undefined) {
    return convert(type === "integer" ? wholeNumber(value.text) : value.text, name, query);
  }
  return readLexical(wholeNumber(value.text), { type: "integer" }) ?? numberOf(value.text, name, query);
}

/** A number without a declared type, in any spelling (`1.50`). As text SQLite would compare it otherwise. */
function numberOf(text: string, name: string, query: QueryParameters): Value {
  const number = Number(text);
  if (digitsOf(String(number)) === digitsOf(text)) return number;
  throw refuse(
    query,
    `parameter ${quote(name)}: ${
      quote(text).slice(1, -1)
    } has more digits than a number without a declared type keeps: ` +
      'send it as text, or declare its type in "parameters" of the query',
  );
}

/** Text, unless the definition declares another type. */
function convert(text: string, name: string, query: QueryParameters): Value {
  const type = query.definition.parameters.get(name);
  if (type === undefined) return text;
  const value = readLexical(text, parameterColumn(name, text, query.definition), query.special);
  if (value !== undefined) return value;
  const expected = `expected ${expectedOf({ type }, text)}`;
  const complaints = [{ record: 0, column: name, sentence: expected }];
  throw refuse(query, `parameter ${quote(name)} is ${quote(text)}, ${expected}`, complaints);
}

function missing(name: string, query: QueryParameters): ServiceError {
  const complaints = [{ record: 0, column: name, sentence: "needs a value" }];
  return refuse(query, `parameter ${quote(name)} is missing`, complaints);
}

function unknownParameter(name: string, query: QueryParameters): ServiceError {
  const all = query.names.length > 0 ? `it has ${query.names.map(quote).join(", ")}` : "it has none";
  const hint = nearestInWords(name, query.names) ?? all;
  return refuse(query, `it has no parameter ${quote(name)}: ${hint}`);
}

function refuse(
  { definition: { id }, set }: QueryParameters,
  why: string,
  complaints: readonly RecordComplaint[] = [],
): ServiceError {
  return badRequest(`Cannot run query ${quote(id)}: ${nodeOf(set)}${why}`, { complaints });
}
