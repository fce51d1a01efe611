/**
 * The only module that imports mysql2.
 *
 * @module
 */

import mysql2 from "mysql2";

/** Some members of the package are getters, which only its default export has. */
export const { createConnection, TypedParameter } = mysql2;
export type { Connection as DriverConnection, ConnectionOptions, SslOptions } from "mysql2";

/** A result's column, from the driver. */
export interface Field {
  name: string;
  /** Its name, if {@link name} had to be cleared. */
  label?: string;
  /** Its table; empty for an expression. */
  readonly orgTable?: string | undefined;
  readonly columnLength?: number | undefined;
  readonly decimals?: number | undefined;
  readonly flags?: number | string[] | undefined;
  /** MariaDB only: `uuid`, and `json` for text with a check. */
  readonly extendedTypeName?: string | undefined;
  readonly extendedFormat?: string | undefined;
  /** The number of its type in the protocol. */
  readonly columnType?: number | undefined;
  /** {@link BYTES}, or that of a text. */
  readonly characterSet?: number | undefined;
}

/** The driver's result of a statement without rows. */
export interface Header {
  /** Rows that matched, changed or not. */
  readonly affectedRows: number;
  /** The first key that the server counted up; 0 for none. */
  readonly insertId: number | string;
}

/** The character set of values that are no text. */
export const BYTES = 63;

/** Numbers in the protocol of types that need conversion. */
export const TYPE = { float: 4, double: 5, longlong: 8, bit: 16, decimal: 0, newdecimal: 246 } as const;
