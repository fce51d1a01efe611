import assert from "node:assert/strict";
import { send, START } from "@/tests/api/config_resources/people.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";

const SECRET = "s3cr3t-of-a-login";

/** Some are names of API parameters, whose values the request log shows. */
const QUERIES = ["token", "code", "state", "SAMLResponse", "note", "limit", "nullStr", "schema"];

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly user: string | null;
}

async function listed(service: TestService): Promise<readonly Listed[]> {
  return JSON.parse((await send(service, "admin", "GET /reqstatus.json")).text).recent;
}

async function ask(service: TestService, method: string, path: string): Promise<number> {
  return await statusOf(service.fetch(path, { method }));
}

async function countOf(service: TestService): Promise<number> {
  const metrics = await (await service.fetch("/metrics")).text();
  const counts = metrics.matchAll(/^rowhouse_requests_total\{\S+ (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

Deno.test("attack: the request log shows the path of a login, a logout and the first run, and never their query", async () => {
  await using service = await startService(START);
  const paths = ["/login", "/logout", "/first-run"];
  for (const path of paths) {
    for (const name of QUERIES) {
      for (const method of ["GET", "POST", "HEAD", "OPTIONS", "PUT"]) {
        await ask(service, method, `${path}?${name}=${SECRET}`);
        await ask(service, method, `${path}?${name}=${SECRET}?limit=${SECRET}`);
      }
    }
  }
  const found = await listed(service);
  for (const path of paths) {
    const requests = found.filter((request) => request.path === path);
    assert.ok(requests.length > 0, path);
    assert.deepEqual(new Set(requests.map(({ query }) => query)), new Set([""]));
  }
  assert.equal(JSON.stringify(found).includes(SECRET), false);
  const { text } = await send(service, "admin", "GET /reqstatus.html");
  assert.equal(text.includes(SECRET), false);
});

Deno.test("requests for pages of the login are listed with their status, and counted", async () => {
  await using service = await startService(START);
  const before = await countOf(service);
  assert.equal(await ask(service, "GET", "/login?next=/db"), 200);
  assert.equal(await ask(service, "DELETE", "/login"), 405);
  const [second, first] = await listed(service);
  assert.deepEqual(
    [first, second].map((request) => [request?.method, request?.path, request?.status, request?.user]),
    [["GET", "/login", 200, null], ["DELETE", "/login", 405, null]],
  );
  // Both, the list of requests, and the first look at the counts.
  assert.equal(await countOf(service) - before, 4);
});

Deno.test("probes are counted, and neither listed nor in the audit log", async () => {
  await using service = await startService(START);
  assert.equal(await ask(service, "GET", "/db.json"), 200);
  const before = await countOf(service);
  for (const path of ["/healthz", "/readyz", "/metrics", "/healthz?limit=1"]) {
    for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) await ask(service, method, path);
  }
  assert.equal(await countOf(service) - before, 17);
  const paths = (await listed(service)).map(({ path }) => path);
  assert.deepEqual(paths, ["/db.json"]);
  const audit = await Deno.readTextFile(`${service.home}/log/audit.log`).catch(() => "");
  assert.doesNotMatch(audit, /healthz|readyz|metrics/);
});

Deno.test("a method that a probe has not is refused in the format of the request, with the methods that it has", async () => {
  await using service = await startService(START);
  const { status, headers, text } = await send(service, "admin", "POST /healthz", {});
  assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  assert.match(text, /Cannot POST this resource: use GET, HEAD, OPTIONS/);
});
