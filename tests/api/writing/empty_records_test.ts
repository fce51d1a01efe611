import assert from "node:assert/strict";
import { type AnyShop, onEveryShop } from "./every_shop.ts";

const test = onEveryShop();

async function post(shop: AnyShop, table: string, records: readonly unknown[]): Promise<readonly string[]> {
  const answer = await shop.service.fetch(`/db/Shop/${table}.json`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(records),
  });
  const text = await answer.text();
  assert.equal(answer.status, 201, text);
  return text.split("\n");
}

test("many records without any column all take the defaults", async (shop) => {
  await post(shop, "Journal", Array.from({ length: 1203 }, () => ({})));
  assert.deepEqual(
    await shop.look("SELECT count(*) FROM Journal WHERE Words IS NULL AND Number = 7"),
    ["1203"],
  );
});

test("each record without any column is told where it is, in the order of the body", async (shop) => {
  const paths = await post(shop, "Box", [{}, { Weight: 9 }, {}, {}, { BoxId: 500 }]);
  assert.equal(new Set(paths).size, 5);
  const boxes = [];
  for (const path of paths) boxes.push(await (await shop.service.fetch(`${path}.json`)).json());
  assert.deepEqual(boxes.map(({ __href }) => __href), paths.map((path) => `${path}.json`));
  assert.deepEqual(boxes.map(({ Room, Place, Weight }) => [Room, Place, Weight]), [
    [null, null, null],
    [null, null, 9],
    [null, null, null],
    [null, null, null],
    [null, null, null],
  ]);
  assert.equal(boxes[4].BoxId, 500);
  assert.ok(boxes[0].BoxId < boxes[2].BoxId && boxes[2].BoxId < boxes[3].BoxId);
});

test("a record without any column has the key that its path gives", async (shop) => {
  const paths = await post(shop, "Shelf/Room/A__1/Place/1/Box", [{}, {}]);
  assert.equal(new Set(paths).size, 2);
  assert.deepEqual(
    await shop.look("SELECT count(*) FROM Box WHERE Room = 'A/1' AND Place = 1"),
    ["4"],
  );
});
