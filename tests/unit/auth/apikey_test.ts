import assert from "node:assert/strict";
import type { AuthHost, AuthMethod, AuthResult, Section } from "@/plugins/contract.ts";
import apikey from "@/auth/apikey/mod.ts";
import { hostOf, type HostOptions } from "@/tests/conformance/auth_host.ts";
import { requestOf, testAuth } from "@/tests/conformance/auth.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

// Short enough to wait while wrong keys come from its network.
const ANNA_KEY = "anna-0123456789abcdef";
const BERT_KEY = "bert-0123456789abcdef0123456789abcdef";
const USERS = new Map([
  [ANNA_KEY, userOf("anna")],
  [BERT_KEY, userOf("bert", { appid: "warehouse" })],
]);

function hostWith(settings: HostOptions["settings"] = {}): AuthHost {
  return hostOf({ keys: USERS, settings });
}

const inQuery = hostWith({ allow_apikey_in_query_string: true });

testAuth("apikey", () => apikey, {
  host: inQuery,
  accepted: [
    { name: "a key in the header", headers: { apikey: ANNA_KEY }, secrets: [ANNA_KEY], login: "anna" },
    { name: "a key in the query", credentials: { apikey: ANNA_KEY }, secrets: [ANNA_KEY], login: "anna" },
    {
      name: "application and key",
      headers: { appid: "warehouse", apikey: BERT_KEY },
      secrets: [BERT_KEY],
      login: "bert",
    },
  ],
  rejected: [
    { name: "an unknown key", headers: { apikey: "no-such-key" }, secrets: ["no-such-key"] },
    { name: "an empty key", headers: { apikey: "" }, secrets: [] },
    { name: "an application without key", headers: { appid: "warehouse" }, secrets: [] },
    { name: "a key without its application", headers: { apikey: BERT_KEY }, secrets: [BERT_KEY] },
    {
      name: "a key of another application",
      headers: { appid: "workshop", apikey: BERT_KEY },
      secrets: [BERT_KEY],
    },
  ],
});

function setUp(host: AuthHost, section: Section = {}): AuthMethod {
  return apikey.setup(sectionOf(apikey, section), host);
}

async function ask(
  method: AuthMethod,
  attempt: Parameters<typeof requestOf>[0],
): Promise<AuthResult["outcome"]> {
  return (await method.authenticate(requestOf(attempt))).outcome;
}

Deno.test("a key in the query is refused with a hint at the header while that is not allowed", async () => {
  const method = setUp(hostWith());
  const credentials: Readonly<Record<string, string>>[] = [{ apikey: ANNA_KEY }, { appid: "x" }];
  for (const each of credentials) {
    const result = await method.authenticate(requestOf({ credentials: each }));
    assert.deepEqual(result, {
      outcome: "rejected",
      reason: "a key in the query string",
      tell: 'API keys are not accepted in the query string: use the header "apikey"',
    });
  }
});

Deno.test("a key in the query is refused even beside a valid one in the header", async () => {
  const attempt = { headers: { apikey: ANNA_KEY }, credentials: { apikey: ANNA_KEY } };
  assert.equal(await ask(setUp(hostWith()), attempt), "rejected");
});

Deno.test("the header goes before the query", async () => {
  const method = setUp(inQuery);
  assert.equal(
    await ask(method, { headers: { apikey: ANNA_KEY }, credentials: { apikey: "x" } }),
    "accepted",
  );
  assert.equal(
    await ask(method, { headers: { apikey: "x" }, credentials: { apikey: ANNA_KEY } }),
    "rejected",
  );
});

Deno.test("application and key may come by different ways", async () => {
  const attempt = { headers: { apikey: BERT_KEY }, credentials: { appid: "warehouse" } };
  assert.equal(await ask(setUp(inQuery), attempt), "accepted");
});

Deno.test("the names come from the policy's block, else from service.ini, and are told to clients", async () => {
  const host = hostWith({ appid_name: "X-App", apikey_name: "X-Key" });
  const fromIni = setUp(host);
  assert.deepEqual(fromIni.queryParameters, ["X-App", "X-Key"]);
  assert.deepEqual(fromIni.clientSettings, { appid_name: "X-App", apikey_name: "X-Key" });
  assert.equal(await ask(fromIni, { headers: { "x-key": ANNA_KEY } }), "accepted");
  assert.equal(await ask(fromIni, { headers: { apikey: ANNA_KEY } }), "absent");
  const fromPolicy = setUp(host, { apikey_name: "Token" });
  assert.deepEqual(fromPolicy.queryParameters, ["X-App", "Token"]);
});

Deno.test("its security schemes are the ways in which a key may be sent", () => {
  const described = setUp(hostWith({ apikey_name: "X-Key" }));
  assert.deepEqual(described.securitySchemes, {
    apikey: { type: "apiKey", description: "The API key of a user.", in: "header", name: "X-Key" },
    appid: {
      type: "apiKey",
      description: "The application id, for users who have one.",
      in: "header",
      name: "appid",
    },
  });
  assert.deepEqual(described.securityRequirements, [["apikey"], ["apikey", "appid"]]);
  const both = setUp(inQuery);
  assert.deepEqual(Object.keys(both.securitySchemes ?? {}), [
    "apikey",
    "appid",
    "apikey_query",
    "appid_query",
  ]);
  assert.deepEqual(both.securityRequirements, [
    ["apikey"],
    ["apikey", "appid"],
    ["apikey_query"],
    ["apikey_query", "appid_query"],
  ]);
});

Deno.test("one name for both parameters is refused at start", () => {
  assert.throws(() => setUp(hostWith(), { apikey_name: "APPID" }), /must be another name than appid_name/);
});

for (const name of ["", "a b", "ä", "a:b", 7]) {
  Deno.test(`the name ${JSON.stringify(name)} is refused at start`, () => {
    assert.throws(
      () => setUp(hostWith(), { apikey_name: name }),
      /apikey_name: Expected a name of letters, digits, - and _/,
    );
  });
}
