/**
 * @module Values of every type of MySQL and MariaDB, in the spelling of SQL
 * and of JSON, with filters on them.
 */

/** A column type: values as they are written in SQL and as JSON shows them. */
export interface Kind {
  /** The type in CREATE TABLE. */
  readonly type: string;
  readonly values: readonly (readonly [sql: string, json: string])[];
  /** Filters as they stand in a path, and which of the values each finds. */
  readonly filters: Readonly<Record<string, readonly number[]>>;
}

const DIGITS = "12345678901234567890123456789012345.123456789012345678901234567891";

/** Types whose values a driver or JSON would rather change, by the names of their columns. */
export const KINDS: Readonly<Record<string, Kind>> = {
  wide: {
    type: "bigint unsigned",
    values: [["18446744073709551615", "18446744073709551615"], ["0", "0"], [
      "9007199254740993",
      "9007199254740993",
    ]],
    filters: { "18446744073709551615": [0], "9007199254740992": [], "9007199254740993..": [0, 2] },
  },
  big: {
    type: "bigint",
    values: [["-9223372036854775808", "-9223372036854775808"], [
      "9223372036854775807",
      "9223372036854775807",
    ]],
    filters: { "9223372036854775806": [], "9223372036854775807": [1], "..-1": [0] },
  },
  small: {
    type: "tinyint unsigned",
    values: [["255", "255"], ["0", "0"]],
    filters: { "255": [0], "-1": [], "1..": [0] },
  },
  padded: {
    type: "int(8) unsigned zerofill",
    values: [["42", "42"], ["4294967295", "4294967295"]],
    filters: { "00042": [0], "43..": [1] },
  },
  flag: {
    type: "tinyint(1)",
    values: [["1", "true"], ["0", "false"]],
    filters: { "true": [0], "False": [1] },
  },
  lamp: {
    type: "bit(1)",
    values: [["b'0'", "false"], ["b'1'", "true"]],
    filters: { "true": [1], "0": [0] },
  },
  bits: {
    type: "bit(64)",
    values: [["b'1000000001'", "513"], ["18446744073709551615", "18446744073709551615"]],
    filters: { "513": [0], "18446744073709551615": [1], "514..": [1] },
  },
  exact: {
    type: "decimal(65,30)",
    values: [[DIGITS, DIGITS], ["-0.1", "-0.100000000000000000000000000000"]],
    filters: {
      [DIGITS]: [0],
      [DIGITS.replace(/1$/, "0")]: [],
      "-0.1": [1],
      "-1...0": [1],
    },
  },
  price: {
    type: "decimal(8,2) unsigned zerofill",
    values: [["12.5", "12.50"], ["0", "0.00"]],
    filters: { "12.50": [0], "0": [1] },
  },
  single: {
    type: "float",
    values: [["0.1", "0.1"], ["16777216", "16777216"], ["3.4028234e38", "3.4028235e+38"], [
      "1e-40",
      "1e-40",
    ]],
    filters: { "0.1": [0], "16777216": [1], "1e20..": [2], "..1e-39": [3], "1e-40": [3] },
  },
  double: {
    type: "double",
    values: [["0.1", "0.1"], ["-1e300", "-1e+300"], ["2.2250738585072014e-308", "2.2250738585072014e-308"]],
    filters: { "0.1": [0], "..0": [1] },
  },
  day: {
    type: "date",
    values: [["'1000-01-01'", '"1000-01-01"'], ["'9999-12-31'", '"9999-12-31"'], [
      "'2024-03-10'",
      '"2024-03-10"',
    ]],
    filters: { "2024-03-10": [2], "..1999-12-31": [0] },
  },
  moment: {
    type: "datetime(6)",
    values: [
      ["'2024-03-10 02:30:00.123456'", '"2024-03-10T02:30:00.123456"'],
      ["'9999-12-31 23:59:59.999999'", '"9999-12-31T23:59:59.999999"'],
      ["'1000-01-01 00:00:00'", '"1000-01-01T00:00:00"'],
    ],
    filters: {
      "2024-03-10T02:30:00.123456": [0],
      "2024-03-10..2024-03-11": [0],
      "2024-03-10 02:30:00.123457": [],
    },
  },
  stamp: {
    type: "timestamp(3)",
    values: [["'2024-03-31 01:30:00.5'", '"2024-03-31T01:30:00.5"'], [
      "'1970-01-01 00:00:01'",
      '"1970-01-01T00:00:01"',
    ]],
    filters: { "2024-03-31T01:30:00.5": [0], "..2000-01-01": [1] },
  },
  clock: {
    type: "time(6)",
    values: [
      ["'838:59:59'", '"838:59:59"'],
      ["'-838:59:59'", '"-838:59:59"'],
      ["'-00:00:00.000001'", '"-00:00:00.000001"'],
      ["'08:15:00.25'", '"08:15:00.25"'],
    ],
    filters: {
      "08:15:00.25": [3],
      "08:00..24:00": [3],
      "100:00:00..": [0],
      "-838:59:59": [1],
      "..-00:00:01": [1],
    },
  },
  vintage: {
    type: "year",
    values: [["2155", "2155"], ["1901", "1901"], ["0000", "0"]],
    filters: { "1901": [1], "2000..": [0], "..99": [2] },
  },
  fixed: {
    type: "char(5)",
    values: [["'ab'", '"ab"'], ["''", '""'], ["'Zoë🎈'", '"Zoë🎈"']],
    filters: { "ab": [0], "": [1], "*%F0%9F%8E%88": [2] },
  },
  words: {
    type: "varchar(60)",
    values: [
      [String.raw`'50% \\ _x_ !'`, String.raw`"50% \\ _x_ !"`],
      ["'tail  '", '"tail  "'],
      ["''", '""'],
      [
        String.raw`'[a] \\n'`,
        String.raw`"[a] \\n"`,
      ],
    ],
    filters: {
      "50%25 %5C %5Fx%5F !": [0],
      "*%25*": [0],
      "*%5C*": [0, 3],
      "*%5Fx*": [0],
      "*!": [0],
      "*%5Cn": [3],
      "[a]*": [3],
    },
  },
  prose: {
    type: "longtext",
    values: [["concat('a', char(10), 'b')", String.raw`"a\nb"`], [`'''"<&>'`, String.raw`"'\"<&>"`]],
    filters: { "*b": [0], "*%3C*": [1] },
  },
  choice: {
    type: "enum('small','it''s, large','','1')",
    values: [["'small'", '"small"'], ["'it''s, large'", `"it's, large"`], ["''", '""'], ["'1'", '"1"']],
    filters: { "small": [0], "it's%2C large": [1], "": [2], "1": [3], "*large": [1] },
  },
  // The server tells its members as `?` and `low`.
  mood: {
    type: "enum('🎈','low')",
    values: [["'🎈'", '"🎈"'], ["'low'", '"low"']],
    filters: { "%F0%9F%8E%88": [0] },
  },
  several: {
    type: "set('a','b','c')",
    values: [["'a,c'", '"a,c"'], ["''", '""'], ["'b'", '"b"']],
    filters: { "a%2Cc": [0], "": [1], "*c*": [0] },
  },
  bytes: {
    type: "varbinary(8)",
    values: [["x'00ff10'", '"AP8Q"'], ["''", '""']],
    filters: { "AP8Q": [0], "": [1] },
  },
  full: {
    type: "binary(3)",
    values: [["x'00ff10'", '"AP8Q"'], ["x'610000'", '"YQAA"']],
    filters: { "YQAA": [1] },
  },
  large: {
    type: "longblob",
    values: [["repeat(x'ff', 5)", '"//////8="'], ["''", '""']],
    filters: { "%2F%2F%2F%2F%2F%2F8=": [0] },
  },
  document: {
    type: "json",
    values: [[`'{"a": [1, "x"]}'`, String.raw`"{\"a\": [1, \"x\"]}"`], ["'null'", '"null"']],
    filters: { "null": [1], "*1%2C *": [0] },
  },
};

/** Types and values of MariaDB only. */
export const MARIADB_KINDS: Readonly<Record<string, Kind>> = {
  span: {
    type: "time(6)",
    values: [["'838:59:59.999999'", '"838:59:59.999999"'], ["'-838:59:59.5'", '"-838:59:59.5"']],
    filters: { "838:59:59.999999": [0], "838:59:59..": [0], "..-838:59:59": [1] },
  },
  identifier: {
    type: "uuid",
    values: [["'0BC930D3-e4e0-11f1-8d98-02fc00000001'", '"0bc930d3-e4e0-11f1-8d98-02fc00000001"']],
    filters: { "0bc930d3-e4e0-11f1-8d98-02fc00000001": [0], "0bc9*": [0], "*02": [] },
  },
  address: {
    type: "inet6",
    values: [["'::1'", '"::1"'], ["'2001:db8::ff'", '"2001:db8::ff"']],
    filters: { "0:0::1": [0], "2001*": [1] },
  },
  network: {
    type: "inet4",
    values: [["'10.0.0.1'", '"10.0.0.1"']],
    filters: { "10.0.0.1": [0], "10*": [0] },
  },
};
