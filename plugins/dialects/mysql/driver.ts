/**
 * The one place that knows the package mysql2.
 *
 * @module
 */

import mysql2 from "mysql2";

/** Some members of the package are getters, which only its default export shows. */
export const { createConnection, TypedParameter } = mysql2;
export type { Connection as DriverConnection, ConnectionOptions, SslOptions } from "mysql2";

/** What the driver tells of a result's column. */
export interface Field {
  name: string;
  /** Its name, where {@link name} had to be taken away. */
  label?: string;
  /** The table that it comes from; empty: an expression. */
  readonly orgTable?: string | undefined;
  readonly columnLength?: number | undefined;
  readonly decimals?: number | undefined;
  readonly flags?: number | string[] | undefined;
  /** What only MariaDB tells: `uuid`, and `json` for text that is checked. */
  readonly extendedTypeName?: string | undefined;
  readonly extendedFormat?: string | undefined;
  /** The type's number in the protocol. */
  readonly columnType?: number | undefined;
  /** 63: bytes. */
  readonly characterSet?: number | undefined;
}

/** What the driver tells of a statement without rows. */
export interface Header {
  /** Rows that were found, changed or not. */
  readonly affectedRows: number;
  /** The first key that the server counted up; 0: none. */
  readonly insertId: number | string;
}

/** Numbers of types in the protocol, as far as values of theirs need care. */
export const TYPE = { float: 4, longlong: 8, bit: 16, decimal: 0, newdecimal: 246 } as const;
