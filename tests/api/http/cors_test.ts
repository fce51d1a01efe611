import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService();

const ORIGIN = "https://app.example";
const ANSWER = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Set-Cookie, Warning, ETag, Location, Rowhouse-All-Record-Count, Retry-After, X-Request-Id, Link",
};

async function corsOf(path: string, init: RequestInit): Promise<Readonly<Record<string, string>>> {
  const answer = await service().fetch(path, init);
  await answer.body?.cancel();
  return Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith("access-control-")));
}

const REQUESTS:
  readonly (readonly [path: string, init: RequestInit & { headers?: Readonly<Record<string, string>> }])[] = [
    ["/db.json", {}],
    ["/db/Demo/Country.json?limit=1", { method: "HEAD" }],
    ["/db/Demo/Country.json?stream&limit=1", {}],
    ["/db/Demo/Country.html", {}],
    ["/db/Demo/Nope.json", {}],
    ["/db?nonsense", {}],
    ["/db.json", { method: "DELETE" }],
    ["/healthz", {}],
    ["/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }],
  ];

for (const [path, init] of REQUESTS) {
  Deno.test(`${init.method ?? "GET"} ${path} lets other origins read what anybody may, and no credentials`, async () => {
    assert.deepEqual(await corsOf(path, { ...init, headers: { ...init.headers, Origin: ORIGIN } }), ANSWER);
  });
}

Deno.test("a request without origin gets no answer about origins", async () => {
  assert.deepEqual(await corsOf("/db.json", {}), {});
  assert.deepEqual(await corsOf("/db.json", { method: "OPTIONS" }), {});
});

Deno.test("every answer tells that it varies by origin", async () => {
  for (const path of ["/db.json", "/db", "/db/Demo/Nope.json", "/db/Demo/Country.html", "/healthz"]) {
    const answer = await service().fetch(path);
    await answer.body?.cancel();
    assert.match(answer.headers.get("vary") ?? "", /(^|, )Origin$/, path);
  }
});

for (const path of ["/db.json", "/no/such/thing", "/db/Demo/Country.csv", "/"]) {
  Deno.test(`a preflight for ${path} allows every method and header for 180 seconds`, async () => {
    const headers = {
      Origin: ORIGIN,
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "apikey, content-type, x-anything",
    };
    assert.deepEqual(await corsOf(path, { method: "OPTIONS", headers }), {
      ...ANSWER,
      "access-control-allow-headers": "apikey, content-type, x-anything",
      "access-control-allow-methods": "HEAD, OPTIONS, GET, POST, PUT, DELETE",
      "access-control-max-age": "180",
    });
  });
}

Deno.test("a preflight is answered whatever credentials it has", async () => {
  const headers = { Origin: ORIGIN, "Access-Control-Request-Method": "GET", apikey: "wrong" };
  const answer = await service().fetch("/db.json", { method: "OPTIONS", headers });
  assert.equal(answer.status, 204);
});

Deno.test("OPTIONS without the headers of a preflight is a request like any other", async () => {
  const headers = { Origin: ORIGIN, apikey: "wrong" };
  const answer = await service().fetch("/db.json", { method: "OPTIONS", headers });
  assert.equal(answer.status, 403);
  await answer.body?.cancel();
});

Deno.test("the service's own origin may send credentials", async () => {
  const { url } = service();
  assert.deepEqual(await corsOf("/db.json", { headers: { Origin: url } }), {
    ...ANSWER,
    "access-control-allow-origin": url,
    "access-control-allow-credentials": "true",
  });
});
