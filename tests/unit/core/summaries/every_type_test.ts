import assert from "node:assert/strict";
import { SOURCES, TEST_DIALECTS, type TestDialect, testOn } from "@/tests/support/databases/mod.ts";
import { parseDatabase } from "@/tests/support/databases/parse_database.ts";
import { Place } from "./place.ts";

/** A table of the types that only one engine has, with values at their limits. */
const OWN: { readonly [Dialect in TestDialect]?: readonly [table: string, columns: readonly string[]] } = {
  sqlite: [
    `CREATE TABLE Own (i INTEGER, d DECIMAL(9,2), r REAL, day DATE, at DATETIME, t TIME, b BOOLEAN, a, x JSON);
INSERT INTO Own VALUES (1, 1.5, 1, '2009-01-01', '2009-01-01 10:00', '10:00', 1, 1, '{}'),
  ('text', 'text', 'text', 'text', 'text', 'text', 'text', 'text', 'text'),
  (1.5, 9e999, -9e999, 2454833, 1230768000, 5, 7, x'00', 5),
  (9223372036854775807, 9223372036854775807, 1e308, '-4713-01-01', '99999-01-01', '', 2, NULL, NULL),
  (9223372036854775807, -1, 1e308, '', '', '', 2, '', '');
`,
    ["i", "d", "r", "day", "at", "t", "b", "a", "x"],
  ],
  postgresql: [
    `CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE "Own" (i smallint, l bigint, o oid, n numeric, m money, f real, g double precision, day date, at timestamp,
  z timestamptz, t time, tz timetz, b boolean, u uuid, j json, jb jsonb, x xml, e mood, arr int[], ip inet, p point,
  span interval, bits bit(4), r int4range, s char(5), bytes bytea, v tsvector);
INSERT INTO "Own" VALUES
  (1, 9223372036854775807, 4294967295, 'NaN', '-92233720368547758.08', 'Infinity', 'NaN', 'infinity', '-infinity',
  '2009-01-01 23:30:00-05', '24:00', '10:00+02', true, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": 1}', '[1]', '<a/>',
  'sad', '{1,2}', '10.0.0.1', '(1,2)', '1 day', B'0101', '[1,5)', 'a', '\\x00', 'a'),
  (-1, 9223372036854775807, 0, 123456789012345678901234567890.123, '0.01', 0.1, 1e308, '0044-03-15 BC', '99999-12-31',
  '1969-12-31 23:59:59+00', '00:00', '10:00-02', false, 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '1', '1', '<b/>', 'glad',
  NULL, '::1', '(0,0)', '-1 mon', B'0000', 'empty', 'b', '\\xff', 'b'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
`,
    [
      ...[
        "i",
        "l",
        "o",
        "n",
        "m",
        "f",
        "g",
        "day",
        "at",
        "z",
        "t",
        "tz",
        "b",
        "u",
        "j",
        "jb",
        "x",
        "e",
        "arr",
        "ip",
      ],
      ...["p", "span", "bits", "r", "s", "bytes", "v"],
    ],
  ],
  mysql: [
    `CREATE TABLE Own (i tinyint, l bigint unsigned, d decimal(65,30), f float, g double, y year, bi bit(8), bo bit(1),
  day date, at datetime(6), z timestamp(3) NULL, t time(6), e enum('a','b'), s set('a','b'), u uuid, ip inet4, j json,
  c char(5), bytes varbinary(5), zf int(5) zerofill);
SET SESSION sql_mode = '';
INSERT INTO Own VALUES (1, 18446744073709551615, 12345678901234567890123456789012345.000000000000000000000000000001, 0.1,
  1e308, 1901, b'11111111', b'1', '0000-00-00', '2009-00-00', '2009-01-01 10:00:00', '-838:59:59', 'a', 'a,b', uuid(),
  '10.0.0.1', '{}', 'a', 'a', 7),
  (-1, 18446744073709551615, -1, -0.1, 1e308, 2155, b'0', b'0', '2009-01-31', '9999-12-31 23:59:59.999999',
  '1970-01-02 00:00:00', '838:59:59', '', '', uuid(), '0.0.0.0', '[1]', '', '', 0);
`,
    [
      "i",
      "l",
      "d",
      "f",
      "g",
      "y",
      "bi",
      "bo",
      "day",
      "at",
      "z",
      "t",
      "e",
      "s",
      "u",
      "ip",
      "j",
      "c",
      "bytes",
      "zf",
    ],
  ],
};

/** Columns that are only counted. */
const UNCOMPARED: ReadonlySet<string> = new Set(["binary", "json"]);

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "columns of every type are summed up", async (test) => {
    const script = SOURCES.types.script();
    const [more = "", own = []] = OWN[dialect] ?? [];
    await using place = await Place.open({ dialect, label: "types", script, more });
    const { tables } = parseDatabase(script);
    const columns = [
      ...tables.flatMap(({ name, columns }) => columns.map((column) => [name, column.name] as const)),
      ...own.map((name) => ["Own", name] as const),
    ];
    for (const [table, x] of columns) {
      await test.step(`${table} ${x}`, async () => {
        const { path, column } = place.find(table, x);
        const plain = await place.askPlainly(path, { column });
        const { type, rows, nulls, distinct, frequent } = plain.column;
        if (UNCOMPARED.has(type)) return assert.deepEqual([distinct, frequent], [undefined, []]);
        const values = await place.ask(path, { x, by: "value" });
        const { groups } = values;
        assert.equal(sum(groups?.items), rows - nulls);
        assert.equal(groups?.items.length, distinct);
        assert.deepEqual(
          (groups?.items ?? []).slice(0, 20).map(({ key, count }) => ({ value: key, count })),
          frequent,
        );
        const auto = (await place.ask(path, { x, y: x, by: "auto" }).catch(() =>
          place.ask(path, { x })
        )).groups;
        const isPeriod = auto?.by !== "value" && auto?.by !== "range";
        if (!isPeriod) assert.equal(sum(auto?.items), rows - nulls);
      });
    }
    for (const [x, by, expected] of EXPECTED[dialect] ?? []) {
      await test.step(`the groups of ${x} by ${by}`, async () => {
        const { groups } = await place.ask("Own", { x, by });
        assert.deepEqual(groups?.items.map(({ key }) => key), expected);
      });
    }
  });
}

/** The groups of some of these columns. */
const EXPECTED: {
  readonly [Dialect in TestDialect]?: readonly (readonly [string, string, readonly unknown[]])[];
} = {
  sqlite: [["day", "day", ["2009-01-01"]], ["at", "year", ["2009"]]],
  // In UTC; infinities and years that are no four digits are in no period.
  postgresql: [["z", "day", ["1969-12-31", "2009-01-02"]], ["day", "year", []], ["at", "month", []]],
  // Dates without a year are in no period.
  mysql: [["day", "month", ["2009-01"]], ["at", "year", ["2009", "9999"]]],
};

function sum(items: readonly { readonly count: number }[] = []): number {
  return items.reduce((all, { count }) => all + count, 0);
}
