/**
 * The words of SQL Server.
 *
 * @module
 */

import type { Engine } from "./engine.ts";
import { quoteText } from "./tokens.ts";

const quote = (name: string) => `[${name.replaceAll("]", "]]")}]`;

/** A text of one space is written as another one: here it would be equal to the empty text. */
export const MSSQL: Engine = {
  quote,
  types: {
    integer: () => "bigint",
    decimal: (bounds) => `decimal${bounds}`,
    digits: () => "decimal(38,18)",
    float: () => "float",
    boolean: () => "bit",
    varchar: (bounds) => `nvarchar${bounds}`,
    text: () => "nvarchar(max)",
    date: () => "date",
    datetime: () => "datetime2",
    time: () => "time(0)",
    binary: () => "varbinary(max)",
    json: () => "nvarchar(max)",
    any: () => "nvarchar(max)",
  },
  keyText: "nvarchar(255)",
  identity: "IDENTITY(1,1)",
  generated: (expression) => `AS (${expression}) PERSISTED`,
  typesGenerated: false,
  nullsEqual: true,
  defaultOf: (expression) => expression,
  // Spaces at the end of a text count for nothing: a blank equals the empty text, which is there already.
  text: (value) => `N${quoteText(value === " " ? " x" : value)}`,
  bytes: (value) => `0x${value.toHex()}`,
  boolean: (value) => value ? "1" : "0",
  infinity: () => "NULL",
  canDefer: false,
  batch: 500,
  terminator: "\nGO\n",
  before: [],
  after: [],
  beforeRows: (table) => switchIdentity(table, "ON"),
  afterRows: (table, largest) => [...switchIdentity(table, "OFF"), ...countFrom(table, largest)],
  empty: ({ name }) => [`DELETE FROM ${quote(name)}`],
  rewrites: [
    ["round([Price] * (1 - [Discount]), 2)", "CAST(round([Price] * (1 - [Discount]), 2) AS decimal(10,2))"],
    ["strftime('%Y-%m', [Booking].[BookedAt])", "CONVERT(char(7), [Booking].[BookedAt], 126)"],
    ["GROUP BY 1, 2", "GROUP BY CONVERT(char(7), [Booking].[BookedAt], 126), [Fare].[Name]"],
    ["WHERE [Booking].[Paid]", "WHERE [Booking].[Paid] = 1"],
    ["length(", "len("],
    ["CURRENT_TIMESTAMP", "sysutcdatetime()"],
    ["'token ' || (abs(random()) % 1000)", "concat('token ', floor(rand() * 1000))"],
  ],
};

function switchIdentity(
  { name, columns }: Parameters<Engine["empty"]>[0],
  state: "ON" | "OFF",
): readonly string[] {
  return columns.some(({ isIdentity }) => isIdentity) ? [`SET IDENTITY_INSERT ${quote(name)} ${state}`] : [];
}

/** The next key follows the largest existing one. */
function countFrom({ name, columns }: Parameters<Engine["empty"]>[0], largest: bigint): readonly string[] {
  const hasIdentity = columns.some(({ isIdentity }) => isIdentity);
  return hasIdentity ? [`DBCC CHECKIDENT ('${name}', RESEED, ${largest})`] : [];
}
