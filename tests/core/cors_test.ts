import assert from "node:assert/strict";
import { answerPreflight, corsHeaders } from "@/core/cors.ts";

Deno.test("the origin is copied, credentials are allowed, two headers are exposed", () => {
  assert.deepEqual(Object.fromEntries(corsHeaders("https://app.example:8443")), {
    "Access-Control-Allow-Origin": "https://app.example:8443",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "Set-Cookie, Warning",
  });
});

Deno.test("OPTIONS without origin tells the methods only", () => {
  const { status, headers } = answerPreflight(new Headers(), "GET, HEAD, OPTIONS");
  assert.equal(status, 204);
  assert.deepEqual(Object.fromEntries(headers), { allow: "GET, HEAD, OPTIONS", vary: "Origin" });
});

Deno.test("a preflight that names no headers is allowed all of them", () => {
  const { headers } = answerPreflight(new Headers({ Origin: "https://a.example" }), "GET");
  assert.equal(headers.get("access-control-allow-headers"), "*");
  assert.equal(headers.get("access-control-allow-methods"), "HEAD, OPTIONS, GET, POST, PUT, DELETE");
  assert.equal(headers.get("access-control-max-age"), "180");
});
