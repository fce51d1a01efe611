import assert from "node:assert/strict";
import type { Catalog, DatabaseDefinition, Value } from "@/plugins/contract.ts";
import { readCatalog } from "@/plugins/dialects/mssql/catalog.ts";
import { type Query, readFingerprint } from "@/plugins/dialects/mssql/query.ts";
import { definitionOn, SERVER } from "./fixture.ts";
import { servePlace, testOnServer } from "@/tests/api/dialects/mssql_service.ts";

type Rows = readonly (readonly Value[])[];

interface ServerTables {
  readonly tables: Rows;
  readonly columns: Rows;
  readonly keys?: Rows;
  readonly foreignKeys?: Rows;
}

/** The rows of the server's catalog views for a query, limited to the configured schemas. */
function queryOf({ tables, columns, keys = [], foreignKeys = [] }: ServerTables, schemas: string[]): Query {
  return (sql, ...parameters) => {
    if (sql === "select schema_name()") return Promise.resolve([["dbo"]]);
    assert.deepEqual(parameters, schemas);
    if (sql.startsWith("select s.name")) {
      return Promise.resolve(schemas.filter((name) => name !== "nowhere").map((name) => [name]));
    }
    if (sql.includes("sys.foreign_keys")) return Promise.resolve(foreignKeys);
    if (sql.includes("sys.indexes")) return Promise.resolve(keys);
    return Promise.resolve(sql.includes("sys.columns") ? columns : tables);
  };
}

/** A column as the catalog view has it: table, number, name, type, bytes, precision, scale, then flags. */
function column(
  [table, position, name, type]: readonly [number, number, string, string],
  more: Partial<Record<"bytes" | "precision" | "scale" | "fallback" | "always", number>> & {
    nullable?: boolean;
    identity?: boolean;
    computed?: boolean;
    comment?: string;
    codePage?: number;
  } = {},
): readonly Value[] {
  const { bytes = 4, precision = 0, scale = 0, fallback = 0, always = 0, comment = null, codePage = null } =
    more;
  const { nullable = true, identity = false, computed = false } = more;
  return [
    table,
    position,
    name,
    type,
    bytes,
    precision,
    scale,
    nullable,
    identity,
    computed,
    fallback,
    always,
    comment,
    codePage,
  ];
}

async function read(
  tables: ServerTables,
  { dbSchema = [], ignoreDefaultFields = false }: {
    dbSchema?: string[];
    ignoreDefaultFields?: boolean;
  } = {},
): Promise<Catalog> {
  const definition: DatabaseDefinition = definitionOn(new URL("mssql://db.example"), "shop", { dbSchema });
  const schemas = dbSchema.length > 0 ? dbSchema : ["dbo"];
  return await readCatalog(queryOf(tables, schemas), { definition, host: { ignoreDefaultFields } });
}

const NOTICED = [
  ["begins or ceases to have snapshots", "snapshot_isolation_state"],
  ["gets a trigger, which is no change of its table", "from sys.triggers"],
];

for (const [what = "", source = ""] of NOTICED) {
  Deno.test(`the database is connected again when it ${what}`, async () => {
    const printOf = (state: number) =>
      readFingerprint((sql) => Promise.resolve([sql.includes(source) ? [1, state] : [1]]));
    assert.notEqual(await printOf(1), await printOf(0));
  });
}

Deno.test("a table has no rules if the server tells of no trigger on its changes, and joins inserts without one on those", async () => {
  const { tables } = await read({
    tables: [
      [1, "dbo", "Plain", "table", null, 0, 0, 0],
      [2, "dbo", "Audited", "table", null, 1, 0, 0],
      [3, "dbo", "Kept", "table", null, 0, 1, 0],
      [4, "dbo", "Filled", "table", null, 0, 0, 1],
      [5, "dbo", "Seen", "view", null, null, null, null],
    ],
    columns: [1, 2, 3, 4, 5].map((table) => column([table, 1, "a", "int"])),
  });
  const plain = tables.filter(({ withoutRules }) => withoutRules).map(({ name }) => name);
  assert.deepEqual(plain, ["Plain", "Filled"]);
  const joined = tables.filter(({ joinsInserts }) => joinsInserts).map(({ name }) => name);
  assert.deepEqual(joined, ["Plain", "Audited", "Kept"]);
});

Deno.test("columns have the types that they are declared with", async () => {
  const { tables } = await read({
    tables: [[1, "dbo", "T", "table", null]],
    columns: [
      column([1, 1, "a", "nvarchar"], { bytes: 80 }),
      column([1, 2, "b", "nvarchar"], { bytes: -1 }),
      column([1, 3, "c", "varchar"], { bytes: 80 }),
      column([1, 4, "d", "decimal"], { precision: 10, scale: 2 }),
      column([1, 5, "e", "datetime2"], { scale: 3 }),
      column([1, 6, "f", "sysname"], { bytes: 256 }),
      column([1, 7, "g", "uniqueidentifier"], { bytes: 16 }),
    ],
  });
  assert.deepEqual(
    tables[0]?.columns.map(({ declaredType, type, maxLength }) => [declaredType, type, maxLength]),
    [
      ["nvarchar(40)", "text", 40],
      ["nvarchar(max)", "text", undefined],
      ["varchar(80)", "text", 80],
      ["decimal(10,2)", "decimal", undefined],
      ["datetime2(3)", "datetime", undefined],
      ["nvarchar(128)", "text", 128],
      ["uniqueidentifier", "text", undefined],
    ],
  );
});

Deno.test("narrow columns tell what characters they lack", async () => {
  const { tables } = await read({
    tables: [[1, "dbo", "T", "table", null]],
    columns: [
      column([1, 1, "latin", "varchar"], { codePage: 1252 }),
      column([1, 2, "utf8", "varchar"], { codePage: 65001 }),
      column([1, 3, "dos", "varchar"], { codePage: 437 }),
      column([1, 4, "wide", "nvarchar"]),
    ],
  });
  const encodings = tables[0]?.columns.map(({ encoding }) => encoding);
  assert.deepEqual(encodings, ["windows-1252", undefined, undefined, undefined]);
});

Deno.test("what the server fills in or writes itself is told", async () => {
  const { tables } = await read({
    tables: [[1, "dbo", "T", "table", null]],
    columns: [
      column([1, 1, "plain", "int"], { nullable: false }),
      column([1, 2, "counted", "int"], { identity: true }),
      column([1, 3, "defaulted", "int"], { fallback: 99 }),
      column([1, 4, "computed", "int"], { computed: true }),
      column([1, 5, "valid_from", "datetime2"], { always: 1 }),
    ],
  });
  const told = tables[0]?.columns.map(({ name, hasDefault, generated, identity = false }) => {
    return [name, hasDefault, generated, identity];
  });
  assert.deepEqual(told, [
    ["plain", false, false, false],
    ["counted", true, false, true],
    ["defaulted", true, false, false],
    ["computed", true, true, false],
    ["valid_from", true, true, false],
  ]);
});

for (const ignoreDefaultFields of [false, true]) {
  Deno.test(`ignore_default_fields ${ignoreDefaultFields} tells who sets a TIMESTAMP`, async () => {
    const { tables } = await read({
      tables: [[1, "dbo", "T", "table", null]],
      columns: [column([1, 1, "version", "timestamp"], { bytes: 8, nullable: false })],
    }, { ignoreDefaultFields });
    const [version] = tables[0]?.columns ?? [];
    assert.deepEqual([version?.type, version?.hasDefault, version?.generated], [
      "binary",
      true,
      !ignoreDefaultFields,
    ]);
  });
}

Deno.test("tables of other schemas are named with them; foreign keys and keys of several columns are in order", async () => {
  const { tables, omitted } = await read({
    tables: [[1, "dbo", "Customer", "table", "Who buys"], [2, "sales", "Order", "table", null], [
      3,
      "sales",
      "Open",
      "view",
      null,
    ]],
    columns: [
      column([1, 1, "Id", "int"], { nullable: false, comment: "A number" }),
      column([2, 1, "Customer", "int"], { nullable: false }),
      column([2, 2, "No", "int"], { nullable: false }),
      column([2, 3, "Code", "char"], { bytes: 5 }),
      column([3, 1, "No", "int"]),
    ],
    keys: [[1, 1, true, 1], [2, 1, true, 2], [2, 1, true, 1], [2, 2, false, 3]],
    foreignKeys: [[9, 2, 1, 1, "Id"]],
  }, { dbSchema: ["dbo", "sales"] });
  assert.deepEqual(omitted, []);
  const [customer, order, open] = tables;
  assert.deepEqual([customer?.name, order?.name, open?.name], ["Customer", "sales.Order", "sales.Open"]);
  assert.deepEqual([order?.identifier, open?.kind], [["sales", "Order"], "view"]);
  assert.deepEqual([customer?.comment, customer?.columns[0]?.comment], ["Who buys", "A number"]);
  assert.deepEqual([order?.primaryKey, order?.uniqueKeys], [["No", "Customer"], [["Code"]]]);
  assert.deepEqual(order?.foreignKeys, [{ columns: ["Customer"], table: "Customer", references: ["Id"] }]);
});

Deno.test("what cannot be handled is left out with a reason, and keys of it with it; the rest is there", async () => {
  const { tables, omitted } = await read({
    tables: [[1, "dbo", "Place", "table", null], [2, "dbo", "Shape", "table", null], [
      3,
      "dbo",
      "Visit",
      "table",
      null,
    ]],
    columns: [
      column([1, 1, "Id", "int"]),
      column([1, 2, "At", "geography"]),
      column([2, 1, "Outline", "geometry"]),
      column([3, 1, "At", "int"]),
    ],
    keys: [[1, 1, true, 2]],
    foreignKeys: [[8, 3, 1, 1, "At"], [9, 3, 77, 1, "Id"], [10, 1, 3, 2, "At"]],
  });
  assert.deepEqual(
    tables.map(({ name, columns, primaryKey, foreignKeys }) => {
      return [name, columns.map((each) => each.name), primaryKey, foreignKeys];
    }),
    [["Place", ["Id"], [], []], ["Visit", ["At"], [], []]],
  );
  assert.deepEqual(omitted, [
    'column "Place.At": type geography is not supported',
    'foreign key of "Place": a column of it is left out',
    'column "Shape.Outline": type geometry is not supported',
    'table "Shape": it has no column that can be handled',
    'foreign key of "Visit": the table that it leads to cannot be read',
    'foreign key of "Visit" to "Place": a column of it is left out',
  ]);
});

const VERSIONED = [
  "create table doc (id int identity primary key, words nvarchar(20), version rowversion)",
  "create table doc_log (n int identity primary key, words nvarchar(20))",
  `create trigger doc_logged on doc after insert, update as
    insert into doc_log (words) select words from inserted; insert into doc_log (words) values ('more'), ('more')`,
];

testOnServer(
  SERVER,
  "a TIMESTAMP that is sent back is set by the server, and triggers disturb no key",
  async (server) => {
    await using served = await servePlace(server, VERSIONED);
    const send = (method: string, path: string, body: string) =>
      served.service.fetch(`/db/Sql${path}`, {
        method,
        headers: { "content-type": "application/json" },
        body,
      });
    const created = await send(
      "POST",
      "/doc.json",
      '[{"words": "a", "version": "AAAAAAAAAAE="}, {"words": "b"}]',
    );
    assert.equal(await created.text(), "/db/Sql/doc/id/1\n/db/Sql/doc/id/2");
    const read = async () => await (await served.service.fetch("/db/Sql/doc/id/1.json")).text();
    const before = await read();
    const changed = await send("PUT", "/doc/id/1.json", before.replace('"a"', '"c"'));
    assert.equal(changed.status, 204, await changed.text());
    const [first, second] = [JSON.parse(before), JSON.parse(await read())];
    assert.deepEqual([first.words, second.words], ["a", "c"]);
    assert.notEqual(first.version, "AAAAAAAAAAE=");
    assert.notEqual(second.version, first.version);
    const missing = await send("PUT", "/doc/id/99.json", '{"words": "x"}');
    assert.equal(missing.status, 404, "What the trigger writes is no change of the record");
    await missing.body?.cancel();
  },
);

testOnServer(SERVER, "with ignore_default_fields a TIMESTAMP that is sent is passed on", async (server) => {
  await using served = await servePlace(server, VERSIONED, { settings: "ignore_default_fields = True" });
  const response = await served.service.fetch("/db/Sql/doc.json", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"words": "a", "version": "AAAAAAAAAAE="}',
  });
  const text = await response.text();
  assert.ok(response.status === 409 || response.status === 201, text);
});

Deno.test("a schema of the definition that is not there is left out with a complaint", async () => {
  const { omitted } = await read({ tables: [], columns: [] }, { dbSchema: ["dbo", "nowhere"] });
  assert.deepEqual(omitted, ['schema "nowhere": there is none, or the login may not use it']);
});
