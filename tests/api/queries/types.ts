/**
 * A query gives the values of a table's columns as the table itself does, in every format; the types of its
 * columns are found by preparing it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { stringify } from "yaml";
import { onServer, withLogins } from "@/tests/support/databases/configure.ts";
import { fixtureOf, loadDatabase, SOURCES, type TestDialect, testOn } from "@/tests/support/databases/mod.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { textOf } from "@/tests/support/text_of.ts";

const DATABASES = 'Types: {db_type: sqlite, db_name: "${ROWHOUSE_STATE}/types.db"}\n';
const USERS = "public: {databases: {Types: {}}}\n";

/** Tables with a key of one column, which determines the order of rows. */
const TABLES = fixtureOf("types").tables.filter(({ primaryKey, columns }) => {
  return primaryKey.length === 1 && columns.every(({ name }) => /^\w+$/.test(name));
});

const QUOTES: { readonly [Dialect in TestDialect]: (name: string) => string } = {
  sqlite: (name) => `"${name}"`,
  postgresql: (name) => `"${name}"`,
  mysql: (name) => `\`${name}\``,
  mssql: (name) => `[${name}]`,
};

interface TypedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: string;
}

/** Types that only one engine has. */
const OWN: { readonly [Dialect in TestDialect]?: readonly string[] } = {
  postgresql: [
    'CREATE TABLE "Odd" ("Id" int PRIMARY KEY, "Price" money, "Clock" timetz, "At" timestamptz, "Doc" jsonb, ' +
    '"List" int[], "Tag" uuid, "Span" interval, "Small" real, "Some" int4range, "Wide" numeric(40,20), "Bits" bit(3))',
    `INSERT INTO "Odd" VALUES (1, -1234.5, '23:30:00.25-02', '2024-02-29 12:00:00.123456+02', '{"a": 1}', '{1,NULL}', ` +
    "'6ecd8c99-4036-403d-bf84-cf8400f67836', '1 day 02:03', 0.1, '[1,5)', 12345678901234567890.12345678901234567890, " +
    "'101'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), " +
    "(3, 0, '00:00:00+05:30', 'infinity', 'null', '{}', NULL, NULL, 'NaN', 'empty', 'NaN', '000')",
  ],
  mysql: [
    "CREATE TABLE Odd (Id INT PRIMARY KEY, Flag BIT(1), Bits BIT(9), Born YEAR, Clock TIME(3), One ENUM('a','b'), " +
    "Some SET('a','b'), Wide DECIMAL(40,20) UNSIGNED, Small FLOAT, Doc JSON, Raw VARBINARY(10), Fixed BINARY(3), " +
    "Big BIGINT UNSIGNED, Tag /*!80000 CHAR(36) *//*M! UUID */, At TIMESTAMP(6) NULL, Truth TINYINT(1), Filled INT ZEROFILL, " +
    "Cost DOUBLE(10,2))",
    "INSERT INTO Odd VALUES (1, b'1', b'100000001', 2024, '-838:59:58.5', 'b', 'a,b', 12345678901234567890.5, 0.1, " +
    "'{\"a\": 1}', x'00ff', x'010203', 18446744073709551615, '6ecd8c99-4036-403d-bf84-cf8400f67836', " +
    "'2024-02-29 12:00:00.123456', 1, 7, -0.07), " +
    "(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
  ],
};

const OWN_COLUMNS: { readonly [Dialect in TestDialect]?: readonly string[] } = {
  postgresql: "Id,Price,Clock,At,Doc,List,Tag,Span,Small,Some,Wide,Bits".split(","),
  mysql: "Id,Flag,Bits,Born,Clock,One,Some,Wide,Small,Doc,Raw,Fixed,Big,Tag,At,Truth,Filled,Cost".split(","),
};

function tablesOf(dialect: TestDialect): readonly TypedTable[] {
  const common = TABLES.map(({ name, columns, primaryKey }) => {
    return { name, columns: columns.map((column) => column.name), key: primaryKey[0] ?? "" };
  });
  const columns = OWN_COLUMNS[dialect];
  return columns ? [...common, { name: "Odd", columns, key: "Id" }] : common;
}

/** Registers the tests. Without the engine's server they are ignored. */
export function testTypes(dialect: TestDialect): void {
  testSelected(dialect);
  testRefused(dialect);
  testOn(dialect, "a query gives what the table gives", async (step) => {
    await using service = await start(dialect);
    for (const { name, columns } of tablesOf(dialect)) {
      const listed = columns.join();
      for (const extension of ["json", "csv", "json?schema", "json?stream"]) {
        await step.step(`${name}.${extension}`, async () => {
          const table = await textOf(service.fetch(`/db/Types/${name}/${listed}.${extension}`));
          const query = await textOf(service.fetch(`/query/${name}.${extension}`));
          assert.equal(comparable(query, extension), comparable(table, extension));
        });
      }
    }
  });
}

/** The text behind a type's parameter that is selected: in JSON, and in CSV. */
const SELECTED = [
  ["decimal", "12.5", "12.5", "12.5"],
  ["datetime", "2020-01-01T10:00:00", '"2020-01-01T10:00:00"', "2020-01-01T10:00:00"],
  ["datetime", "2020-01-01", '"2020-01-01T00:00:00"', "2020-01-01T00:00:00"],
  ["datetime", "2020-01-01T10:00", '"2020-01-01T10:00:00"', "2020-01-01T10:00:00"],
  ["date", "2020-01-01", '"2020-01-01"', "2020-01-01"],
  ["boolean", "true", "true", "true"],
  ["integer", "9007199254740993", "9007199254740993", "9007199254740993"],
  ["text", "5", '"5"', "5"],
] as const;

function testSelected(dialect: TestDialect): void {
  testOn(dialect, "a selected parameter has the type that its query declares", async () => {
    await using service = await start(dialect);
    for (const [type, value, json, csv] of SELECTED) {
      const path = `/query/selected-${type}/given/${value.replaceAll(".", "%2E")}`;
      for (const column of ["given", "gew%C3%A4hlt"]) {
        const text = await textOf(service.fetch(`${path}/${column}.json`));
        assert.equal(text.replaceAll(/\s/g, ""), `[${json}]`, `${type} ${column}`);
      }
      const lines = `given,gewählt\r\n${csv},${csv}\r\n`;
      assert.equal(await textOf(service.fetch(`${path}.csv`)), lines, type);
    }
  });
}

function testRefused(dialect: TestDialect): void {
  testOn(dialect, "a parameter that its engine would change is refused", async () => {
    await using service = await start(dialect);
    const refused = [["text", "a\0"], ["datetime", "2019-12-31T23:59:59.99999999"]] as const;
    for (const [type, given] of dialect === "sqlite" ? refused.slice(0, 1) : refused) {
      const path = `/query/selected-${type}`;
      for (
        const answer of [
          await service.fetch(`${path}/given/${encodeURIComponent(given)}.json`),
          await service.fetch(`${path}.json`, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ given }),
          }),
        ]
      ) {
        const text = await answer.text();
        assert.equal(answer.status, 400, text);
        assert.match(text, /decimals of a second|U\+0000/);
      }
    }
  });
}

/** Of schemas only the types of the columns: a query knows of no keys, lengths, UUIDs or NULL. */
function comparable(text: string, extension: string): string {
  if (!extension.endsWith("schema")) return text;
  const { items } = JSON.parse(text);
  const properties: Readonly<Record<string, { readonly type?: unknown; readonly format?: unknown }>> =
    items.properties;
  return Object.entries(properties).map(([name, { type, format }]) => {
    const types = [type].flat().filter((each) => each !== "null");
    return `${name}: ${types.join("|")} ${format === "uuid" ? "" : format ?? ""}`;
  }).join("\n");
}

function queries(dialect: TestDialect): string {
  const quote = QUOTES[dialect];
  const selected = [...new Set(SELECTED.map(([type]) => type))].map((type) => {
    const sqlstr = `SELECT :given AS ${quote("given")}, :given AS gewählt`;
    return [`selected-${type}`, {
      database: "Types",
      sqlstr,
      parameters: { given: type },
      http_methods: { GET: true, POST: true },
      execute: ["public"],
    }];
  });
  return stringify(Object.fromEntries([
    ...selected,
    ...tablesOf(dialect).map(({ name, columns, key }) => {
      const sqlstr = `SELECT ${columns.map(quote).join(", ")} FROM ${quote(name)} ORDER BY ${quote(key)}`;
      return [name, { database: "Types", sqlstr, execute: ["public"] }];
    }),
  ]));
}

async function start(dialect: TestDialect): Promise<TestService> {
  const definitions = { "config/querydefs.cfg": queries(dialect) };
  if (dialect === "sqlite") {
    const files = { "config/databases.cfg": DATABASES, "config/users.cfg": USERS, ...definitions };
    return await startService({ files, sqlite: { Types: SOURCES.types.script() } });
  }
  const server = await useServer(dialect);
  const types = await loadDatabase(server, "types", `queries_${crypto.randomUUID().slice(0, 8)}`);
  await server.exec((OWN[dialect] ?? []).map((sql) => `${sql};\n`).join(""), types);
  const files = {
    "config/databases.cfg": onServer(DATABASES, server, { types }),
    "config/users.cfg": withLogins(USERS, server),
    ...definitions,
  };
  return await startService({ files });
}
