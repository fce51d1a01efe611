import assert from "node:assert/strict";
import { plainType, readDialectTypes } from "@/plugins/dialect_type.ts";
import { BUILT_IN_ROOT, discoverPlugins } from "@/plugins/discover.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";

Deno.test("the dialects of this program and of the examples have titles and members", () => {
  const { types, complaints } = readDialectTypes(
    discoverPlugins([BUILT_IN_ROOT, `${BUILT_IN_ROOT}/examples`]),
  );
  assert.deepEqual(complaints, []);
  const server = ["db_host", "db_port", "autoload_user"];
  assert.deepEqual(types.map(({ name, title, members }) => [name, title, members]), [
    ["duckdb", "DuckDB", []],
    ["mysql", "MySQL or MariaDB", [...server, "db_schema"]],
    ["postgresql", "PostgreSQL", [...server, "db_schema"]],
    ["pgwire", "PostgreSQL protocol", [...server, "db_schema"]],
    ["mssql", "SQL Server", [...server, "db_schema"]],
    ["sqlite", "SQLite", []],
  ]);
});

const MEMBERS = "members must be a list of some of db_host, db_port, autoload_user, db_schema";
const MISTAKES: readonly (readonly [text: string, complaint: string | RegExp])[] = [
  ['{"title": "Odd"', /in JSON|JSON/],
  ["7", "title must be a text"],
  ["null", "title must be a text"],
  ['{"title": " ", "members": []}', "title must be a text"],
  ['{"title": "Odd"}', MEMBERS],
  ['{"title": "Odd", "members": ["db_hots"]}', MEMBERS],
];

for (const [text, complaint] of MISTAKES) {
  Deno.test(`a dialect.json that is ${text} costs its own dialect the title, and no other one`, () => {
    using folder = pluginFolder({
      "plugins/dialects/odd/mod.ts": "",
      "plugins/dialects/odd/dialect.json": text,
      "plugins/dialects/plain/mod.ts": "",
      "plugins/dialects/good/mod.ts": "",
      "plugins/dialects/good/dialect.json": '{"title": "Good", "members": ["db_port"]}',
    });
    const { types, complaints: [first = "", ...others] } = readDialectTypes(discoverPlugins([folder.path]));
    const good = { name: "good", title: "Good", members: ["db_port"] };
    assert.deepEqual(types, [good, plainType("odd"), plainType("plain")]);
    const [at, reason = ""] = first.split(/: (.*)/s);
    assert.deepEqual([at, others], [`${folder.path}/plugins/dialects/odd/dialect.json`, []]);
    if (typeof complaint === "string") assert.equal(reason, complaint);
    else assert.match(reason, complaint);
  });
}
