/** @module A column of every type of SQL Server, two values for each, and how they look from outside. */

import { AWKWARD, type TypeCase } from "./every_type.ts";
const AWKWARD_SQL = `N'${AWKWARD.replaceAll("'", "''")}'`;

/**
 * Times have as many decimals as the server keeps: SQL Server seven, Babelfish six.
 */
export function typeCases(decimals: number): readonly TypeCase[] {
  const fine = `.${"1234567".slice(0, decimals)}`;
  return [
    { name: "a_tinyint", type: "tinyint", sql: ["0", "255"], json: ["0", "255"] },
    { name: "a_smallint", type: "smallint", sql: ["-32768", "32767"], json: ["-32768", "32767"] },
    { name: "a_int", type: "int", sql: ["-2147483648", "2147483647"], json: ["-2147483648", "2147483647"] },
    {
      name: "a_bigint",
      type: "bigint",
      sql: ["-9223372036854775808", "9007199254740993"],
      json: ["-9223372036854775808", "9007199254740993"],
    },
    {
      name: "a_decimal",
      type: "decimal(38,18)",
      sql: ["-0.000000000000000001", "12345678901234567890.123456789012345678"],
      json: ["-0.000000000000000001", "12345678901234567890.123456789012345678"],
    },
    { name: "a_numeric", type: "numeric(10,2)", sql: ["-5", "12345678.90"], json: ["-5.00", "12345678.90"] },
    {
      name: "a_money",
      type: "money",
      sql: ["-1234.5678", "12345678901234.5678"],
      json: ["-1234.5678", "12345678901234.5678"],
    },
    {
      name: "a_smallmoney",
      type: "smallmoney",
      sql: ["-0.5", "214748.3647"],
      json: ["-0.5000", "214748.3647"],
    },
    { name: "a_real", type: "real", sql: ["0.1", "3.4028235e38"], json: ["0.1", "3.4028235e+38"] },
    {
      name: "a_float",
      type: "float",
      sql: ["-1.7976931348623157e308", "0.30000000000000004e0"],
      json: ["-1.7976931348623157e+308", "0.30000000000000004"],
    },
    { name: "a_bit", type: "bit", sql: ["0", "1"], json: ["false", "true"] },
    {
      name: "a_nvarchar_max",
      type: "nvarchar(max)",
      sql: [AWKWARD_SQL, "N'zoë 🎈'"],
      json: [JSON.stringify(AWKWARD), '"zoë 🎈"'],
      filter: encodeURIComponent(AWKWARD),
    },
    { name: "a_nvarchar", type: "nvarchar(12)", sql: ["N''", "N'a b'"], json: ['""', '"a b"'] },
    { name: "a_varchar", type: "varchar(12)", sql: ["'[a]'", "'b_%'"], json: ['"[a]"', '"b_%"'] },
    { name: "a_char", type: "char(4)", sql: ["'ab'", "'b'"], json: ['"ab  "', '"b   "'], filter: "ab" },
    {
      name: "a_nchar",
      type: "nchar(4)",
      // In one order by their codes and by any language's.
      sql: ["N'bä'", "N'c'"],
      json: ['"bä  "', '"c   "'],
      filter: "b%C3%A4",
    },
    { name: "a_text", type: "text", sql: ["'a'", "'b'"], json: ['"a"', '"b"'], unordered: true },
    { name: "a_ntext", type: "ntext", sql: ["N'ä'", "N'b'"], json: ['"ä"', '"b"'], unordered: true },
    {
      name: "a_uniqueidentifier",
      type: "uniqueidentifier",
      sql: ["'00000000-0000-4000-8000-000000000001'", "'00000000-0000-4000-8000-ffffffffffff'"],
      json: ['"00000000-0000-4000-8000-000000000001"', '"00000000-0000-4000-8000-FFFFFFFFFFFF"'],
    },
    {
      name: "a_date",
      type: "date",
      sql: ["'0001-01-01'", "'9999-12-31'"],
      json: ['"0001-01-01"', '"9999-12-31"'],
    },
    {
      name: "a_time",
      type: `time(${decimals})`,
      sql: ["'00:00:00'", `'23:59:59${fine}'`],
      json: ['"00:00:00"', `"23:59:59${fine}"`],
    },
    {
      name: "a_short_time",
      type: "time(0)",
      sql: ["'01:02:03'", "'23:59:59'"],
      json: ['"01:02:03"', '"23:59:59"'],
    },
    {
      name: "a_datetime",
      type: "datetime",
      sql: ["'1753-01-01T00:00:00.003'", "'2024-03-10T02:30:00.997'"],
      json: ['"1753-01-01T00:00:00.003"', '"2024-03-10T02:30:00.997"'],
    },
    {
      name: "a_smalldatetime",
      type: "smalldatetime",
      sql: ["'1900-01-01T00:00:00'", "'2024-10-27T02:30:00'"],
      json: ['"1900-01-01T00:00:00"', '"2024-10-27T02:30:00"'],
    },
    {
      name: "a_datetime2",
      type: `datetime2(${decimals})`,
      sql: ["'2024-03-10T02:30:00'", `'2024-10-27T02:30:00${fine}'`],
      json: ['"2024-03-10T02:30:00"', `"2024-10-27T02:30:00${fine}"`],
    },
    {
      name: "a_datetimeoffset",
      type: `datetimeoffset(${decimals})`,
      sql: ["'2024-03-10T02:30:00+13:00'", `'2024-10-27T02:30:00${fine}-05:30'`],
      json: ['"2024-03-10T02:30:00+13:00"', `"2024-10-27T02:30:00${fine}-05:30"`],
      filter: "2024-03-09T13:30:00",
    },
    {
      name: "a_binary",
      type: "binary(4)",
      sql: ["0x00000001", "0xFFFFFFFF"],
      json: ['"AAAAAQ=="', '"/////w=="'],
    },
    { name: "a_varbinary", type: "varbinary(10)", sql: ["0x00", "0x0102"], json: ['"AA=="', '"AQI="'] },
    { name: "a_varbinary_max", type: "varbinary(max)", sql: ["0x", "0xFF"], json: ['""', '"/w=="'] },
    { name: "a_image", type: "image", sql: ["0x01", "0x02"], json: ['"AQ=="', '"Ag=="'], unordered: true },
    {
      name: "a_xml",
      type: "xml",
      sql: ["'<a b=\"1\">x</a>'", "'<c/>'"],
      json: ['"<a b=\\"1\\">x</a>"', '"<c/>"'],
      filter: encodeURIComponent('<a b="1">x</a>').replaceAll("%2F", "__"),
      unordered: true,
    },
  ];
}

/** A table with a column of every type: two rows of values, and one of NULL. */
export function everyType(cases: readonly TypeCase[]): readonly string[] {
  const columns = cases.map(({ name, type }) => `${name} ${type}`);
  const row = (id: number, at: 0 | 1) =>
    `insert into every values (${[id, ...cases.map(({ sql }) => sql[at])].join(", ")})`;
  return [
    `create table every (id int not null primary key, ${columns.join(", ")})`,
    row(1, 0),
    row(2, 1),
    "insert into every (id) values (3)",
  ];
}
