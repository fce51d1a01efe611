import assert from "node:assert/strict";
import { describeCatalog } from "@/plugins/dialects/mysql/catalog.ts";
import type { ListedColumn, ListedKey, Listing } from "@/plugins/dialects/mysql/catalog_queries.ts";
import { readServer } from "@/plugins/dialects/mysql/server.ts";

/** The listing of MySQL 8 by its documentation: it differs from MariaDB in defaults, JSON and indexes. */
const MYSQL = readServer("8.4.3");

function column(name: string, changes: Partial<ListedColumn> = {}): ListedColumn {
  const plain = { dataType: "int", columnType: "int", length: null, nullable: "NO", standard: null } as const;
  return { schema: "shop", table: "t", name, ...plain, extra: "", expression: null, comment: "", ...changes };
}

function key(index: string, name: string | null): ListedKey {
  return { schema: "shop", table: "t", index, column: name };
}

function listing(columns: readonly ListedColumn[], keys: readonly ListedKey[] = []): Listing {
  const tables = [{ schema: "shop", name: "t", kind: "BASE TABLE", engine: "InnoDB", comment: "" }];
  return { schemas: [{ name: "shop" }], tables, columns, keys, references: [], views: [], checks: [] };
}

Deno.test("mysql: a key that an expression makes is never told by MySQL, so it has to be given", () => {
  const uuid = column("id", { standard: "uuid()", extra: "DEFAULT_GENERATED" });
  const made = column("made", { standard: "CURRENT_TIMESTAMP", extra: "DEFAULT_GENERATED" });
  const list = listing([uuid, made], [key("PRIMARY", "id")]);
  const onMysql = describeCatalog(list, ["shop"], MYSQL).tables[0];
  assert.deepEqual(onMysql?.columns.map(({ name, hasDefault }) => [name, hasDefault]), [["id", false], [
    "made",
    true,
  ]]);
  const onMariadb = describeCatalog(list, ["shop"], readServer("10.11.6-MariaDB")).tables[0];
  assert.deepEqual(onMariadb?.columns.map(({ hasDefault }) => hasDefault), [true, true]);
});

Deno.test("mysql: a schema is known by its name although the server has it in lower case", () => {
  const namesIn = (wanted: readonly string[], schemas: Listing["schemas"]) => {
    const { tables, omitted } = describeCatalog({ ...listing([column("id")]), schemas }, wanted, MYSQL);
    return [...tables.map(({ name }) => name), ...omitted];
  };
  assert.deepEqual(namesIn(["Shop"], [{ name: "shop" }]), ["t"]);
  assert.deepEqual(namesIn(["Shop"], [{ name: "shop" }, { name: "Shop" }]), ["shop.t"]);
});

Deno.test("mysql: a zero date is no default: sessions refuse it", () => {
  const columns = [
    column("quoted", { dataType: "datetime", columnType: "datetime", standard: "'0000-00-00 00:00:00'" }),
    column("plain", { dataType: "date", columnType: "date", standard: "0000-00-00" }),
    column("day", { dataType: "date", columnType: "date", standard: "'2024-01-01'" }),
    column("word", { dataType: "varchar", columnType: "varchar(10)", standard: "'0000-00-00'" }),
  ];
  const { tables: [table] } = describeCatalog(listing(columns), ["shop"], readServer("10.11.6-MariaDB"));
  assert.deepEqual(table?.columns.filter(({ hasDefault }) => hasDefault).map(({ name }) => name), [
    "day",
    "word",
  ]);
});

Deno.test("mysql: MySQL's spelling of computed, counted and invisible columns is understood", () => {
  const columns = [
    column("id", { extra: "auto_increment INVISIBLE", dataType: "bigint", columnType: "bigint unsigned" }),
    column("doc", { dataType: "json", columnType: "json", nullable: "YES" }),
    column("twice", { extra: "VIRTUAL GENERATED", nullable: "YES" }),
    column("spot", { dataType: "geomcollection", columnType: "geomcollection" }),
    column("vector", { dataType: "vector", columnType: "vector(3)" }),
  ];
  const { tables: [table], omitted } = describeCatalog(
    listing(columns, [key("PRIMARY", "id")]),
    ["shop"],
    MYSQL,
  );
  const told = table?.columns.map((
    { name, type, generated, identity = false },
  ) => [name, type, generated, identity]);
  assert.deepEqual(told, [
    ["id", "integer", false, true],
    ["doc", "json", false, false],
    ["twice", "integer", true, false],
  ]);
  assert.deepEqual(omitted, [
    'column "spot" of "t": values of type geomcollection cannot be written back',
    'column "vector" of "t": values of type vector cannot be written back',
  ]);
});

Deno.test("mysql: a unique index over an expression is no key", () => {
  const keys = [key("lower_name", null), key("mixed", "id"), key("mixed", null), key("id_key", "id")];
  const { tables: [table] } = describeCatalog(listing([column("id")], keys), ["shop"], MYSQL);
  assert.deepEqual(table?.uniqueKeys, [["id"]]);
});

Deno.test("mysql: a key with a column that cannot be read is no key", () => {
  const columns = [column("id"), column("spot", { dataType: "point", columnType: "point" })];
  const keys = [key("PRIMARY", "id"), key("PRIMARY", "spot"), key("u", "spot")];
  const { tables: [table] } = describeCatalog(listing(columns, keys), ["shop"], MYSQL);
  assert.deepEqual([table?.primaryKey, table?.uniqueKeys], [[], []]);
});

Deno.test("mysql: a foreign key is followed although a server lists its table in another case", () => {
  const list = listing([column("id"), column("boss")], [key("PRIMARY", "id")]);
  const references = [{
    ...{ schema: "shop", table: "t", constraint: "f", column: "boss" },
    ...{ otherSchema: "SHOP", otherTable: "T", otherColumn: "ID" },
  }];
  const { tables: [table] } = describeCatalog({ ...list, references }, ["shop"], MYSQL);
  assert.deepEqual(table?.foreignKeys, [{ columns: ["boss"], table: "t", references: ["id"] }]);
});
