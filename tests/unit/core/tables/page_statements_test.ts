import assert from "node:assert/strict";
import { effortOf } from "@/core/http/effort.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

const PAGES = [
  "Item.html?limit=29",
  "Item/Status/x.html?limit=29&sort=-Status",
  "Maker/MakerId/1/Item.html?limit=29",
  "Maker/MakerId/1/Item/Status.html?limit=29&count",
  "Maker.html?limit=29",
  "Maker/MakerId/1.html",
];

Deno.test("a page has at most one statement per relation, and three", async () => {
  await using shop = await InProcess.open();
  for (const path of PAGES) {
    const plan = shop.plan(`GET /db/Shop/${path}`);
    assert.equal(plan.kind, "read", path);
    if (plan.kind !== "read") return;
    const { shape, rows, count, origin, expansions } = plan.compiled;
    const statements = [rows, count, origin, ...expansions].filter((each) => each !== undefined);
    const relations = [...shape.toOne, ...(plan.compiled.single ? shape.toMany : [])];
    assert.ok(relations.length > 0 || !path.startsWith("Item"), path);
    assert.ok(
      statements.length <= relations.length + 3,
      `${path}: ${statements.length} for ${relations.length}`,
    );
  }
});

Deno.test("the labels of a list are in the statement of its rows, up to eight of them", async () => {
  const wide = Array.from({ length: 10 }, (_, index) => `M${index} INTEGER REFERENCES Maker`);
  await using shop = await InProcess.open([`CREATE TABLE Wide (Id INTEGER PRIMARY KEY, ${wide.join()})`]);
  const joinsOf = (path: string) => {
    const plan = shop.plan(`GET /db/Shop/${path}`);
    assert.ok(plan.kind === "read");
    const { joined = [], expansions, shape: { toOne } } = plan.compiled;
    assert.equal(joined.length + expansions.length, toOne.length, path);
    return [joined.length, expansions.length];
  };
  assert.deepEqual(joinsOf("Item.html?limit=29"), [1, 0]);
  assert.deepEqual(joinsOf("Item.html?limit=29&distinct"), [0, 1]);
  assert.deepEqual(joinsOf("Wide.html?limit=29"), [8, 2]);
});

Deno.test("a hundred records with related ones inside are one statement, and one for each relation", async () => {
  await using shop = await InProcess.open();
  const plan = shop.plan("GET /db/Shop/Item.json?limit=100&depth=1");
  assert.ok(plan.kind === "read");
  const { rows, count, origin, expansions, shape: { toOne, toMany } } = plan.compiled;
  const statements = [rows, count, origin, ...expansions].filter((each) => each !== undefined);
  assert.equal(statements.length, 1 + toOne.length + toMany.length);
  assert.equal(statements.length, 3);
});

Deno.test("a page with the labels in its rows waits for no turn, and costs as much as a list of twice its values", async () => {
  await using shop = await InProcess.open();
  const effort = (path: string) => effortOf(shop.plan(`GET /db/Shop/${path}`));
  const plan = shop.plan("GET /db/Shop/Item.html?limit=1");
  assert.ok(plan.kind === "read");
  const few = Math.floor(2500 / plan.compiled.shape.columns.length);
  assert.equal(effort(`Item.json?limit=${few}`), "little");
  assert.equal(effort(`Item.html?limit=${Math.floor(few / 2)}`), "little");
  assert.equal(effort(`Item.html?limit=${few}`), "short");
  assert.equal(effort(`Item.html?limit=${few * 3}`), "long");
  assert.equal(effort("Item.html?limit=1&distinct"), "long");
});

Deno.test("a list counts the related records of no relation that it does not show", async () => {
  const parts = Array.from({ length: 30 }, (_, index) => {
    return `CREATE TABLE Part${index} (Id INTEGER PRIMARY KEY, MakerId INTEGER REFERENCES Maker)`;
  });
  await using shop = await InProcess.open(parts);
  const plan = shop.plan("GET /db/Shop/Maker.html?limit=29&ui.counts");
  assert.ok(plan.kind === "read");
  const { expansions, shape: { toMany } } = plan.compiled;
  assert.ok(toMany.length >= 30);
  assert.equal(expansions.filter(({ expansion }) => expansion.countedUpTo !== undefined).length, 20);
  assert.deepEqual(toMany.filter(({ count }) => count !== undefined), toMany.slice(0, 20));
});

Deno.test("pages that differ in values only share their choices of columns", async () => {
  await using shop = await InProcess.open();
  const listOf = (path: string) => {
    const plan = shop.plan(`GET /db/Shop/${path}`);
    return plan.kind === "read" ? plan.shown?.list : undefined;
  };
  const [first, second] = [listOf("Item/Status/x.html?limit=29"), listOf("Item/Status/y.html?limit=5")];
  assert.ok(first && first.choices.length > 0);
  assert.equal(first.choices, second?.choices);
  assert.equal(first.columns, second?.columns);
  assert.notEqual(first.place, second?.place);
});
