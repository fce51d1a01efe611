import assert from "node:assert/strict";
import { Views } from "@/core/database/connect.ts";
import type { DatabaseMapping, Operation } from "@/core/model.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import type { Database, Login } from "@/plugins/contract.ts";
import { schemaOf } from "@/tests/unit/core/tables.ts";

function viewsOf(catalog: Database): Views {
  return new Views({ database: catalog, schema: schemaOf([]), tablesNamed: () => [] }, CATALOG);
}

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
  const views = viewsOf(database("catalog"));
  assert.equal(views.poolOf(ANN).explain(undefined), "ann");
  assert.equal(views.poolOf(ANN), views.poolOf({ ...ANN }));
  assert.notEqual(views.poolOf(ANN), views.poolOf({ ...ANN, dbpass: "other" }));
  assert.equal(views.poolOf(CATALOG).explain(undefined), "catalog");
});

Deno.test("an engine without logins has one pool for everybody", () => {
  const own = database("file", false);
  assert.equal(viewsOf(own).poolOf(ANN), own);
});

Deno.test("the pools of logins that nobody has any more are given back once", () => {
  const views = viewsOf(database("catalog"));
  const ann = views.poolOf(ANN);
  const bert = views.poolOf({ dbuser: "bert", dbpass: "b" });
  assert.deepEqual(views.retain([ANN]), [bert]);
  assert.deepEqual(views.retain([ANN]), []);
  assert.equal(views.poolOf(ANN), ann);
  assert.equal(views.pools.length, 2);
});

const MAPPING: DatabaseMapping = { ...ANN, access: new Map([["*", new Set<Operation>(["read"])]]) };

Deno.test("a mapping that was taken away and given back has a pool that is open", () => {
  const views = viewsOf(database("catalog"));
  const before = views.find(MAPPING);
  assert.deepEqual(views.retain([]), [before.database]);
  const after = views.find(MAPPING);
  assert.notEqual(after.database, before.database);
  assert.equal(after.database, views.poolOf(ANN));
});

Deno.test("views that no mapping has any more are forgotten, the others stay", () => {
  const views = viewsOf(database("catalog"));
  const other = { ...MAPPING, access: new Map([["Pet", new Set<Operation>(["read"])]]) };
  const [kept, forgotten] = [views.find(MAPPING), views.find(other)];
  assert.equal(views.find({ ...other }), forgotten);
  views.retain([{ ...MAPPING }]);
  assert.equal(views.find(MAPPING), kept);
  assert.notEqual(views.find(other), forgotten);
});
