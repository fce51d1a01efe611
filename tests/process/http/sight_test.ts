/** @module Answers about the whole process, for `admin`, whichever worker is asked. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { fetchInTime, inTime, until } from "@/tests/support/until.ts";
import { workersWith } from "@/tests/unit/plugins/dialects/sqlite/processes.ts";

const KEY = "administrator-0123456789-0123456789";
const ADMIN = { apikey: KEY };
/** Counts to a number that takes seconds. */
const SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000000) " +
  "SELECT count(*) AS n FROM n";
const FILES = {
  "config/users.cfg": `admin: {apikey: ${KEY}, databases: {Demo: {}}}\npublic: {databases: {Demo: {}}}\n`,
  "config/querydefs.cfg": `slow: {database: Demo, sqlstr: "${SLOW}", execute: [admin, public]}\n`,
  "config/service.ini": "[service]\nready.when = all\n",
};

/** A request on a connection of its own, which may lead to any worker. */
async function ask(service: TestProcess, path: string, headers: Record<string, string> = {}) {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const answer = await inTime(fetch(service.url + path, { headers, client }), "An answer");
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

Deno.test({
  name: "/reqstatus has the requests of all workers, and the user of running ones",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ files: FILES, args: ["--workers", "2"] });
    const leaving = new AbortController();
    const running = Array.from({ length: 8 }, (_, at) => {
      const headers = at % 2 === 0 ? ADMIN : undefined;
      return fetchInTime(`${service.url}/query/slow.json`, {
        ...headers && { headers },
        signal: leaving.signal,
      })
        .catch(() => {});
    });
    try {
      for (let look = 0; look < 6; look++) {
        let users: readonly unknown[] = [];
        await until(async () => {
          const { text } = await ask(service, "/reqstatus.json", ADMIN);
          const listed: readonly { path: string; user: string }[] = JSON.parse(text).running;
          users = listed.filter(({ path }) => path === "/query/slow.json").map(({ user }) => user);
          return users.length === 8;
        });
        assert.deepEqual(users.toSorted(), [...Array(4).fill("admin"), ...Array(4).fill("public")]);
      }
      const page = await ask(service, "/reqstatus.html", ADMIN);
      assert.equal(page.text.split("/query/slow.json").length - 1, 8);
    } finally {
      leaving.abort();
      await Promise.all(running);
    }
  },
});

Deno.test("the reasons of /readyz are for admin from everywhere, and for nobody else", async () => {
  const databases = "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}\n" +
    "Away: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/away.db'}\n";
  const users = FILES["config/users.cfg"].replace(/public.*\n/, "");
  const files = { ...FILES, "config/databases.cfg": databases, "config/users.cfg": users };
  await using service = await startProcess({ files });
  const from = { "X-Forwarded-For": "203.0.113.9" };
  const other = await ask(service, "/readyz", from);
  assert.deepEqual([other.status, other.text], [503, "not ready\n"]);
  assert.match((await ask(service, "/readyz")).text, /^not ready\nAway: disconnected: .*no such file/);
  // A browser on this machine lets pages of any site read answers to public requests.
  const page = await ask(service, "/readyz", { Origin: "https://evil.example" });
  assert.deepEqual([page.status, page.text], [503, "not ready\n"]);
  const metrics = await ask(service, "/metrics", { Origin: "https://evil.example" });
  assert.equal(metrics.status, 403);
  assert.doesNotMatch(metrics.text, /Demo|Away/);
  const admin = await ask(service, "/readyz", { ...from, ...ADMIN });
  assert.match(admin.text, /^not ready\nAway: disconnected: .*no such file/);
  assert.equal((await ask(service, "/readyz", { ...from, apikey: "wrong" })).status, 403);
});

Deno.test({
  name: "a killed process of SQLite is counted",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ files: FILES });
    const ends = async () =>
      /^rowhouse_process_ends_total\{database="Demo"\} (\d+)$/m.exec((await ask(service, "/metrics")).text)
        ?.[1];
    assert.equal(await ends(), "0");
    const answer = ask(service, "/query/slow.json");
    const own = () =>
      workersWith(join(service.home, "state", "demo.db")).map(Number).filter((pid) => pid !== service.pid);
    await until(() => own().length > 0);
    for (const pid of own()) Deno.kill(pid, "SIGKILL");
    assert.equal((await answer).status, 503);
    assert.equal(await ends(), "1");
  },
});

Deno.test("Server-Timing is for admin", async () => {
  await using service = await startProcess({ files: FILES });
  const { headers } = await ask(service, "/db/Demo/Port.json?limit=1", ADMIN);
  assert.match(
    headers.get("server-timing") ?? "",
    /^authenticate;dur=\d+\.\d, plan;dur=\d+\.\d, execute;dur=\d+\.\d, respond;dur=\d+\.\d$/,
  );
  assert.equal((await ask(service, "/db/Demo/Port.json?limit=1")).headers.get("server-timing"), null);
});
