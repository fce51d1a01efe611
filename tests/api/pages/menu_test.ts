/** @module The menu of a page has the queries for those who may run one, page after page. */

import assert from "node:assert/strict";
import { startService } from "@/tests/support/service.ts";

const ADMIN = "admin-0123456789-0123456789-01234567890";
const KEY = "runner-0123456789-0123456789-0123456789";

Deno.test("the menu leads to the queries only for callers who may run one, also when rights change", async () => {
  await using service = await startService({
    isAdministered: true,
    files: {
      "config/auth.cfg": "authentication_policies:\n  apikey: {enabled: true, priority: 1}\n",
      "config/users.cfg": `admin: {apikey: ${ADMIN}}\npublic: {databases: {Demo: {}}}\n` +
        `runner: {apikey: ${KEY}, databases: {Demo: {}}}\n`,
      "config/querydefs.cfg": "ports: {database: Demo, sqlstr: SELECT * FROM Port, execute: [runner]}\n",
    },
  });
  const hasQueries = async (headers: Readonly<Record<string, string>>) => {
    const page = await (await service.fetch("/db/Demo/Port.html?limit=5", { headers })).text();
    return page.includes('<a href="/query.html">Queries</a>');
  };
  const apikey = { apikey: KEY };
  for (let round = 0; round < 2; round++) {
    assert.equal(await hasQueries({}), false);
    assert.equal(await hasQueries(apikey), true);
  }
  const changed = await service.fetch("/querydef/ports.json", {
    method: "PUT",
    headers: { apikey: ADMIN, "Content-Type": "application/json" },
    body: JSON.stringify({ execute: ["public"] }),
  });
  assert.equal(changed.status, 204, await changed.text());
  assert.equal(await hasQueries({}), true);
});
