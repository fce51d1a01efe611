/** @module Answers of every type fit the schemas that are given for them: ajv and xmllint are the judges. */

import assert from "node:assert/strict";
import { assertFits } from "@/tests/support/json_schema_judge.ts";
import { assertValidXml, assertXml, XMLLINT_MISSING } from "@/tests/support/well_formed_xml.ts";
import { KINDS } from "@/tests/support/type_cases/mysql.ts";
import { everyType } from "@/tests/support/type_cases/postgresql.ts";
import fc from "@/tests/support/random.ts";
import { LEFT_OUT, sharedEngines, type ValueDialect } from "./engines.ts";

const NAMES = fc.sample(
  fc.string({ unit: fc.constantFrom(...namesUnits()), minLength: 1, maxLength: 8 }),
  { numRuns: 60 },
);

/** Letters that later editions of XML take for names, and those that none does. */
function namesUnits(): readonly string[] {
  return [
    ..."aZ_x0-.:é\u00D7\u0132\u0133\u01F6\u0220\u02FF\u0370\u1200\u2C00\u3005\u4DB5\u9FFF\uA000𐀀🎈 ;<&",
  ];
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const distinctNames = [...new Map(NAMES.map((name) => [name.toLowerCase(), name])).values()];

/** The columns of every engine have these names, with random values of types that all engines have. */
const TYPES: Readonly<Record<ValueDialect, Readonly<Record<string, string>>>> = {
  sqlite: {
    ...{ whole: "BIGINT", exact: "DECIMAL(20,6)", ratio: "DOUBLE", flag: "BOOLEAN", words: "VARCHAR(40)" },
    ...{ day: "DATE", moment: "DATETIME", zoned: "TIMESTAMP", clock: "TIME", bytes: "BLOB", paper: "JSON" },
  },
  postgresql: {
    ...{
      whole: "bigint",
      exact: "numeric",
      ratio: "double precision",
      flag: "boolean",
      words: "varchar(40)",
    },
    ...{
      day: "date",
      moment: "timestamp",
      zoned: "timestamptz",
      clock: "time",
      bytes: "bytea",
      paper: "json",
    },
  },
  mysql: {
    ...{ whole: "bigint", exact: "decimal(40,20)", ratio: "double", flag: "boolean", words: "varchar(40)" },
    ...{
      day: "date",
      moment: "datetime(6)",
      zoned: "timestamp(6)",
      clock: "time(6)",
      bytes: "blob",
      paper: "json",
    },
  },
};

const two = (most: number, least = 0) =>
  fc.integer({ min: least, max: most }).map((n) => String(n).padStart(2, "0"));
const clock = fc.tuple(two(23), two(59), two(59), fc.constantFrom("", ".5", ".000001"))
  .map(([h, m, s, f]) => `${h}:${m}:${s}${f}`);
const day = fc.tuple(fc.integer({ min: 1971, max: 2037 }), two(12, 1), two(28, 1)).map((parts) =>
  parts.join("-")
);
const moment = fc.tuple(day, clock).map(([date, time]) => `${date}T${time}`);
const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => bytes.toBase64());

/** Values of some engines beside the common ones. */
const ODD: Readonly<Record<ValueDialect, Readonly<Record<string, readonly string[]>>>> = {
  sqlite: {
    ratio: ["Infinity"],
  },
  postgresql: {
    ...{ exact: ["NaN", "Infinity", "-Infinity"], ratio: ["NaN", "-Infinity"], clock: ["24:00:00"] },
    day: ["infinity", "-infinity", "12345-06-07", "0044-03-15 BC", "5874897-12-31"],
    moment: ["infinity", "12345-06-07T08:09:10.5", "0044-03-15T10:00:00 BC", "294276-12-31T23:59:59"],
    zoned: ["-infinity", "12345-06-07T08:09:10", "0044-03-15T10:00:00 BC"],
  },
  mysql: { clock: ["-838:59:59", "838:59:59", "25:00:00.5", "-00:00:00.000001"] },
};

function records(dialect: ValueDialect): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const odd = (name: string, common: fc.Arbitrary<unknown>) => {
    const others = ODD[dialect][name] ?? [];
    return others.length === 0 ? common : fc.oneof(common, fc.constantFrom(...others));
  };
  const members = {
    whole: fc.integer(),
    exact: odd("exact", fc.integer().map((n) => n / 100)),
    ratio: odd("ratio", fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 })),
    flag: fc.boolean(),
    words: fc.string({ maxLength: 10, unit: fc.constantFrom(..."a <>&'\"\\é🎈\t\n\r\u0001\u001f\uffff") }),
    day: odd("day", day),
    moment: odd("moment", moment),
    zoned: odd("zoned", moment),
    clock: odd("clock", clock),
    bytes: base64,
    paper: fc.constantFrom<unknown>({ a: [1.5, null] }, [], '"x"', 5),
  };
  return fc.record(Object.fromEntries(
    Object.entries(members).map(([name, values]) => [name, fc.option(values, { nil: null })]),
  ));
}

/** SQLite's names are the widest: a table and columns that XML has to escape. */
const ODD_NAMES = `CREATE TABLE ${quoted("\u0132🎈 ta:ble")} (${distinctNames.map(quoted).join(", ")})`;

function tableOf(dialect: ValueDialect): string {
  const columns = Object.entries(TYPES[dialect]).map(([name, type]) => `${name} ${type} NULL`);
  return `CREATE TABLE common (id integer PRIMARY KEY, ${columns.join(", ")})`;
}

const MYSQL_KINDS = Object.entries(KINDS).flatMap(([name, { type, values }]) => [
  `CREATE TABLE \`${name}\` (id INT PRIMARY KEY, value ${type} NULL) CHARSET utf8mb4`,
  `INSERT INTO \`${name}\` VALUES (-1, NULL), ${values.map(([sql], id) => `(${id}, ${sql})`).join(", ")}`,
]);

const engines = sharedEngines({
  sqlite: [tableOf("sqlite"), ODD_NAMES, `INSERT INTO ${quoted("\u0132🎈 ta:ble")} DEFAULT VALUES`],
  postgresql: [...everyType(), tableOf("postgresql")],
  mysql: ["SET SESSION sql_mode = '', time_zone = '+00:00'", ...MYSQL_KINDS, tableOf("mysql")],
});

/** A list, its first column transposed, and the same with `Z`, in JSON and XML. */
async function judge(path: string): Promise<void> {
  for (const query of ["?", "?transpose", "?tz=Z", "?nil_visible=false"]) {
    const json = await engines().send(200, "GET", `${path}.json${query}`);
    const schema = await engines().send(200, "GET", `${path}.json${query}&schema`);
    assertFits(schema, [json]);
    const xml = await engines().send(200, "GET", `${path}.xml${query}`);
    assertXml(xml);
    if (XMLLINT_MISSING) continue;
    await assertValidXml(await engines().send(200, "GET", `${path}.xml${query}&schema`), [xml]);
  }
}

const RUNS = 40;
for (const dialect of ["sqlite", "postgresql", "mysql"] as const) {
  Deno.test(`${dialect}: answers with random and with odd values fit their schemas${LEFT_OUT}`, async () => {
    if (!engines().dialects.includes(dialect)) return;
    const sample = fc.sample(records(dialect), { numRuns: RUNS });
    const odd = Object.entries(ODD[dialect]).flatMap(([name, values]) =>
      values.map((value) => ({ [name]: value }))
    );
    const body = JSON.stringify([...sample, ...odd].map((record, id) => ({ id, ...record })));
    await engines().send(201, "POST", `/db/${dialect}/common.json`, body);
    await judge(`/db/${dialect}/common`);
  });
}

Deno.test(`answers with columns of every type fit their schemas${LEFT_OUT}`, async () => {
  if (engines().dialects.includes("postgresql")) await judge("/db/postgresql/every");
  if (!engines().dialects.includes("mysql")) return;
  for (const name of Object.keys(KINDS)) await judge(`/db/mysql/${name}`);
});

Deno.test("names that XML 1.0 forbade until its 4th edition are escaped, and read back", async () => {
  const path = `/db/sqlite/${encodeURIComponent("\u0132🎈 ta:ble")}`;
  await judge(path);
  const xml = await engines().send(200, "GET", `${path}.xml`);
  const element = /<(_x0132_[^ >]*)/.exec(xml)?.[1] ?? "";
  assert.equal(element, "_x0132__xD83C__xDF88__x0020_ta_x003A_ble");
  await engines().send(201, "POST", `${path}.xml`, xml, "text/xml");
});
