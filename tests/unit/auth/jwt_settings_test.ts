import assert from "node:assert/strict";
import jwt from "@/auth/jwt/mod.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { blockFor } from "@/tests/api/auth/oidc/provider.ts";

const BLOCK = blockFor({ url: "https://acme.example" }, "acme");

/** The complaints of the method, and the labels of the remaining buttons. */
async function setUp(
  identity_providers: unknown,
): Promise<{ readonly complaints: readonly string[]; readonly buttons: readonly string[] }> {
  const complaints: string[] = [];
  const complain = (key: string, message: string) => void complaints.push(`${key}: ${message}`);
  const method = await jwt.setup({ identity_providers }, hostOf({ changes: { complain } }));
  return { complaints, buttons: method.buttons?.({ next: "/" }).map(({ label }) => label) ?? [] };
}

function without(key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(BLOCK).filter(([name]) => name !== key));
}

const REDIRECT = "Expected the address of this service with /login/callback?idp_id=acme";

const MISTAKES: readonly (readonly [what: string, block: unknown, complaint: string])[] = [
  ["no map", 5, ": Expected a mapping, found a number"],
  ["no enabled", without("enabled"), ".enabled: Is required, found nothing"],
  ["enabled as a text", { ...BLOCK, enabled: "yes" }, ".enabled: Expected true or false, found text"],
  ["no claim_attribute", without("claim_attribute"), ".claim_attribute: Is required, found nothing"],
  [
    "no user_config_attribute",
    without("user_config_attribute"),
    ".user_config_attribute: Is required, found nothing",
  ],
  [
    "an attribute that must not be matched",
    { ...BLOCK, user_config_attribute: "password" },
    '.user_config_attribute: Expected one of login, name, email, appid, found "password"',
  ],
  ["no client_id", without("client_id"), ".client_id: Is required, found nothing"],
  ["an empty client_id", { ...BLOCK, client_id: " " }, ".client_id: Expected text, found empty text"],
  [
    "a client_secret that is no text",
    { ...BLOCK, client_secret: 5 },
    ".client_secret: Expected text, found a number: put it in quotes",
  ],
  [
    "a way to send a secret that is not there",
    { ...BLOCK, token_endpoint_auth_method: "client_secret_post" },
    ".client_secret: Is missing: token_endpoint_auth_method is client_secret_post",
  ],
  [
    "a claim_regex that is none",
    { ...BLOCK, claim_regex: "(" },
    ".claim_regex: Expected a regular expression of RE2: error parsing regexp: missing closing ): `(`",
  ],
  ["no redirect_uri", without("redirect_uri"), ".redirect_uri: Is required, found nothing"],
  [
    "a redirect_uri without idp_id",
    { ...BLOCK, redirect_uri: "https://service.example/login/callback" },
    `.redirect_uri: ${REDIRECT}`,
  ],
  [
    "a redirect_uri with the id of another provider",
    { ...BLOCK, redirect_uri: "https://service.example/login/callback?idp_id=other" },
    `.redirect_uri: ${REDIRECT}`,
  ],
  [
    "a redirect_uri to another path",
    { ...BLOCK, redirect_uri: "https://service.example/login?idp_id=acme" },
    `.redirect_uri: ${REDIRECT}`,
  ],
  [
    "a redirect_uri that is no URL",
    { ...BLOCK, redirect_uri: "/login/callback?idp_id=acme" },
    `.redirect_uri: ${REDIRECT}`,
  ],
  ["no response_type", without("response_type"), ".response_type: Is required, found nothing"],
  [
    "an unknown response_type",
    { ...BLOCK, response_type: "token" },
    '.response_type: Expected one of code, id_token, found "token"',
  ],
  [
    "a scope without openid",
    { ...BLOCK, scope: "email" },
    '.scope: Expected words with spaces between them, "openid" among them',
  ],
  [
    "no well_known_configuration",
    without("well_known_configuration"),
    ".well_known_configuration: Is required, found nothing",
  ],
  [
    "an authorization_endpoint that is no URL",
    { ...BLOCK, authorization_endpoint: "javascript:alert(1)" },
    ".authorization_endpoint: Expected a URL",
  ],
  [
    "a token_endpoint that is no URL",
    { ...BLOCK, token_endpoint: "/token" },
    ".token_endpoint: Expected a URL",
  ],
  [
    "gui.visible as a text",
    { ...BLOCK, "gui.visible": "yes" },
    ".gui.visible: Expected true or false, found text",
  ],
  ["gui as a text", { ...BLOCK, gui: "yes" }, ".gui: Expected a mapping, found text"],
];

for (const [what, block, complaint] of MISTAKES) {
  Deno.test(`a provider with ${what} is named by its key and left out, and others work`, async () => {
    const other = blockFor({ url: "https://other.example" }, "other");
    assert.deepEqual(await setUp({ acme: block, other }), {
      complaints: [`identity_providers.acme${complaint}`],
      buttons: ["Log in with OTHER"],
    });
  });
}

Deno.test("an unknown key of a provider is named with the key that is meant", async () => {
  const { complaints, buttons } = await setUp({ acme: { ...BLOCK, clientid: "x" } });
  assert.match(
    complaints.join("\n"),
    /^identity_providers\.acme\.clientid: Unknown member: did you mean "client_id"\?$/,
  );
  assert.deepEqual(buttons, []);
});

Deno.test("every mistake is named at once", async () => {
  const { complaints } = await setUp({ acme: { enabled: true } });
  assert.deepEqual(complaints, [
    "identity_providers.acme.claim_attribute: Is required, found nothing",
    "identity_providers.acme.user_config_attribute: Is required, found nothing",
    "identity_providers.acme.client_id: Is required, found nothing",
    "identity_providers.acme.redirect_uri: Is required, found nothing",
    "identity_providers.acme.response_type: Is required, found nothing",
    "identity_providers.acme.well_known_configuration: Is required, found nothing",
  ]);
});

for (
  const [providers, found] of [[undefined, "nothing"], [null, "nothing"], [5, "a number"], [[], "a list"]]
) {
  Deno.test(`identity_providers that are ${JSON.stringify(providers)} are named`, async () => {
    assert.deepEqual(await setUp(providers), {
      complaints: [`identity_providers: Expected a mapping, found ${found}`],
      buttons: [],
    });
  });
}

Deno.test("ids have letters, digits and : @ _ ~ -", async () => {
  const id = "Az09:@_~-";
  const good = {
    ...BLOCK,
    redirect_uri: `https://x.example/login/callback?idp_id=${encodeURIComponent(id)}`,
  };
  assert.deepEqual(await setUp({ [id]: good }), { complaints: [], buttons: ["Log in with ACME"] });
  for (const wrong of ["a b", "a/b", "a.b", "ä", "a&b", ""]) {
    const { complaints, buttons } = await setUp({ [wrong]: BLOCK });
    const complaint = `identity_providers.${wrong}: Expected an id of letters, digits and : @ _ ~ -`;
    assert.deepEqual([complaints, buttons], [[complaint], []], wrong);
  }
});

Deno.test("a provider that is off may be half written", async () => {
  assert.deepEqual(await setUp({ acme: { enabled: false, client_id: "" } }), { complaints: [], buttons: [] });
});

Deno.test("a provider that takes no secret needs none", async () => {
  const block = { ...BLOCK, token_endpoint_auth_method: "none" };
  assert.deepEqual(await setUp({ acme: block }), { complaints: [], buttons: ["Log in with ACME"] });
});

Deno.test("without idp_name a button has the id", async () => {
  assert.deepEqual((await setUp({ acme: without("idp_name") })).buttons, ["Log in with acme"]);
});
