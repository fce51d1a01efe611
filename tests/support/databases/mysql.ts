/**
 * The words of MySQL and MariaDB.
 *
 * @module
 */

import type { Engine } from "./engine.ts";

const quote = (name: string) => `\`${name.replaceAll("`", "``")}\``;

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "''",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\0": "\\0",
};

/** The common part of MySQL and MariaDB. Neither has infinity or deferred foreign keys. */
export const MYSQL: Engine = {
  quote,
  types: {
    integer: () => "bigint",
    decimal: (bounds) => `decimal${bounds}`,
    digits: () => "decimal(38,18)",
    float: () => "double",
    boolean: () => "boolean",
    varchar: (bounds) => `varchar${bounds}`,
    text: () => "longtext",
    date: () => "date",
    datetime: () => "datetime(6)",
    time: () => "time",
    binary: () => "longblob",
    json: () => "json",
    any: () => "longtext",
  },
  keyText: "varchar(255)",
  identity: "AUTO_INCREMENT",
  generated: (expression) => `GENERATED ALWAYS AS (${expression}) STORED`,
  defaultOf: (expression) => `(${expression})`,
  text: (value) => `'${value.replaceAll(/[\\'\n\r\t\0]/g, (sign) => ESCAPES[sign] ?? sign)}'`,
  bytes: (value) => `x'${value.toHex()}'`,
  boolean: (value) => value ? "1" : "0",
  infinity: () => "NULL",
  canDefer: false,
  batch: 1000,
  terminator: ";\n",
  before: [
    "SET NAMES utf8mb4",
    "SET sql_mode = concat(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')",
    "SET foreign_key_checks = 0",
    "START TRANSACTION",
  ],
  after: ["COMMIT", "SET foreign_key_checks = 1"],
  empty: ({ name, columns }) => [
    `DELETE FROM ${quote(name)}`,
    ...(columns.some(({ isIdentity }) => isIdentity)
      ? [`ALTER TABLE ${quote(name)} AUTO_INCREMENT = 1`]
      : []),
  ],
  rewrites: [
    ["length(", "char_length("],
    ["round(`Price` * (1 - `Discount`), 2)", "round(cast(`Price` * (1 - `Discount`) as decimal(20,10)), 2)"],
    ["strftime('%Y-%m', `Booking`.`BookedAt`)", "date_format(`Booking`.`BookedAt`, '%Y-%m')"],
    ["CURRENT_TIMESTAMP", "utc_timestamp(6)"],
    ["'token ' || (abs(random()) % 1000)", "concat('token ', floor(rand() * 1000))"],
  ],
};
