/** @module A list is ordered by a column of the one record that a relation leads to, on every engine. */

import assert from "node:assert/strict";
import { TEST_DIALECTS, testOn } from "@/tests/support/databases/mod.ts";
import { serveOn } from "@/tests/support/databases/serve.ts";
import { startService } from "@/tests/support/service.ts";

interface Payment {
  readonly PaymentId: number;
  readonly CustomerId: number;
}

for (const dialect of TEST_DIALECTS) {
  testOn(dialect, "a list is ordered by a related record", async () => {
    await using service = await serveOn(dialect, { id: "Rental", made: "rental" }, startService);
    const get = async (path: string) => {
      const answer = await service.fetch(`/db/Rental/${path}`);
      return { status: answer.status, json: await answer.json() };
    };
    const customers: { CustomerId: number; Name: string }[] =
      (await get("Customer.json?sort=Name&limit=10000")).json;
    const names = new Map(customers.map(({ CustomerId, Name }) => [CustomerId, Name]));
    const order = [...new Set(customers.map(({ Name }) => Name))];
    for (const [sort, sign] of [["Customer/Name", 1], ["-customer/name", -1]] as const) {
      const read = async (more: string): Promise<Payment[]> => {
        return (await get(`Payment.json?sort=${sort}${more}`)).json;
      };
      const rows = await read("&limit=100000");
      assert.ok(rows.length > 100);
      const places = rows.map(({ CustomerId }) => sign * order.indexOf(names.get(CustomerId) ?? ""));
      assert.deepEqual(places, places.toSorted((a, b) => a - b), sort);
      assert.deepEqual([...await read("&limit=7"), ...await read("&limit=7&offset=7")], rows.slice(0, 14));
      const ids = (records: readonly Payment[]) => records.map(({ PaymentId }) => PaymentId);
      assert.deepEqual(ids(await read("&limit=7&depth=1")), ids(rows.slice(0, 7)));
      assert.deepEqual(await read("&stream&limit=100000"), rows);
    }
    for (const wrong of ["Customer/Nothing", "Nothing/Name", "Rental/", "/Name"]) {
      assert.equal((await get(`Payment.json?sort=${wrong}`)).status, 400, wrong);
    }
    assert.equal(
      (await get("Customer.json?sort=Payment/Amount")).status,
      400,
      "many records have no order",
    );
    assert.equal((await get("Payment/CustomerId.json?distinct&sort=Customer/Name")).status, 400);
  });
}
