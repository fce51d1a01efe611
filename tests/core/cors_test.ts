import assert from "node:assert/strict";
import { answerPreflight, corsHeaders, isPreflight } from "@/core/cors.ts";

Deno.test("the origin is copied, credentials are allowed, two headers are exposed", () => {
  assert.deepEqual(Object.fromEntries(corsHeaders("https://app.example:8443")), {
    "Access-Control-Allow-Origin": "https://app.example:8443",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "Set-Cookie, Warning",
  });
});

Deno.test("only a browser that asks about a request sends a preflight", () => {
  const asking = { Origin: "https://a.example", "Access-Control-Request-Method": "PUT" };
  const cases: readonly (readonly [string, Record<string, string>, boolean])[] = [
    ["OPTIONS", asking, true],
    ["OPTIONS", { Origin: "null", "Access-Control-Request-Method": "PUT" }, true],
    ["OPTIONS", { Origin: "https://a.example" }, false],
    ["OPTIONS", { "Access-Control-Request-Method": "PUT" }, false],
    ["OPTIONS", {}, false],
    ["GET", asking, false],
  ];
  for (const [method, headers, expected] of cases) {
    assert.equal(isPreflight(method, new Headers(headers)), expected, `${method} ${JSON.stringify(headers)}`);
  }
});

Deno.test("a preflight that names no headers is allowed all of them", () => {
  const { status, headers } = answerPreflight(new Headers({ Origin: "https://a.example" }));
  assert.equal(status, 204);
  assert.equal(headers.get("access-control-allow-origin"), "https://a.example");
  assert.equal(headers.get("access-control-allow-headers"), "*");
  assert.equal(headers.get("access-control-allow-methods"), "HEAD, OPTIONS, GET, POST, PUT, DELETE");
  assert.equal(headers.get("access-control-max-age"), "180");
});
