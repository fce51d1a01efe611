import assert from "node:assert/strict";
import { LoginPools } from "@/core/database/connect.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import type { Database, Login } from "@/plugins/contract.ts";

/** A database that only knows under which login it is. */
function database(name: string, hasLogins = true): Database {
  const unused = () => Promise.reject(new Error("not used here"));
  return {
    sql: traits,
    ...(hasLogins ? { as: ({ dbuser }: Login) => database(dbuser) } : {}),
    catalog: unused,
    check: unused,
    prepare: () => ({ name }),
    describe: unused,
    read: unused,
    stream: () => {
      throw new Error("not used here");
    },
    begin: unused,
    classify: () => undefined,
    explain: () => name,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const CATALOG = { dbuser: "catalog", dbpass: "c" };
const ANN = { dbuser: "ann", dbpass: "a" };

Deno.test("every login has one pool of its own", () => {
  const pools = new LoginPools(database("catalog"), CATALOG);
  assert.equal(pools.of(ANN).explain(undefined), "ann");
  assert.equal(pools.of(ANN), pools.of({ ...ANN }));
  assert.notEqual(pools.of(ANN), pools.of({ ...ANN, dbpass: "other" }));
  assert.equal(pools.of(CATALOG).explain(undefined), "catalog");
});

Deno.test("an engine without logins has one pool for everybody", () => {
  const own = database("file", false);
  assert.equal(new LoginPools(own, CATALOG).of(ANN), own);
});

Deno.test("the pools of logins that nobody has any more are given back once", () => {
  const pools = new LoginPools(database("catalog"), CATALOG);
  const ann = pools.of(ANN);
  const bert = pools.of({ dbuser: "bert", dbpass: "b" });
  assert.deepEqual(pools.retain([ANN]), [bert]);
  assert.deepEqual(pools.retain([ANN]), []);
  assert.equal(pools.of(ANN), ann);
  assert.equal(pools.all.length, 2);
});
