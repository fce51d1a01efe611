/**
 * @module The page of a record has the labels behind the foreign keys of its first
 * related records, whatever their type.
 */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines, type ValueDialect } from "./engines.ts";

/** Types of keys with two values. */
const KEYS: Readonly<Record<ValueDialect, readonly (readonly [type: string, one: string, other: string])[]>> =
  {
    sqlite: [
      ["INTEGER", "1", "9007199254740993"],
      ["VARCHAR(20)", "'a/b'", "''"],
      ["INT", "1.5", "'x'"],
    ],
    postgresql: [
      ["bigint", "1", "9007199254740993"],
      ["uuid", "'6f9619ff-8b86-d011-b42d-00c04fc964ff'", "'00000000-0000-0000-0000-000000000001'"],
      ["citext", "'Red'", "'blue'"],
      ["char(5)", "'a'", "'b'"],
      ["mood", "'happy'", "'sad'"],
      ["inet", "'10.0.0.1'", "'10.0.0.2'"],
    ],
    mysql: [
      ["bigint unsigned", "1", "18446744073709551615"],
      ["varchar(20) COLLATE utf8mb4_bin", "'a/b'", "'é'"],
      ["enum('happy', 'sad')", "'happy'", "'sad'"],
      ["year", "1999", "2024"],
    ],
  };

function script(keys: (typeof KEYS)[ValueDialect], before: readonly string[] = []): readonly string[] {
  return [
    ...before,
    "CREATE TABLE top (id int NOT NULL PRIMARY KEY)",
    "INSERT INTO top VALUES (1)",
    ...keys.flatMap(([type, one, other], at) => [
      `CREATE TABLE one${at} (k ${type} NOT NULL PRIMARY KEY, name varchar(20))`,
      `INSERT INTO one${at} VALUES (${one}, 'first'), (${other}, 'second')`,
      `CREATE TABLE many${at} (id int NOT NULL PRIMARY KEY, top int, r ${type}, ` +
      `FOREIGN KEY (top) REFERENCES top (id), FOREIGN KEY (r) REFERENCES one${at} (k))`,
      `INSERT INTO many${at} VALUES (1, 1, ${other}), (2, 1, NULL), (3, 1, ${one}), (4, 1, ${other})`,
    ]),
  ];
}

const engines = sharedEngines({
  sqlite: script(KEYS.sqlite),
  postgresql: script(KEYS.postgresql, [
    "CREATE EXTENSION citext",
    "CREATE TYPE mood AS ENUM ('happy', 'sad')",
  ]),
  mysql: script(KEYS.mysql, ["SET NAMES utf8mb4"]),
});

Deno.test(`the labels of keys of every type are found${LEFT_OUT}`, async () => {
  for (const dialect of engines().dialects) {
    const page = await engines().send(200, "GET", `/db/${dialect}/top/id/1.html`);
    const sections = page.split("<section ").slice(1);
    for (const [at, [type]] of KEYS[dialect].entries()) {
      const section = sections.find((each) => each.includes(`>many${at}</a></h2>`)) ?? "";
      const cells = [...section.matchAll(/<td>(?:<a [^>]*>(first|second)<\/a>|<span class="null">)/g)];
      const labels = cells.map(([, label]) => label);
      assert.deepEqual(labels, ["second", undefined, "first", "second"], `${dialect} ${type}`);
    }
  }
});
