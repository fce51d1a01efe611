/** @module Thirty answers that cost much at once: what small requests wait for. */

import assert from "node:assert/strict";
import { tell } from "@/tests/support/figures.ts";
import { startProcess, workOf } from "@/tests/support/process.ts";
import { shared } from "@/tests/support/service.ts";

const KEY = "editor-0123456789-0123456789-0123456789";
const AT_ONCE = 30;
/** Milliseconds of other work. */
const PATIENCE = 100;
/** On a slow machine: as much work as so many small requests take by themselves. */
const SMALL_REQUESTS = 1500;
const SMALL = "/db/Demo/Port/PortId/1/Name.json";

/** Names are unique. */
function bulk(): RequestInit {
  const records = Array.from({ length: 3000 }, () => ({ Name: crypto.randomUUID() }));
  const headers = { apikey: KEY, "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(records) };
}

const COSTLY: Readonly<Record<string, readonly [path: string, init?: () => RequestInit]>> = {
  "related records": ["/db/Demo/Ticket.json?depth=1"],
  "columns": ["/db/Demo/Ticket.json?transpose"],
  "lists of a thousand": ["/db/Demo/Ticket.json?limit=1000"],
  "lists without a page": ["/db/Demo/Ticket.xml"],
  "pages": ["/db/Demo/Ticket.html?limit=500"],
  "results of a saved query": ["/query/tickets.json"],
  "OpenAPI documents": ["/openapi.json"],
  "bulk bodies": ["/db/Demo/Amenity.json", bulk],
};

const service = shared(() =>
  startProcess({
    files: {
      "config/users.cfg":
        `admin: {}\npublic: {databases: {Demo: {}}}\neditor: {apikey: ${KEY}, databases: {Demo: {}}}\n`,
      "config/querydefs.cfg": "tickets: {database: Demo, sqlstr: SELECT * FROM Ticket, execute: [public]}\n",
    },
  })
);

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const answer = await service().fetch(path, init);
  await answer.arrayBuffer();
  return answer.status;
}

/** Milliseconds of other work that a small request may have to wait for on this machine. */
let patience = PATIENCE;

Deno.test.beforeAll(async () => {
  if (Deno.build.os !== "linux") return;
  const sample = SMALL_REQUESTS / 3;
  // The first ones are slower.
  for (let count = 0; count < sample; count++) await statusOf(SMALL);
  const before = workOf(service());
  for (let count = 0; count < sample; count++) await statusOf(SMALL);
  patience = Math.max(PATIENCE, 3 * (workOf(service()) - before));
});

for (const [name, [path, init]] of Object.entries(COSTLY)) {
  Deno.test({
    name: `a record by key does not wait for ${AT_ONCE} ${name}`,
    ignore: Deno.build.os !== "linux",
    async fn(t) {
      const expected = await statusOf(path, init?.());
      assert.ok(expected < 300, `${expected}`);
      let running = AT_ONCE;
      const costly = Array.from({ length: AT_ONCE }, async () => {
        const status = await statusOf(path, init?.());
        running--;
        return status;
      });
      const waits: number[] = [];
      while (running > 0) {
        const before = workOf(service());
        assert.equal(await statusOf(SMALL), 200);
        waits.push(workOf(service()) - before);
      }
      // One of several may come while all garbage is collected.
      const longest = waits.toSorted((a, b) => a - b).at(waits.length > 1 ? -2 : -1) ?? 0;
      assert.ok(
        longest <= patience,
        `${waits.map(Math.round)} ms of other work came before, ${Math.round(patience)} are allowed`,
      );
      const statuses = new Set(await Promise.all(costly));
      assert.ok(statuses.has(expected), [...statuses].join());
      await tell(
        t,
        `at most ${longest.toFixed(0)} ms of other work before each of ${waits.length} records but one`,
      );
    },
  });
}
