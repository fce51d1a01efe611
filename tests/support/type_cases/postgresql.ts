/** @module A column of every type of PostgreSQL, two values for each, and how they look from outside. */

import { AWKWARD, type TypeCase } from "./every_type.ts";

/** A column of the table `every` for each type that PostgreSQL has built in. */
export const TYPE_CASES: readonly TypeCase[] = [
  { name: "a_int2", type: "smallint", sql: ["-32768", "32767"], json: ["-32768", "32767"] },
  {
    name: "a_int4",
    type: "integer",
    sql: ["-2147483648", "2147483647"],
    json: ["-2147483648", "2147483647"],
  },
  {
    name: "a_int8",
    type: "bigint",
    sql: ["-9223372036854775808", "9007199254740993"],
    json: ["-9223372036854775808", "9007199254740993"],
  },
  { name: "a_regtype", type: "regtype", sql: ["boolean", "integer"], json: ['"boolean"', '"integer"'] },
  { name: "a_oid", type: "oid", sql: ["0", "4294967295"], json: ["0", "4294967295"] },
  {
    name: "a_numeric",
    type: "numeric",
    sql: ["-0.00000000000000000001", "12345678901234567890.12345678901234567890"],
    json: ["-0.00000000000000000001", "12345678901234567890.12345678901234567890"],
  },
  { name: "a_scaled", type: "numeric(10,2)", sql: ["-5", "12345678.90"], json: ["-5.00", "12345678.90"] },
  { name: "a_nan", type: "numeric", sql: ["-Infinity", "NaN"], json: ['"-Infinity"', '"NaN"'] },
  { name: "a_money", type: "money", sql: ["-1234.56", "12345678.90"], json: ["-1234.56", "12345678.90"] },
  { name: "a_real", type: "real", sql: ["0.1", "3.4028235e+38"], json: ["0.1", "3.4028235e+38"] },
  {
    name: "a_double",
    type: "double precision",
    sql: ["-1.7976931348623157e+308", "0.30000000000000004"],
    json: ["-1.7976931348623157e+308", "0.30000000000000004"],
  },
  {
    name: "a_limitless",
    type: "double precision",
    sql: ["-Infinity", "NaN"],
    json: ['"-Infinity"', '"NaN"'],
  },
  { name: "a_boolean", type: "boolean", sql: ["false", "true"], json: ["false", "true"], unordered: true },
  {
    name: "a_text",
    type: "text",
    sql: [AWKWARD, "zoë 🎈"],
    json: [JSON.stringify(AWKWARD), '"zoë 🎈"'],
    filter: encodeURIComponent(AWKWARD),
  },
  { name: "a_varchar", type: "varchar(12)", sql: ["", "a b"], json: ['""', '"a b"'] },
  { name: "a_char", type: "char(4)", sql: ["ab", "b"], json: ['"ab  "', '"b   "'], filter: "ab" },
  { name: "a_citext", type: "citext", sql: ["Anna", "bert"], json: ['"Anna"', '"bert"'], filter: "ANNA" },
  {
    name: "a_uuid",
    type: "uuid",
    sql: ["00000000-0000-4000-8000-000000000001", "ffffffff-ffff-4fff-bfff-ffffffffffff"],
    json: ['"00000000-0000-4000-8000-000000000001"', '"ffffffff-ffff-4fff-bfff-ffffffffffff"'],
  },
  { name: "a_date", type: "date", sql: ["1900-02-28", "9999-12-31"], json: ['"1900-02-28"', '"9999-12-31"'] },
  {
    name: "a_far_date",
    type: "date",
    sql: ["0044-03-15 BC", "12345-06-07"],
    json: ['"0044-03-15 BC"', '"12345-06-07"'],
  },
  {
    name: "an_endless_date",
    type: "date",
    sql: ["-infinity", "infinity"],
    json: ['"-infinity"', '"infinity"'],
  },
  {
    name: "a_time",
    type: "time",
    sql: ["00:00:00", "23:59:59.999999"],
    json: ['"00:00:00"', '"23:59:59.999999"'],
  },
  { name: "a_late_time", type: "time", sql: ["23:59:59", "24:00:00"], json: ['"23:59:59"', '"24:00:00"'] },
  {
    name: "a_timetz",
    type: "timetz",
    sql: ["05:04:05.5+02", "20:00:00-03:30"],
    json: ['"05:04:05.5+02:00"', '"20:00:00-03:30"'],
  },
  {
    name: "a_far_timetz",
    type: "timetz",
    sql: ["10:00:00+15:59", "24:00:00-08"],
    json: ['"10:00:00+15:59"', '"24:00:00-08:00"'],
  },
  {
    name: "an_old_timetz",
    type: "timetz",
    sql: ["10:00:00+01:02:03", "10:00:00-15:59:59"],
    json: ['"10:00:00+01:02:03"', '"10:00:00-15:59:59"'],
  },
  {
    name: "a_timestamp",
    type: "timestamp",
    sql: ["2024-03-10 02:30:00", "2024-10-27 02:30:00.000001"],
    json: ['"2024-03-10T02:30:00"', '"2024-10-27T02:30:00.000001"'],
  },
  {
    name: "a_far_timestamp",
    type: "timestamp",
    sql: ["0044-03-15 10:00:00 BC", "12345-06-07 08:09:10.5"],
    json: ['"0044-03-15T10:00:00 BC"', '"12345-06-07T08:09:10.5"'],
  },
  {
    name: "a_timestamptz",
    type: "timestamptz",
    sql: ["2024-03-10 02:30:00+13", "2024-10-27 02:30:00.123456-05:30"],
    json: ['"2024-03-09T13:30:00"', '"2024-10-27T08:00:00.123456"'],
  },
  {
    name: "a_far_timestamptz",
    type: "timestamptz",
    sql: ["0044-03-15 10:00:00+00 BC", "infinity"],
    json: ['"0044-03-15T10:00:00 BC"', '"infinity"'],
  },
  {
    name: "a_interval",
    type: "interval",
    sql: ["-1 years -2 mons +3 days -04:05:06.000007", "1 year 2 mons 3 days 04:05:06"],
    json: ['"-1 years -2 mons +3 days -04:05:06.000007"', '"1 year 2 mons 3 days 04:05:06"'],
  },
  {
    name: "a_json",
    type: "json",
    sql: [`{"b": [1.0,  2],"a":"x"}`, "12345678901234567890"],
    json: [String.raw`"{\"b\": [1.0,  2],\"a\":\"x\"}"`, '"12345678901234567890"'],
    filter: encodeURIComponent(`{"a":"x","b":[1,2]}`),
    unordered: true,
  },
  {
    name: "a_jsonb",
    type: "jsonb",
    sql: ["12345678901234567890.10", `{"a": null}`],
    json: ['"12345678901234567890.10"', String.raw`"{\"a\": null}"`],
  },
  {
    name: "an_array",
    type: "integer[]",
    sql: ["{1,NULL,3}", "{{4,5},{6,7}}"],
    json: ['"{1,NULL,3}"', '"{{4,5},{6,7}}"'],
  },
  {
    name: "a_text_array",
    type: "text[]",
    sql: [`{"a b","c,\\"d\\"",""}`, "[2:3]={x,y}"],
    json: [JSON.stringify(`{"a b","c,\\"d\\"",""}`), '"[2:3]={x,y}"'],
    filter: encodeURIComponent(`{"a b","c,\\"d\\"",""}`),
  },
  { name: "an_enum", type: "mood", sql: ["sad", "happy"], json: ['"sad"', '"happy"'] },
  {
    name: "a_bytea",
    type: "bytea",
    sql: ["\\x00ff5c", "\\x61"],
    json: ['"AP9c"', '"YQ=="'],
    unordered: true,
  },
  {
    name: "an_inet",
    type: "inet",
    sql: ["10.0.0.1/8", "2001:db8::1"],
    json: ['"10.0.0.1/8"', '"2001:db8::1"'],
  },
  {
    name: "a_cidr",
    type: "cidr",
    sql: ["10.0.0.0/8", "2001:db8::/32"],
    json: ['"10.0.0.0/8"', '"2001:db8::/32"'],
  },
  {
    name: "a_macaddr",
    type: "macaddr",
    sql: ["08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"],
    json: ['"08:00:2b:01:02:03"', '"ff:ff:ff:ff:ff:ff"'],
  },
  {
    name: "a_range",
    type: "numrange",
    sql: ["(,5.50]", "[1.1,2.2)"],
    json: ['"(,5.50]"', '"[1.1,2.2)"'],
  },
  {
    name: "a_tstzrange",
    type: "tstzrange",
    sql: [`["2024-01-01 12:00:00+00",)`, `["2024-06-01 12:00:00+00","2024-07-01 12:00:00+00")`],
    json: [
      String.raw`"[\"2024-01-01 12:00:00+00\",)"`,
      String.raw`"[\"2024-06-01 12:00:00+00\",\"2024-07-01 12:00:00+00\")"`,
    ],
    filter: encodeURIComponent(`["2024-01-01 12:00:00+00",)`),
  },
  {
    name: "a_multirange",
    type: "int4multirange",
    sql: ["{[1,3),[5,7)}", "{[10,20)}"],
    json: ['"{[1,3),[5,7)}"', '"{[10,20)}"'],
  },
  { name: "a_bit", type: "bit(4)", sql: ["0011", "1010"], json: ['"0011"', '"1010"'] },
  { name: "a_varbit", type: "bit varying(8)", sql: ["01", "1"], json: ['"01"', '"1"'] },
  { name: "a_tsvector", type: "tsvector", sql: ["'z'", "'a':1 'b':2A"], json: [`"'z'"`, `"'a':1 'b':2A"`] },
  {
    name: "an_xml",
    type: "xml",
    sql: ["<a><b/> x</a>", "text &amp; more"],
    json: ['"<a><b/> x</a>"', '"text &amp; more"'],
    filter: encodeURIComponent("<a><b/> x</a>"),
    unordered: true,
  },
  {
    name: "a_point",
    type: "point",
    sql: ["(1,2)", "(0.1,-0.3)"],
    json: ['"(1,2)"', '"(0.1,-0.3)"'],
    unordered: true,
  },
  {
    name: "a_hstore",
    type: "hstore",
    sql: [`"a"=>NULL, "b"=>"x \\"y\\""`, `"z"=>"1"`],
    json: [JSON.stringify(`"a"=>NULL, "b"=>"x \\"y\\""`), String.raw`"\"z\"=>\"1\""`],
    filter: encodeURIComponent(`"a"=>NULL, "b"=>"x \\"y\\""`),
    unordered: true,
  },
  { name: "a_domain", type: "positive", sql: ["1.5", "20"], json: ["1.5", "20"] },
  {
    name: "a_composite",
    type: "place",
    sql: ['(1,"a b")', "(2,)"],
    json: [String.raw`"(1,\"a b\")"`, '"(2,)"'],
    filter: encodeURIComponent(`(1,"a b")`),
    unordered: true,
  },
];

/** Everything that a server, a database or a login could set otherwise. */
const CONTRARY = {
  timezone: "America/New_York",
  datestyle: "SQL, DMY",
  intervalstyle: "sql_standard",
  bytea_output: "escape",
  extra_float_digits: "-5",
  array_nulls: "off",
  xmloption: "document",
  lc_monetary: "C",
  standard_conforming_strings: "off",
  default_transaction_isolation: "serializable",
};

/** The statements that make the table `every`: row 1 has the smaller values, 2 the larger ones, 3 none. */
export function everyType(): readonly string[] {
  const values = (at: 0 | 1) => TYPE_CASES.map(({ sql }) => `'${sql[at].replaceAll("'", "''")}'`).join(", ");
  return [
    "CREATE EXTENSION citext",
    "CREATE EXTENSION hstore",
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE DOMAIN positive AS numeric CHECK (value > 0)",
    "CREATE TYPE place AS (x integer, name text)",
    `CREATE TABLE every (id integer PRIMARY KEY, ${
      TYPE_CASES.map(({ name, type }) => `${name} ${type}`).join(", ")
    })`,
    `INSERT INTO every VALUES (1, ${values(0)})`,
    `INSERT INTO every VALUES (2, ${values(1)})`,
    "INSERT INTO every (id) VALUES (3)",
    ...Object.entries(CONTRARY).map(([name, value]) => {
      return `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${name} = %L', current_database(), '${value}'); END $$`;
    }),
  ];
}
