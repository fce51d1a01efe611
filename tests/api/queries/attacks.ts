/** @module Values of callers are never SQL, and a GET changes no data. */

import assert from "node:assert/strict";
import type { Queries } from "./client.ts";

const INJECTIONS = [
  "' OR 1=1 --",
  "1; DROP TABLE item",
  '"',
  "`",
  "[x]",
  "\\",
  ":kind",
  "?",
  "$1",
  "@p1",
  "%00",
  "'); DELETE FROM item; --",
  "*/ DELETE FROM item /*",
  "\n;DELETE FROM item",
];

/** Attacks by way of a query. */
export function testAttacks({ test, get, send, ids, engine }: Queries): void {
  test("errors of a query name no table to those who run it", async () => {
    const { status, text } = await send("POST", "/query/leaks.json", { x: "{" });
    assert.equal(status, 400);
    assert.doesNotMatch(text, /secret|pin/);
  });

  test("nothing that stands in a parameter or a column list is SQL", async () => {
    const before = await ids();
    for (const attack of INJECTIONS) {
      const segment = encodeURIComponent(attack);
      const asValue = await get(`/query/by-kind/kind/${segment}.json`);
      assert.ok(asValue.status === 200 || asValue.status === 400, `${attack}: ${asValue.status}`);
      if (asValue.status === 200) assert.equal(asValue.text, "[]");
      const asColumn = await get(`/query/by-kind/kind/fruit/${segment}.json`);
      assert.ok(asColumn.status === 404 || asColumn.status === 400, `${attack}: ${asColumn.status}`);
      const asSort = await get(`/query/by-kind/kind/fruit.json?sort=${segment}`);
      assert.equal(asSort.status, 400);
      const asName = await get(`/query/${segment}.json`);
      assert.ok(asName.status === 404 || asName.status === 400);
      const inBody = await send("POST", "/query/by-kind.json", { [attack]: attack });
      assert.equal(inBody.status, 400);
    }
    assert.deepEqual(await ids(), before);
  });

  for (const path of engine.writing) {
    test(`GET ${path} is refused and changes nothing`, async () => {
      const before = await ids();
      const { status, text } = await get(path);
      assert.equal(status, 400, text);
      assert.deepEqual(await ids(), before);
    });
  }
}
