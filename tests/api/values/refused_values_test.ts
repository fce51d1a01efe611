/** @module Values that only the engine refuses are told with their column and record. */

import assert from "node:assert/strict";
import { LEFT_OUT, sharedEngines } from "./engines.ts";

/** Types, and a text that is no value of them. */
const TYPES: Readonly<Record<"postgresql" | "mysql", readonly (readonly [type: string, wrong: string])[]>> = {
  postgresql: [
    ["inet", "10.0.0.256"],
    ["macaddr", "none"],
    ["interval", "3 weeks and"],
    ["int4range", "[5,1]"],
    ["int4multirange", "[1,2]"],
    ["bit(3)", "012"],
    ["point", "1;2"],
    ["integer[]", "{1,none}"],
    ["pair", "(1)"],
    ["positive", "none"],
    ["regclass", "none"],
    ["jsonpath", "$["],
  ],
  mysql: [
    ["enum('a', 'b')", "c"],
    ["set('a', 'b')", "a,c"],
    ["year", "-1"],
    ["bigint unsigned", "-1"],
    ["binary(3)", "AAAAAAAA"],
  ],
};

function columnsOf(dialect: keyof typeof TYPES): string {
  return TYPES[dialect].map(([type], index) => `c${index} ${type}`).join(", ");
}

const open = sharedEngines({
  postgresql: [
    "CREATE TYPE pair AS (a integer, b text)",
    "CREATE DOMAIN positive AS integer CHECK (VALUE > 0)",
    `CREATE TABLE odd (id integer PRIMARY KEY, ${columnsOf("postgresql")})`,
    "INSERT INTO odd (id) VALUES (1)",
  ],
  mysql: [
    `CREATE TABLE odd (id integer PRIMARY KEY, ${columnsOf("mysql")})`,
    "INSERT INTO odd (id) VALUES (1)",
  ],
});

for (const dialect of ["postgresql", "mysql"] as const) {
  Deno.test(`${dialect}: a value that the engine refuses is told with its column and record${LEFT_OUT}`, async () => {
    const { dialects, send } = open();
    if (!dialects.includes(dialect)) return;
    const told = async (method: string, path: string, body: unknown) =>
      JSON.parse(await send(400, method, `/db/${dialect}/odd${path}`, JSON.stringify(body))).errors;
    for (const [index, [type, wrong]] of TYPES[dialect].entries()) {
      const name = `c${index}`;
      const [list] = await told("POST", ".json", [{ id: 7, [name]: null }, { [name]: wrong, id: 8 }]);
      assert.match(
        list,
        new RegExp(`^Could not parse JSON: The "${name}": error at node '/1/${name}': \\S`),
        type,
      );
      const [one] = await told("POST", ".json", { id: 7, [name]: wrong });
      assert.match(one, new RegExp(`error at node '/0/${name}': `), type);
      const [change] = await told("PUT", "/id/1.json", { [name]: wrong });
      assert.match(change, new RegExp(`error at node '/0/${name}': `), type);
    }
    assert.equal(await send(200, "GET", `/db/${dialect}/odd/id.csv`), "id\r\n1\r\n");
  });
}
