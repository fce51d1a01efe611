import assert from "node:assert/strict";
import { InProcess } from "@/tests/unit/core/in_process.ts";
import { listInQuery } from "@/core/pages/records/place.ts";

Deno.test("the step to a row of a list reads that row alone, whatever else the list has", async () => {
  await using shop = await InProcess.open();
  const plan = shop.plan("GET /db/Shop/Item.html?count=true&depth=1&sort=-Name&limit=9&offset=3&ui.open=7");
  assert.ok(plan.kind === "open");
  const { compiled, offset } = plan.rows;
  assert.equal(offset, 7);
  assert.equal(compiled.count, undefined);
  assert.deepEqual(compiled.expansions, []);
});

Deno.test("a list is read from a link as it was, whatever it has in it", () => {
  for (const list of ["A/B?sort=-C&limit=3", "a%26b/c%20d,e+f?x=%23&y=%2B", "ü/'\"<>?;=[]{}|\\^`#!$()*@:"]) {
    const values = new URLSearchParams(`${listInQuery(list)}7`);
    assert.deepEqual([...values], [["ui.in", list], ["ui.at", "7"]]);
  }
});
