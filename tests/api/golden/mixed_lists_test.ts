import assert from "node:assert/strict";
import { startService } from "@/tests/support/service.ts";

/** One list in several orders. The orders share a statement, but not their values. */
const ORDERS = ["1..3,7", "7,1..3", "..2,3,7", "3..3,7,..2", "7,..3", "1,2..3,7"];

Deno.test("lists of values and ranges mean the same in every order", async () => {
  await using service = await startService();
  for (const order of ORDERS) {
    const response = await service.fetch(`/db/Demo/Port/PortId/${order}/PortId.json`);
    assert.deepEqual(await response.json(), [1, 2, 3, 7], order);
  }
  for (const order of ["Bergen,S*", "S*,Bergen", "Bergen,S*"]) {
    const response = await service.fetch(`/db/Demo/Port/Name/${order}/Name.json?distinct`);
    const names: readonly string[] = await response.json();
    assert.equal(names.every((name) => name === "Bergen" || name.startsWith("S")), true, order);
    assert.equal(names.some((name) => name.startsWith("S")), true, order);
  }
});
