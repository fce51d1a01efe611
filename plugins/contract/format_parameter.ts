/**
 * Query parameters of formats.
 *
 * @module
 */

/** A query parameter of a format. Other values are refused with 400. */
export interface FormatParameter {
  /** `integer`: a whole number from 0. `boolean`: the name alone means true. */
  readonly type: "boolean" | "integer" | "text";
  /** The texts that it may be. Absent: all of its type; a text has 1 to 200 characters. */
  readonly values?: readonly string[];
  /** Where it has a meaning: `WriteOptions.parameters`, `ReadInput.parameters`. */
  readonly parts: readonly ("answer" | "body")[];
}

/** Parameters of formats that the request has, by name. */
export type OwnParameters = Readonly<Record<string, boolean | number | string>>;
