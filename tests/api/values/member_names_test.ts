/** @module A record has each member once, also if a column or a table is called like the reference. */

import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService({
  sqlite: {
    Odd: "CREATE TABLE page (id INTEGER PRIMARY KEY, __href TEXT); INSERT INTO page VALUES (1, 'x'); " +
      "CREATE TABLE __href (id INTEGER PRIMARY KEY); INSERT INTO __href VALUES (7); " +
      "CREATE TABLE link (id INTEGER PRIMARY KEY, target INTEGER REFERENCES __href); " +
      "INSERT INTO link VALUES (2, 7)",
  },
});

const CASES: readonly (readonly [path: string, text: string])[] = [
  ["page/id/1.json", '{"id":1,"__href":"x"}'],
  ["link/id/2.json", '{"__href":{"__href":"/db/Odd/link/id/2/__href.json"},"id":2,"target":7}'],
  [
    "link/id/2.json?depth=1",
    '{"__href":{"__href":"/db/Odd/__href/id/7.json","id":7,"link":' +
    '{"__href":"/db/Odd/__href/id/7/link.json"}},"id":2,"target":7}',
  ],
];

for (const [path, text] of CASES) {
  Deno.test(`${path} has each member once`, async () => {
    const answer = await service().fetch(`/db/Odd/${path}`);
    assert.equal((await answer.text()).replace(/\s/g, ""), text);
  });
}

Deno.test("a record whose column is called like the reference can be sent back", async () => {
  const body = (await (await service().fetch("/db/Odd/page/id/1.json")).text()).replace('"x"', '"y"');
  const headers = { "Content-Type": "application/json" };
  const put = await service().fetch("/db/Odd/page/id/1.json", { method: "PUT", headers, body });
  assert.equal(put.status, 204, await put.text());
  assert.equal(await (await service().fetch("/db/Odd/page/id/1/__href.json")).json(), "y");
});
