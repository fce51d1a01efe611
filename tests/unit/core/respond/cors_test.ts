import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { settingsOf } from "@/tests/unit/core/settings_of.ts";
import type { Sender } from "@/plugins/contract.ts";
import { answerPreflight, corsHeaders, isPreflight } from "@/core/respond/cors.ts";

const OWN = "https://data.example";
const APP = "https://app.example:8443";
const EXPOSED = "Set-Cookie, Warning, ETag, Location, Shop-All-Record-Count, Retry-After, X-Request-Id, Link";

function senderOf(headers: Readonly<Record<string, string>>): Sender {
  return { headers: new Headers({ Host: "data.example", ...headers }), client: clientOf({ isHttps: true }) };
}

function rulesOf(changes: Parameters<typeof settingsOf>[0] = {}) {
  const settings = settingsOf({ "cors.trusted_origins": [APP], ...changes });
  return { settings, origin: "https://public.example", countHeader: "Shop-All-Record-Count" };
}

const headersFor = (origin: string, rules = rulesOf()) =>
  Object.fromEntries(corsHeaders(senderOf({ Origin: origin }), rules));

for (const origin of [OWN, APP, "https://public.example"]) {
  Deno.test(`${origin} is the service itself or trusted: it may send credentials`, () => {
    assert.deepEqual(headersFor(origin), {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Expose-Headers": EXPOSED,
    });
  });
}

const OTHERS = [
  "https://evil.example",
  "https://evil.data.example",
  "http://data.example",
  "https://data.example:444",
  "https://app.example",
  "null",
  "",
];

for (const origin of OTHERS) {
  Deno.test(`attack: "${origin}" reads nothing that takes credentials`, () => {
    const answer = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": EXPOSED };
    assert.deepEqual(headersFor(origin), answer);
  });

  Deno.test(`"${origin}" may do everything with cors.open, as in the specification's sample`, () => {
    assert.deepEqual(headersFor(origin, rulesOf({ "cors.open": true })), {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Expose-Headers": "Set-Cookie, Warning",
    });
  });
}

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
  const { status, headers } = answerPreflight(senderOf({ Origin: "https://a.example" }), rulesOf());
  assert.equal(status, 204);
  assert.equal(headers.get("access-control-allow-origin"), "*");
  assert.equal(headers.has("access-control-allow-credentials"), false);
  assert.equal(headers.get("access-control-allow-headers"), "*");
  assert.equal(headers.get("vary"), "Origin");
  assert.equal(headers.get("access-control-allow-methods"), "HEAD, OPTIONS, GET, POST, PUT, DELETE");
  assert.equal(headers.get("access-control-max-age"), "180");
});
