/**
 * Bodies of requests, as formats read them.
 *
 * @module
 */

import type { ValueType } from "@/core/model.ts";
import type { OwnParameters } from "./format_parameter.ts";

/** The context of a body. */
export interface ReadInput {
  /** The table's name; formats with named records use it. */
  readonly name: string;
  /** Types of the table's columns by name; unknown names in a body are passed on unchanged. */
  readonly columns: ReadonlyMap<string, ValueType>;
  /** The text that stands for NULL where `csvNullStr` is set. */
  readonly nullMarker: string;
  /** The parameter `csvNullStr`: {@link nullMarker} stands for NULL. */
  readonly csvNullStr: boolean;
  /** Values of `Format.parameters` that are for bodies. Absent: none. */
  readonly parameters?: OwnParameters;
  /** Aborted when the caller has left, or the time is up, before `read` has given its result. */
  readonly signal: AbortSignal;
}

/** The context of one value. */
export interface CellInput {
  /** The column's type. */
  readonly type: ValueType;
  /** See {@link ReadInput.csvNullStr}. */
  readonly csvNullStr: boolean;
}

/**
 * The records of a body in their order, or a sentence fragment that describes the mistake, in one line
 * of 5 to 400 characters of ASCII: `line 3 has 4 fields, not 5`. `isList`: the body has the form of a list. A
 * POST of a list answers with a list, except for exactly one record; a format that cannot tell one record
 * from a list of one says false for one, and true otherwise.
 */
export type ReadResult =
  | { readonly records: readonly BodyRecord[]; readonly isList: boolean }
  | { readonly complaint: string };

/**
 * A body that is read step by step: a generator that yields each record as soon as it is read, and undefined
 * now and then while a record takes long. A step takes a few milliseconds at most. It is stopped early
 * (`return`) when its records are refused, the caller leaves or the time is up.
 */
export type Reading = Generator<BodyRecord | undefined, ReadEnd, void>;

/** The result at the end of a body. */
export type ReadEnd = { readonly isList: boolean } | { readonly complaint: string };

/** One record of a body: names and values as written. Names are unique. */
export type BodyRecord = ReadonlyMap<string, BodyValue>;

/**
 * A value of a body, not yet checked against its column. Strings of formats without types (CSV, XML) are the
 * lexical form of any type. Numbers keep their digits; `nested` has the source text of an object or list.
 * `empty` is an empty field in a format with a marker for NULL, for a type without empty text: it means
 * NULL, unless the cell looks like it.
 */
export type BodyValue =
  | null
  | boolean
  | string
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "nested"; readonly text: string }
  | { readonly kind: "empty" };
