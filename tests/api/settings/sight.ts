/**
 * Settings of what the operator sees: logs and probes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { until } from "@/tests/support/until.ts";
import { type Effect, statusOf, textOf } from "./effect.ts";

/** The query `slow` counts for some hundred milliseconds. */
const WITH_SLOW_QUERY = {
  "config/users.cfg": "public: {databases: {Demo: {}}}\nadmin: {}\n",
  "config/querydefs.cfg":
    "slow:\n  database: Demo\n  execute: [public]\n  sqlstr: >-\n    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL " +
    "SELECT i + 1 FROM n WHERE i < 1500000)\n    SELECT count(*) AS c FROM n WHERE i <> :secret\n",
};

const ENDLESS_QUERY = "endless:\n  database: Demo\n  execute: [public]\n  sqlstr: >-\n    " +
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n\n";

const ADMIN = "administrator-0123456789-0123456789";

/** A test for each. */
export const SIGHT: readonly Effect[] = [
  {
    keys: ["log.format", "log.requests"],
    title: "writes each request as a line of JSON, without credentials",
    ini: ["log.format = json", "log.requests = all"],
    async check(service) {
      const headers = { "X-Request-Id": "one" };
      const answer = await service.fetch("/db/Demo/Country.json?limit=2&apikey=s3cr3t&limt=x", { headers });
      await answer.body?.cancel();
      const listed = await service.fetch("/db/Demo/Country.json?limit=2", {
        headers: { "X-Request-Id": "two" },
      });
      const { length } = new Uint8Array(await listed.arrayBuffer());
      await (await service.fetch("/healthz")).body?.cancel();
      const log = await service.log();
      assert.doesNotMatch(log, /s3cr3t|limt|healthz/);
      const lines = log.trimEnd().split("\n").map((line) => JSON.parse(line));
      const [one, two] = lines.filter(({ message }) => message === "request");
      const { time: _time, ms, ...rest } = two;
      assert.ok(ms > 0);
      assert.deepEqual(rest, {
        level: "INFO",
        message: "request",
        id: "two",
        user: "public",
        address: "127.0.0.1",
        method: "GET",
        target: "/db/Demo/Country.json?limit=2",
        status: 200,
        bytes: length,
        rows: 2,
        database: "Demo",
      });
      assert.deepEqual([one.id, one.target], ["one", "/db/Demo/Country.json?limit=2"]);
    },
  },
  {
    keys: ["log.requests"],
    title: "has the bytes of every answer, and the rows of lists, streams included",
    ini: ["log.requests = all", "log.format = json"],
    async check(service) {
      const paths = [
        "/db/Demo/Ticket.json?stream",
        "/db/Demo/Ticket.csv?transpose",
        "/db/Demo/Ticket/TicketId/1.json",
        "/db/Demo/Nothing.json",
        "/db/Demo.xsd",
        "/openapi/Demo.json",
        "/openapi/Demo.html",
        "/login",
        "/login?next=%2F",
        "/version.json",
        `/assets/${/\/assets\/([^"]+)/.exec(await textOf(service, "/login"))?.[1]}`,
      ];
      const expected = new Map<string, readonly unknown[]>();
      for (const [at, path] of paths.entries()) {
        const answer = await service.fetch(path, { headers: { "X-Request-Id": `sized-${at}` } });
        const { length } = new Uint8Array(await answer.arrayBuffer());
        const rows = /Ticket\b(?!\/)/.test(path) ? 3663 : path.includes("Ticket") ? 1 : undefined;
        expected.set(`sized-${at}`, [length, rows]);
      }
      const found = new Map<string, readonly unknown[]>();
      // The line of a stream comes with its end.
      await until(async () => {
        for (const line of (await service.log()).trimEnd().split("\n")) {
          const { message, id, bytes, rows } = JSON.parse(line);
          if (message === "request" && id.startsWith("sized-")) found.set(id, [bytes, rows]);
        }
        return found.size === paths.length;
      });
      assert.deepEqual(new Map([...found].toSorted()), new Map([...expected].toSorted()));
    },
  },
  {
    keys: ["log.requests"],
    title: "has what was sent of a stream whose client has left",
    ini: ["log.requests = all", "log.format = json"],
    start: { files: { ...WITH_SLOW_QUERY, "config/querydefs.cfg": ENDLESS_QUERY } },
    async check(service) {
      {
        using stream = await RawStream.open(service.port, "/query/endless.csv?stream");
        assert.equal(await stream.readSome(), true);
      }
      await until(async () => (await service.log()).includes("/query/endless.csv?stream"));
      const line = (await service.log()).split("\n").find((each) => each.includes("endless.csv")) ?? "";
      const { bytes, rows } = JSON.parse(line);
      assert.ok(bytes > 100 && rows > 10, line);
    },
  },
  ...([["none", []], ["errors", ["wrong"]], ["slow", ["slow"]]] as const).map((
    [which, ids],
  ): Effect => ({
    keys: ["log.requests"],
    title: `= ${which} writes ${ids.join(", ") || "no request"}`,
    ini: [`log.requests = ${which}`, "log.slow_statement = 100"],
    start: { files: WITH_SLOW_QUERY },
    async check(service) {
      const ask = async (id: string, path: string) =>
        void await (await service.fetch(path, { headers: { "X-Request-Id": id } })).body?.cancel();
      await ask("right", "/db/Demo/Country.json?limit=2");
      await ask("wrong", "/db/Demo/Nothing.json");
      await ask("slow", "/query/slow/secret/1.json");
      const lines = (await service.log()).split("\n").filter((line) => line.includes("INFO request "));
      assert.deepEqual(lines.map((line) => /\bid=(\S+)/.exec(line)?.[1]), ids);
    },
  })),
  {
    keys: ["log.slow_statement"],
    title: "logs the statement of a slow request with its id, without values",
    ini: ["log.slow_statement = 100"],
    start: { files: WITH_SLOW_QUERY },
    async check(service) {
      const headers = { "X-Request-Id": "slow-one" };
      const answer = await service.fetch("/query/slow/secret/4711.json", { headers });
      assert.equal(answer.status, 200, await answer.text());
      const log = await service.log();
      assert.match(log, /WARN Database Demo: a statement took \d+ ms \(slow-one\): .*RECURSIVE/);
      assert.doesNotMatch(log, /4711/);
    },
  },
  {
    keys: ["log.slow_statement"],
    title: "logs every statement of pages and of trials with the id of its request",
    ini: ["log.slow_statement = 1"],
    start: {
      files: {
        "config/users.cfg": `admin: {apikey: ${ADMIN}, databases: {Wide: {}}}\n`,
        "config/querydefs.cfg":
          "sum:\n  database: Wide\n  execute: [admin]\n  sqlstr: SELECT k, count(*) AS n FROM number GROUP BY k\n",
      },
      isAdministered: true,
      sqlite: {
        Wide: "CREATE TABLE number (i INTEGER PRIMARY KEY, k INTEGER);" +
          "INSERT INTO number WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) " +
          "SELECT i, i % 7 FROM n;" +
          // Many, because each is counted up to 10,000 in less than a millisecond.
          Array.from({ length: 20 }, (_, at) => {
            return `CREATE TABLE t${at} AS SELECT * FROM number LIMIT 11000;`;
          }).join(""),
      },
    },
    async check(service) {
      const trial = {
        database: "Wide",
        sqlstr: "SELECT count(*) AS n FROM number WHERE k > 3",
        arguments: {},
      };
      const requests: Readonly<Record<string, readonly [path: string, body?: object]>> = {
        summary: ["/db/Wide/number.html?ui.chart&ui.x=k"],
        facet: ["/db/Wide/number.html?limit=5&ui.facet=k"],
        "summary-of-query": ["/query/sum.html?ui.chart&ui.x=k"],
        counts: ["/db/Wide.html?ui.counts"],
        trial: ["/settings/check-query.json", trial],
      };
      for (const [id, [path, body]] of Object.entries(requests)) {
        const headers = { "X-Request-Id": id, apikey: ADMIN, "Content-Type": "application/json" };
        const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
        const answer = await service.fetch(path, { headers, ...init });
        assert.equal(answer.status, 200, await answer.text());
      }
      const lines = (await service.log()).split("\n").filter((line) => line.includes("a statement took"));
      assert.deepEqual(lines.filter((line) => !/took \d+ ms \(/.test(line)), []);
      const ids = new Set(lines.map((line) => /ms \((.*?)\):/.exec(line)?.[1]));
      assert.deepEqual(ids, new Set(Object.keys(requests)));
    },
  },
  {
    keys: ["ready.when"],
    title: "is whether all databases have to be connected",
    ini: ["ready.when = all"],
    start: {
      files: {
        "config/databases.cfg": "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}\n" +
          "Gone: {db_type: sqlite, db_name: missing.db}\n",
        "config/users.cfg": `public: {databases: {Demo: {}, Gone: {}}}\nadmin: {apikey: ${ADMIN}}\n`,
      },
    },
    async check(service) {
      const answer = await service.fetch("/readyz");
      assert.match(await answer.text(), /^not ready\nGone: disconnected: .*missing\.db/);
      assert.equal(answer.status, 503);
      const told = { headers: { "X-Forwarded-For": "203.0.113.9" } };
      assert.equal(await (await service.fetch("/readyz", told)).text(), "not ready\n");
      const refused = await service.fetch("/readyz?database=Demo", told);
      assert.equal(refused.status, 403);
      assert.match(
        refused.headers.get("warning") ?? "",
        /^The state of one database is for this machine only, /,
      );
      const byAdmin = { headers: { ...told.headers, apikey: ADMIN } };
      for (const path of ["/readyz", "/readyz?database=Gone"]) {
        const told = await service.fetch(path, byAdmin);
        assert.equal(told.status, 503);
        assert.match(await told.text(), /^not ready\nGone: disconnected: .*missing\.db/);
      }
      assert.equal(await statusOf(service, "/readyz?database=Demo"), 200);
      assert.equal(await statusOf(service, "/readyz?database=Gone"), 503);
      const none = await service.fetch("/readyz?database=None");
      assert.match(await none.text(), /^not ready\nNone: there is no such database\n/);
      assert.equal(none.status, 503);
    },
  },
];
