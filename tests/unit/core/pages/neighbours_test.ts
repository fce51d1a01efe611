import assert from "node:assert/strict";
import { InProcess } from "@/tests/unit/core/in_process.ts";

Deno.test("the step to a row of a list reads that row alone, whatever else the list has", async () => {
  await using shop = await InProcess.open();
  const plan = shop.plan("GET /db/Shop/Item.html?count=true&depth=1&sort=-Name&limit=9&offset=3&ui.open=7");
  assert.ok(plan.kind === "open");
  const { compiled, offset } = plan.row;
  assert.equal(offset, 7);
  assert.equal(compiled.count, undefined);
  assert.deepEqual(compiled.expansions, []);
});
