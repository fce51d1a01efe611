/** @module A query whose changes are stored, and whose rows cannot be shown, is not told as a refusal. */

import assert from "node:assert/strict";
import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { stringify } from "yaml";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";

const ANNA = { apikey: "anna-0123456789-0123456789-0123456789" };
const TOLD = "The query has been run, but its rows cannot be shown";

/** A query that counts its runs, and returns so many rows of a thousand characters. */
async function start(rows: number, settings = ""): Promise<TestProcess> {
  const numbers = `WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${rows})`;
  const run = {
    database: "Notes",
    sqlstr: "UPDATE note SET runs = runs + 1 RETURNING *",
    http_methods: { POST: true },
    execute: ["anna"],
  };
  return await startProcess({
    sqlite: {
      Notes: "CREATE TABLE note (id INTEGER PRIMARY KEY, runs INTEGER NOT NULL, text TEXT NOT NULL);\n" +
        `${numbers} INSERT INTO note SELECT n, 0, printf('%.*c', 1000, 'x') FROM i;\n`,
    },
    files: {
      "config/service.ini": `[service]\n${settings}`,
      "config/users.cfg": stringify({ admin: {}, anna: { ...ANNA, databases: { Notes: {} } } }),
      "config/querydefs.cfg": stringify({ run }),
    },
  });
}

function runsIn(service: TestProcess): unknown {
  const handle = new Sqlite(join(service.home, "state", "notes.db"), { readonly: true });
  try {
    return handle.prepare("SELECT max(runs) FROM note").pluck().get([]);
  } finally {
    handle.close();
  }
}

/** What the audit log says about the runs. */
async function outcomes(service: TestProcess): Promise<readonly string[]> {
  const text = await Deno.readTextFile(join(service.home, "log", "audit.log"));
  const lines = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  return lines.filter(({ action }) => action === "write").map(({ outcome, status }) =>
    `${outcome} ${status}`
  );
}

Deno.test("the answer says that it was run, and the audit log, too", async () => {
  await using service = await start(2000, "server.answer_memory = 1048576\n");
  const { status, headers } = await service.fetch("/query/run.json", { method: "POST", headers: ANNA });
  assert.equal(status, 204);
  assert.match(headers.get("warning") ?? "", new RegExp(`^${TOLD}`));
  const form = new URLSearchParams({ "ui.method": "POST", "ui.as": "csv" });
  const page = await service.fetch("/ui/query/run", {
    method: "POST",
    headers: { ...ANNA, "Sec-Fetch-Site": "same-origin" },
    body: form,
  });
  const text = await page.text();
  assert.equal(page.status, 409, text);
  assert.ok(text.includes(TOLD), text);
  assert.equal(runsIn(service), 2);
  assert.deepEqual(await outcomes(service), ["success 204", "success 204"]);
});

Deno.test("the audit log says what was changed for a client that leaves before it has the rows", async () => {
  await using service = await start(30_000);
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = assert.rejects(service.fetch("/query/run.json", { method: "POST", headers: ANNA, signal }));
  while (runsIn(service) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  leaving.abort();
  await left;
  await until(async () => (await outcomes(service)).length > 0);
  assert.match((await outcomes(service)).join(), /^success /);
});
