import assert from "node:assert/strict";
import { boundsOf } from "@/plugins/dialects/mysql/column_types.ts";
import { PathSql } from "@/core/sql/path_sql.ts";
import type { Selection } from "@/core/sql/selection.ts";
import { WalkStatements } from "@/core/sql/walk_statements.ts";
import { WriteStatements } from "@/core/sql/write_statements.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import { mariadbTraits, mysqlTraits, traitsOf } from "@/plugins/dialects/mysql/traits.ts";
import { readServer } from "@/plugins/dialects/mysql/server.ts";
import { LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  {
    ...table("Person", "Id:integer Name Boss:integer Doc:json", {
      key: ["Id"],
      references: [["Boss", "Person", "Id"]],
    }),
    identifier: ["shop", "Person"],
  },
]);
const LIST: Selection = { distinct: false, sort: [], paged: true };

function walk(path: string, traits: SqlTraits): Walk {
  const context = {
    database: "Test",
    schema: SCHEMA,
    isForbidden: () => false,
    grammar: LINKS.grammar,
    traits,
  };
  return walkPath(path.split("/"), context);
}

function rows(path: string, traits: SqlTraits, selection: Selection = LIST): string {
  return new WalkStatements(new PathSql(traits)).rows(walk(path, traits), selection).sql;
}

function writes(traits: SqlTraits): WriteStatements {
  return new WriteStatements(new PathSql(traits));
}

Deno.test("mysql: names are quoted with backticks, tables named with their database", () => {
  assert.equal(
    rows("Person/Name/x/Id", mysqlTraits),
    "select `t`.`Id` as `Id` from `shop`.`Person` as `t` where (`t`.`Name` = ?) order by `t`.`Id` asc limit ? offset ?",
  );
});

Deno.test("mysql: LIKE has an escape of its own, whatever a backslash is to the server", () => {
  for (const traits of [mysqlTraits, mariadbTraits]) {
    assert.match(rows("Person/Name/A*/Id", traits), /where \(`t`\.`Name` like \? escape '!'\) order/);
  }
});

Deno.test("mysql: a range has no BETWEEN, which MariaDB takes for an equality where only case differs", () => {
  for (const traits of [mysqlTraits, mariadbTraits]) {
    assert.match(
      rows("Person/Name/A..a/Id", traits),
      /where \(\(`t`\.`Name` >= \? and `t`\.`Name` <= \?\)\) order/,
    );
  }
});

Deno.test("mysql: JSON is compared as text on MySQL, and is text on MariaDB", () => {
  assert.match(rows("Person/Doc/1/Id", mysqlTraits), /where \(cast\(`t`\.`Doc` as char\) = \?\)/);
  assert.match(rows("Person/Doc/1/Id", mariadbTraits), /where \(`t`\.`Doc` = \?\)/);
});

Deno.test("mysql: NULL comes first by itself", () => {
  const sort = [{ column: "Name", descending: true, position: 1 }];
  assert.match(
    rows("Person/Id", mysqlTraits, { ...LIST, sort }),
    /order by `t`\.`Name` desc, `t`\.`Id` desc limit/,
  );
});

Deno.test("mysql: a page of related records has its limit where the server takes one", () => {
  const statements = new WalkStatements(new PathSql(mysqlTraits));
  const path = walk("Person", mysqlTraits);
  const chain = path.last.table.toOne.slice(0, 1);
  assert.match(
    statements.related(path, LIST, chain).sql,
    / in \(select .* from \(select .* limit \? offset \?\) as `t`\)/,
  );
});

Deno.test("mysql: MariaDB gives back the keys of several records, and one key that it has not counted", () => {
  const { last: { table: person } } = walk("Person", mariadbTraits);
  assert.equal(
    writes(mariadbTraits).insert(person, [1], 2).sql,
    "insert into `shop`.`Person` (`Name`) values (?), (?) returning `Id`",
  );
  assert.equal(
    writes(mariadbTraits).insert(person, [0, 1], 1).sql,
    "insert into `shop`.`Person` (`Id`, `Name`) values (?, ?) returning `Id`",
  );
  const columns = person.columns.map((each) => each.name === "Id" ? { ...each, identity: true } : each);
  const counted = { ...person, columns };
  for (const [positions, text] of [[[], "() values ()"], [[1], "(`Name`) values (?)"]] as const) {
    assert.equal(
      writes(mariadbTraits).insert(counted, positions, 1).sql,
      `insert into \`shop\`.\`Person\` ${text}`,
    );
  }
});

Deno.test("mysql: MySQL gives back nothing", () => {
  const { last: { table: person } } = walk("Person", mysqlTraits);
  assert.equal(
    writes(mysqlTraits).insert(person, [1], 2).sql,
    "insert into `shop`.`Person` (`Name`) values (?), (?)",
  );
  assert.equal(writes(mysqlTraits).insert(person, [], 1).sql, "insert into `shop`.`Person` () values ()");
  assert.equal(mysqlTraits.ordersInserts, false);
});

Deno.test("mysql: on MySQL a change reads its own table through a derived table that is not merged", () => {
  const subquery = "select `t`.`Boss` as `Boss` from `shop`.`Person` as `t` where (`t`.`Name` = ?)";
  assert.equal(
    writes(mysqlTraits).delete(walk("Person/Name/x/Person_1", mysqlTraits)).sql,
    "delete from `shop`.`Person` where `Person`.`Id` in (select `t`.`Boss` as `Boss` from " +
      `(${subquery.replace("select", "select distinct")}) as \`t\`)`,
  );
  assert.equal(
    writes(mariadbTraits).delete(walk("Person/Name/x/Person_1", mariadbTraits)).sql,
    `delete from \`shop\`.\`Person\` where \`Person\`.\`Id\` in (${subquery})`,
  );
});

Deno.test("mysql: the server decides which of the two it is", () => {
  // The executed comments depend on its version.
  const insertOf = (version: string) => traitsOf(readServer(version)).insert;
  assert.equal(insertOf("8.0.40"), mysqlTraits.insert);
  assert.equal(insertOf("11.4.2-MariaDB-ubu2404"), mariadbTraits.insert);
});

Deno.test("the bounds of whole numbers, the members of enums and UUIDs are told", () => {
  assert.deepEqual(
    [
      "tinyint(4)",
      "tinyint(3) unsigned",
      "smallint",
      "mediumint unsigned",
      "int(10) unsigned zerofill",
      "bigint",
      "enum('a','it''s')",
      "uuid",
      "varchar(9)",
    ].map((declared) => boundsOf(declared).bounds),
    [
      { range: [-128, 127] },
      { range: [0, 255] },
      { range: [-32768, 32767] },
      { range: [0, 16777215] },
      { range: [0, 4294967295] },
      undefined,
      { members: ["a", "it's", ""] },
      { isUuid: true },
      undefined,
    ],
  );
});
