/** @module `/metrics`: what is counted, and how many series there can be. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { sharedService, startService, type TestService } from "@/tests/support/service.ts";

const service = sharedService();

async function metrics(of: TestService = service()): Promise<string> {
  return await (await of.fetch("/metrics")).text();
}

async function ask(path: string, init?: RequestInit): Promise<void> {
  await (await service().fetch(path, init)).body?.cancel();
}

function valueOf(text: string, series: string): number {
  return Number(text.split("\n").find((line) => line.startsWith(`${series} `))?.split(" ")[1] ?? 0);
}

Deno.test("every route counts, by its shape", async () => {
  const expected = {
    'route="/login",method="GET",status="200",format="html"': ["GET", "/login"],
    'route="/db",method="GET",status="200",format="json"': ["GET", "/db.json"],
    'route="/db/{db_id}",method="GET",status="200",format="csv"': ["GET", "/db/Demo.csv"],
    'route="/db/{db_id}/{table}",method="GET",status="404",format="json"': ["GET", "/db/Demo/None.json"],
    'route="/db/{db_id}/{table}/*",method="GET",status="200",format="xml"': [
      "GET",
      "/db/Demo/Country/Name.xml",
    ],
    'route="/settings",method="HEAD",status="200",format="json"': ["HEAD", "/settings.json"],
    'route="/healthz",method="GET",status="200",format="none"': ["GET", "/healthz"],
    'route="other",method="GET",status="404",format="json"': ["GET", "/nothing/here.json"],
  } as const;
  for (const [labels, [method, path]] of Object.entries(expected)) {
    const before = valueOf(await metrics(), `rowhouse_requests_total{${labels}}`);
    await ask(path, { method });
    const text = await metrics();
    assert.equal(valueOf(text, `rowhouse_requests_total{${labels}}`) - before, 1, `${path}\n${text}`);
  }
});

Deno.test("questions of browsers before requests of other origins are counted", async () => {
  const series = 'rowhouse_requests_total{route="preflight",method="OPTIONS",status="204",format="none"}';
  const before = valueOf(await metrics(), series);
  const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "PUT" };
  for (const path of ["/db.json", "/login"]) await ask(path, { method: "OPTIONS", headers });
  assert.equal(valueOf(await metrics(), series) - before, 2);
});

Deno.test("statements and refusals are counted", async () => {
  const before = await metrics();
  await ask("/db/Demo/Port.json");
  await ask("/db/Demo/None.json");
  const after = await metrics();
  for (
    const series of [
      'rowhouse_statements_total{database="Demo"}',
      'rowhouse_refusals_total{reason="not-found"}',
    ]
  ) {
    assert.equal(valueOf(after, series) - valueOf(before, series), 1, series);
  }
});

Deno.test("logins that must wait are refusals", async () => {
  const series = 'rowhouse_refusals_total{reason="too-many-requests"}';
  const before = valueOf(await metrics(), series);
  const headers = { "Content-Type": "application/json" };
  for (let attempt = 0; attempt < 7; attempt++) {
    await ask("/login", { method: "POST", headers, body: '{"login": "nobody", "password": "wrong"}' });
  }
  assert.ok(valueOf(await metrics(), series) > before);
});

Deno.test("logins on the page for people are refusals, too", async () => {
  const series = ["forbidden", "too-many-requests"].map((code) =>
    `rowhouse_refusals_total{reason="${code}"}`
  );
  await using own = await startService();
  const before = await metrics(own);
  const headers = { Origin: own.url, Accept: "text/html", "X-Forwarded-For": "192.0.2.1" };
  for (let attempt = 0; attempt < 7; attempt++) {
    const body = new URLSearchParams({ login: "nobody", password: "wrong" });
    await (await own.fetch("/login", { method: "POST", headers, body })).body?.cancel();
  }
  const after = await metrics(own);
  assert.deepEqual(series.map((each) => valueOf(after, each) - valueOf(before, each)), [5, 2]);
});

Deno.test("the documentation has every metric", async () => {
  const text = await Deno.readTextFile(join(ROOT, "docs", "operations.md"));
  const named = new Set(text.match(/rowhouse_\w+/g));
  const shown = new Set([...(await metrics()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name));
  assert.deepEqual([...shown].filter((name) => !named.has(name)), []);
  assert.deepEqual([...named].filter((name) => !shown.has(name)), []);
});

Deno.test("attack: many databases, routes, methods and formats are fewer than 2,000 series", async () => {
  const databases = Array.from({ length: 120 }, (_, at) => {
    return `D${at}: {db_type: sqlite, db_name: '\${ROWHOUSE_STATE}/demo.db'}\n`;
  });
  await using busy = await startService({ files: { "config/databases.cfg": databases.join("") } });
  const paths = [
    "/db",
    "/db/D1",
    "/db/D1/Port",
    "/db/D1/Port/Code",
    "/settings",
    "/version",
    "/x",
    "/query/y",
    "/login",
  ];
  const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "MAKE"];
  const endings = ["", ".json", ".xml", ".csv", ".html", ".txt", ".none"];
  for (const path of paths) {
    for (const ending of endings) {
      for (const method of methods) await (await busy.fetch(path + ending, { method })).body?.cancel();
    }
  }
  const text = await metrics(busy);
  const series = text.trimEnd().split("\n").filter((line) => !line.startsWith("#"));
  assert.ok(series.length > 500 && series.length < 2000, `${series.length}`);
  assert.match(text, /database="other"/);
  assert.doesNotMatch(text, /BREW/);
});
