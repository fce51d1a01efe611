import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const service = sharedService({ args: ["--base-url", "https://data.example.com/api/v1/"] });

/** Requests below the prefix of the base URL and without it, because some proxies remove it. */
const PREFIXES = ["/api/v1", ""];

for (const prefix of PREFIXES) {
  const shown = prefix === "" ? "without the prefix" : "with the prefix";

  Deno.test(`references have the prefix of the base URL, requested ${shown}`, async () => {
    const answer = await service().fetch(`${prefix}/db/Demo/Country/CountryCode/NO.json`);
    const record = await answer.json();
    assert.equal(record.__href, "/api/v1/db/Demo/Country/CountryCode/NO.json");
    assert.deepEqual(record.Port, { __href: "/api/v1/db/Demo/Country/CountryCode/NO/Port.json" });
  });

  Deno.test(`lists of databases and tables have the prefix of the base URL, requested ${shown}`, async () => {
    const [database] = await (await service().fetch(`${prefix}/db.json`)).json();
    assert.equal(database.__href, "/api/v1/db/Demo.json");
    const { Demo } = await (await service().fetch(`${prefix}/db/Demo.json`)).json();
    assert.equal(Demo.__href, "/api/v1/db/Demo.json");
    assert.equal(Demo.Country.__href, "/api/v1/db/Demo/Country.json");
    const root = await (await service().fetch(`${prefix}/`)).json();
    assert.deepEqual(root.db, { __href: "/api/v1/db.json" });
  });

  Deno.test(`a redirect has the prefix of the base URL, requested ${shown}`, async () => {
    const { status, headers } = await sendRaw(service().port, { target: `${prefix}/db/Demo/Country.html` });
    assert.equal(status, 302);
    assert.equal(headers.get("location"), "/api/v1/db/Demo/Country.html?limit=29");
  });
}

Deno.test("the prefix alone is the root", async () => {
  const answer = await service().fetch("/api/v1", { headers: { Accept: "application/json" } });
  assert.deepEqual(await answer.json(), {
    db: { __href: "/api/v1/db.json" },
    query: { __href: "/api/v1/query.json" },
    settings: { __href: "/api/v1/settings.json" },
  });
});

Deno.test("what only starts like the prefix is not below it", async () => {
  assert.equal(await statusOf(service().fetch("/api/v1x/db.json")), 404);
});

Deno.test("pages link below the prefix", async () => {
  const page = await (await service().fetch("/db/Demo/Country.html?limit=2")).text();
  const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link]) => link ?? "");
  assert.notEqual(links.length, 0);
  assert.deepEqual(links.filter((link) => link.startsWith("/") && !link.startsWith("/api/v1/")), []);
});

Deno.test("the page of the API leads to that of a database, also where the prefix has the path of databases", async () => {
  await using own = await startService({ args: ["--base-url", "https://data.example.com/tools/db"] });
  const page = await (await own.fetch("/tools/db/openapi.html")).text();
  const [, link = ""] = /href="([^"]*)"[^>]*>Demo</.exec(page) ?? [];
  assert.equal(link, "/tools/db/openapi/Demo.html");
  assert.equal(await statusOf(own.fetch(link)), 200);
});

Deno.test("what needs no login is below a prefix with percent-encoded characters, too", async () => {
  await using own = await startService({ args: ["--base-url", "https://data.example.com/données a"] });
  const prefix = "/donn%C3%A9es%20a";
  const page = await (await own.fetch(`${prefix}/login`)).text();
  const [, sheet = ""] = /href="([^"]*[.]css)"/.exec(page) ?? [];
  assert.match(sheet, /^\/donn%C3%A9es%20a\/assets\//);
  const paths = [sheet, `${prefix}/healthz`, "/healthz", "/login"];
  const statuses = await Promise.all(paths.map((path) => statusOf(own.fetch(path))));
  assert.deepEqual(statuses, [200, 200, 200, 200]);
});
