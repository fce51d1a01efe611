import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { exportSPKI, importJWK } from "jose";
import jwt from "@/auth/jwt/mod.ts";
import { testAuth } from "@/tests/conformance/auth.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { bearer, makeSubject, type Subject, USERS, whoHas } from "./jwt_method.ts";
import {
  blockFor,
  type Claims,
  claimsOf,
  forge,
  makeKey,
  NOW,
  sign,
  startProvider,
} from "@/tests/api/auth/oidc/provider.ts";

const provider = startProvider();
const TOKEN = await sign(provider);
const TOO_OLD = await sign(provider, { exp: NOW - 3600, iat: NOW - 7200 });
const withToken = (token: string, id = "acme") => ({
  headers: { Authorization: `Bearer ${token}`, "X-Identity-Provider-Id": id },
  secrets: [token],
});

testAuth("jwt", () => jwt, {
  section: { identity_providers: { acme: blockFor(provider, "acme") } },
  host: hostOf({ users: USERS, changes: { now: () => NOW * 1000 } }),
  accepted: [
    { name: "a token", ...withToken(TOKEN), login: "anna" },
    { name: "a token encoded once more", ...withToken(btoa(TOKEN)), login: "anna" },
  ],
  rejected: [
    { name: "a token that is over", ...withToken(TOO_OLD) },
    { name: "a token of an unknown provider", ...withToken(TOKEN, "other") },
    { name: "a token without provider", headers: { Authorization: `Bearer ${TOKEN}` }, secrets: [TOKEN] },
  ],
});

Deno.test.afterAll(async () => await provider[Symbol.asyncDispose]());

Deno.test("a token that has expired says so and is no wrong guess, unless it is somebody else's", async () => {
  await using subject = await makeSubject();
  const reason = 'identity provider acme: "exp" claim timestamp check failed';
  const tell = "The token has expired: send a new one";
  const expired = { exp: NOW - 3600, iat: NOW - 7200 };
  const outcomeOf = async (token: string) => await bearer(subject, token);
  assert.deepEqual(await outcomeOf(await sign(subject.provider, expired)), {
    outcome: "rejected",
    reason,
    tell,
  });
  const key = await makeKey("RS256", "first");
  for (
    const token of [
      await sign(subject.provider, expired, { key }),
      await sign(subject.provider, { ...expired, aud: "another-client" }),
    ]
  ) assert.equal("tell" in await outcomeOf(token), false);
});

Deno.test("a token of a person without an account says so and is no wrong guess", async () => {
  await using subject = await makeSubject();
  for (
    const claims of [{ email: "eve@example.com" }, { email: "twin@example.com" }, { email_verified: false }]
  ) {
    const result = await bearer(subject, await sign(subject.provider, claims));
    assert.equal(
      "tell" in result && result.tell,
      "The token is that of no single account here",
    );
  }
});

Deno.test("a token is accepted as it is, and base64-encoded once more in either alphabet", async () => {
  await using subject = await makeSubject();
  const token = await sign(subject.provider);
  const encoded = new TextEncoder().encode(token);
  const spellings = [
    token,
    encoded.toBase64(),
    encoded.toBase64({ omitPadding: true }),
    encoded.toBase64({ alphabet: "base64url" }),
    btoa(`${token}\n`),
  ];
  for (const spelling of spellings) assert.equal(await whoHas(subject, spelling), "anna");
  assert.equal(
    await whoHas(subject, btoa(encoded.toBase64())),
    REASON("a token that is no signed JSON Web Token"),
  );
});

Deno.test("the user is the one whose attribute equals the claim", async () => {
  const block = { claim_attribute: "nick", user_config_attribute: "login" };
  await using subject = await makeSubject({ block });
  assert.equal(await whoHas(subject, await sign(subject.provider, { nick: "bert" })), "bert");
  assert.equal(
    await whoHas(subject, await sign(subject.provider, { nick: "Bert" })),
    REASON('no user has the "login" that the token has as "nick"'),
  );
});

Deno.test("letters count or not by the attribute of the users, not by the claim", async () => {
  const block = { claim_attribute: "upn", user_config_attribute: "email" };
  await using subject = await makeSubject({ block });
  assert.equal(await whoHas(subject, await sign(subject.provider, { upn: "ANNA@example.com" })), "anna");
  await using exact = await makeSubject({ block: { user_config_attribute: "login" } });
  assert.match(await whoHas(exact, await sign(exact.provider, { email: "ANNA" })), /no user has the "login"/);
});

Deno.test("an answer to a request for a page opens a session", async () => {
  await using subject = await makeSubject();
  assert.equal(subject.method.opensSession, true);
});

Deno.test("what a provider says and its keys are read once for many requests", async () => {
  await using subject = await makeSubject();
  const token = await sign(subject.provider);
  await Promise.all(Array.from({ length: 20 }, () => bearer(subject, token)));
  await bearer(subject, token);
  assert.deepEqual(Object.fromEntries(subject.provider.asked), {
    "/.well-known/openid-configuration": 1,
    "/keys": 1,
  });
});

Deno.test("every algorithm with public keys works where the provider names it", async () => {
  for (const alg of ["RS256", "RS512", "PS256", "ES256", "ES384", "EdDSA"]) {
    const key = await makeKey(alg, alg);
    await using subject = await makeSubject({
      prepare(made) {
        made.keys = [key.publicJwk];
        made.metadata = { id_token_signing_alg_values_supported: [alg] };
      },
    });
    assert.equal(await whoHas(subject, await sign(subject.provider, {}, { key })), "anna", alg);
  }
});

Deno.test("a token that names no key is verified with each of the provider's", async () => {
  await using subject = await makeSubject();
  const { provider } = subject;
  const others = [await makeKey("RS256", "a"), await makeKey("RS256", "b")];
  const unnamed = [...others, provider.key].map(({ publicJwk: { kid: _, ...jwk } }) => jwk);
  provider.keys = unnamed;
  assert.equal(await whoHas(subject, await sign(provider, {}, { header: { kid: undefined } })), "anna");
  const stranger = await makeKey("RS256", "c");
  assert.equal(
    await whoHas(subject, await sign(provider, {}, { key: stranger, header: { kid: undefined } })),
    REASON("no key of the provider fits"),
  );
});

function REASON(what: string): string {
  return `identity provider acme: ${what}`;
}

const UNVERIFIED = "an e-mail address that is not verified";

/** Attacks with the claims of a token that the provider has signed. */
const WRONG_CLAIMS: readonly (readonly [attack: string, claims: Claims, reason: string])[] = [
  ["another issuer", { iss: "https://evil.example" }, 'unexpected "iss" claim value'],
  ["no issuer", { iss: undefined }, 'missing required "iss" claim'],
  ["another audience", { aud: "other-client" }, 'unexpected "aud" claim value'],
  ["no audience", { aud: undefined }, 'missing required "aud" claim'],
  ["a list of other audiences", { aud: ["a", "b"] }, 'unexpected "aud" claim value'],
  ["two audiences and no azp", { aud: ["rowhouse-test", "b"] }, "a token that was issued to another client"],
  ["another azp", { azp: "other-client" }, "a token that was issued to another client"],
  ["an exp that is over", { exp: NOW - 61 }, '"exp" claim timestamp check failed'],
  ["no exp", { exp: undefined }, 'missing required "exp" claim'],
  ["an nbf that is to come", { nbf: NOW + 61 }, '"nbf" claim timestamp check failed'],
  ["an iat that is to come", { iat: NOW + 61 }, "a token from the future"],
  ["no iat", { iat: undefined }, 'missing required "iat" claim'],
  ["no sub", { sub: undefined }, 'missing required "sub" claim'],
  ["the events of a logout", { events: {} }, "a token that is about an event"],
  ["no e-mail", { email: undefined }, 'a token without a text "email"'],
  ["an empty e-mail", { email: "" }, 'a token without a text "email"'],
  ["a list without a text", { email: [["anna@example.com"], ""] }, 'a token without a text "email"'],
  [
    "an e-mail of nobody",
    { email: "eve@example.com" },
    'no user has the "email" that the token has as "email"',
  ],
  [
    "an e-mail with a letter that is lower case for another alphabet only",
    { email: "\u212anna@example.com" },
    'no user has the "email" that the token has as "email"',
  ],
  [
    "a list of two users' e-mails",
    { email: ["anna@example.com", "bert@example.com"] },
    'several users have the "email" that the token has as "email"',
  ],
  [
    "an e-mail of two users",
    { email: "twin@example.com" },
    'several users have the "email" that the token has as "email"',
  ],
  ["an unverified e-mail", { email_verified: false }, UNVERIFIED],
  ['an e-mail that is verified "false"', { email_verified: "false" }, UNVERIFIED],
  ["an e-mail that is verified null", { email_verified: null }, UNVERIFIED],
];

for (const [attack, claims, reason] of WRONG_CLAIMS) {
  Deno.test(`attack: a token with ${attack} is rejected`, async () => {
    await using subject = await makeSubject();
    assert.equal(await whoHas(subject, await sign(subject.provider, claims)), REASON(reason));
  });
}

const RIGHT_CLAIMS: readonly (readonly [what: string, claims: Claims])[] = [
  ["an exp that is over for less than the skew", { exp: NOW - 59 }],
  ["an nbf and iat within the skew", { nbf: NOW + 59, iat: NOW + 59 }],
  ["two audiences and its azp", { aud: ["b", "rowhouse-test"], azp: "rowhouse-test" }],
  ["a verified e-mail", { email_verified: true }],
  ["an e-mail in other letters", { email: "ANNA@Example.com" }],
  ["a list with the e-mail in two spellings", { email: ["anna@example.com", "Anna@Example.com"] }],
  ["a list with the e-mail", { email: ["other@example.com", 5, null, "anna@example.com"] }],
  ["a nonce of a browser's login", { nonce: "n" }],
];

for (const [what, claims] of RIGHT_CLAIMS) {
  Deno.test(`a token with ${what} is accepted`, async () => {
    await using subject = await makeSubject();
    assert.equal(await whoHas(subject, await sign(subject.provider, claims)), "anna");
  });
}

Deno.test("silence about the e-mail counts as no, unless require_verified_email is false", async () => {
  const silent = { email_verified: undefined };
  await using subject = await makeSubject();
  const unsaid = REASON("an e-mail address without email_verified, which require_verified_email asks for");
  assert.equal(await whoHas(subject, await sign(subject.provider, silent)), unsaid);
  await using trusting = await makeSubject({ block: { require_verified_email: false } });
  assert.equal(await whoHas(trusting, await sign(trusting.provider, silent)), "anna");
  assert.equal(
    await whoHas(trusting, await sign(trusting.provider, { email_verified: false })),
    REASON(UNVERIFIED),
  );
});

Deno.test("claim_regex picks what counts of a claim or of a list, as a whole", async () => {
  const block = { claim_attribute: "groups", claim_regex: "cn=(\\w+),dc=x", user_config_attribute: "login" };
  await using subject = await makeSubject({ block });
  const who = async (groups: unknown) => await whoHas(subject, await sign(subject.provider, { groups }));
  assert.equal(await who("cn=bert,dc=x"), "bert");
  assert.equal(await who(["cn=crew,dc=x", "cn=bert,dc=x"]), "bert");
  assert.equal(
    await who(["cn=bert,dc=x", "cn=anna,dc=x"]),
    REASON(
      'several users have the "login" that the token has as "groups"',
    ),
  );
  assert.equal(
    await who(["bert", "cn=bert,dc=xy", "x\ncn=bert,dc=x"]),
    REASON('no "groups" fits claim_regex'),
  );
  assert.equal(await who([]), REASON('a token without a text "groups"'));
});

Deno.test("a session that a token opens ends with it", async () => {
  await using subject = await makeSubject();
  const result = await bearer(subject, await sign(subject.provider, { exp: NOW + 300 }));
  assert.equal(result.outcome === "accepted" && result.endsAt, (NOW + 300 + 60) * 1000);
});

type Forgery = (subject: Subject) => string | Promise<string>;

const spkiOf = async ({ key }: Subject["provider"]) => {
  const publicKey = await importJWK(key.publicJwk, "RS256", { extractable: true });
  if (publicKey instanceof Uint8Array) throw new Error("The key is not public");
  return await exportSPKI(publicKey);
};
const hmac = (secret: string) => (signed: string) => createHmac("sha256", secret).update(signed).digest();
const OTHER_ALG = "an algorithm that is not one of the provider's";
const NO_JWT = "a token that is no signed JSON Web Token";
const UNFITTING = "no key of the provider fits";

/** Attacks with the header, the signature or the form of a token. */
const FORGERIES: readonly (readonly [attack: string, forgery: Forgery, reason: string])[] = [
  [
    "alg none",
    ({ provider }) => forge({ alg: "none" }, claimsOf(provider), () => new Uint8Array(8)),
    OTHER_ALG,
  ],
  ["alg none and no signature", ({ provider }) => forge({ alg: "none" }, claimsOf(provider)), NO_JWT],
  ["alg NoNe", ({ provider }) => forge({ alg: "NoNe" }, claimsOf(provider), hmac("x")), OTHER_ALG],
  ["no alg", ({ provider }) => forge({}, claimsOf(provider), hmac("x")), OTHER_ALG],
  [
    "HS256 with the public key in PEM as secret",
    async ({ provider }) =>
      forge({ alg: "HS256", kid: "first" }, claimsOf(provider), hmac(await spkiOf(provider))),
    OTHER_ALG,
  ],
  [
    "HS256 with the key set's modulus as secret",
    ({ provider }) =>
      forge({ alg: "HS256", kid: "first" }, claimsOf(provider), hmac(provider.key.publicJwk.n ?? "")),
    OTHER_ALG,
  ],
  [
    "an algorithm that is not in the provider's list",
    async ({ provider }) => await sign(provider, {}, { key: { ...await makeKey("ES256", "first") } }),
    OTHER_ALG,
  ],
  [
    "a signature by another key with the same id",
    async ({ provider }) => await sign(provider, {}, { key: await makeKey("RS256", "first") }),
    "signature verification failed",
  ],
  [
    "an embedded jwk",
    async ({ provider }) => {
      const key = await makeKey("RS256", "evil");
      return await sign(provider, {}, { key, header: { jwk: key.publicJwk } });
    },
    UNFITTING,
  ],
  [
    "an embedded x5c",
    async ({ provider }) =>
      await sign(provider, {}, { key: await makeKey("RS256", "evil"), header: { x5c: ["MIIB"] } }),
    UNFITTING,
  ],
  ["a critical extension", ({ provider }) => {
    return forge({ alg: "RS256", kid: "first", crit: ["exp"], exp: 1 }, claimsOf(provider), hmac("x"));
  }, "a header with critical extensions"],
  [
    "a critical b64 extension, signed by the provider",
    async ({ provider }) => await sign(provider, {}, { header: { b64: true, crit: ["b64"] } }),
    "a header with critical extensions",
  ],
  [
    "the type of an access token",
    async ({ provider }) => await sign(provider, {}, { header: { typ: "at+jwt" } }),
    "a token of another type",
  ],
  [
    "the type of a logout token",
    async ({ provider }) => await sign(provider, {}, { header: { typ: "logout+jwt" } }),
    "a token of another type",
  ],
  ["a nested token", async ({ provider }) => `${await sign(provider)}.${await sign(provider)}`, NO_JWT],
  ["the five parts of an encrypted token", () => "a.b.c.d.e", NO_JWT],
  [
    "a header of deep lists",
    () => `${btoa("[".repeat(6000)).replaceAll("=", "")}.e30.AAAA`,
    "a header that cannot be read",
  ],
  [
    "changed claims",
    async ({ provider }) => {
      const [header, , signature] = (await sign(provider)).split(".");
      const [, claims] = forge({}, claimsOf(provider, { email: "bert@example.com" })).split(".");
      return `${header}.${claims}.${signature}`;
    },
    "signature verification failed",
  ],
];

for (const [attack, forgery, reason] of FORGERIES) {
  Deno.test(`attack: a token with ${attack} is rejected`, async () => {
    await using subject = await makeSubject();
    assert.equal(await whoHas(subject, await forgery(subject)), REASON(reason));
  });
}

for (const name of ["jku", "x5u"]) {
  Deno.test(`attack: a token's ${name} is never asked`, async () => {
    await using subject = await makeSubject();
    await using evil = startProvider();
    const key = await makeKey("RS256", "evil");
    evil.keys = [key.publicJwk];
    const header = { [name]: `${evil.url}/keys` };
    assert.equal(
      await whoHas(subject, await sign(subject.provider, {}, { key, header })),
      REASON(UNFITTING),
    );
    assert.equal(evil.asked.size, 0);
  });
}

Deno.test("attack: a symmetric key in a provider's set verifies nothing", async () => {
  await using subject = await makeSubject({
    prepare(made) {
      made.keys = [{ kty: "oct", kid: "first", alg: "HS256", k: btoa("secret") }];
      made.metadata = { id_token_signing_alg_values_supported: ["HS256", "RS256"] };
    },
  });
  const token = forge({ alg: "HS256", kid: "first" }, claimsOf(subject.provider), hmac("secret"));
  assert.equal(await whoHas(subject, token), REASON(OTHER_ALG));
});

Deno.test("attack: a token of one provider is no token of another", async () => {
  await using other = startProvider();
  await using subject = await makeSubject({ others: () => ({ other: blockFor(other, "other") }) });
  const token = await sign(subject.provider);
  assert.equal(await whoHas(subject, token), "anna");
  assert.deepEqual(await bearer(subject, token, { "X-Identity-Provider-Id": "other" }), {
    outcome: "rejected",
    reason: 'identity provider other: unexpected "iss" claim value',
  });
});

const UNUSABLE = [
  {
    kty: "RSA",
    kid: "first",
    e: "AQAB",
    n: "t6Q8PWSi1dkJj9hTP8hNYFlvadM7DflW9mWepOJhJ66w7nyoK1gPNqFMSQRy",
  },
  { kty: "RSA", kid: "first", e: "AQAB", n: "?" },
];

Deno.test("attack: a weak or damaged key of a provider verifies nothing", async () => {
  for (const jwk of UNUSABLE) {
    await using subject = await makeSubject({ prepare: (made) => void (made.keys = [jwk]) });
    assert.equal(
      await whoHas(subject, await sign(subject.provider)),
      REASON("a key of the provider that cannot be used"),
    );
  }
});

Deno.test("a disabled provider accepts nothing, a hidden one does", async () => {
  await using subject = await makeSubject({
    others: (provider) => ({
      off: blockFor(provider, "off", { enabled: false }),
      hidden: blockFor(provider, "hidden", { "gui.visible": false }),
      buried: blockFor(provider, "buried", { gui: { visible: false } }),
    }),
  });
  const token = await sign(subject.provider);
  const outcomes = await Promise.all(["acme", "off", "hidden", "buried"].map(async (id) => {
    return (await bearer(subject, token, { "X-Identity-Provider-Id": id })).outcome;
  }));
  assert.deepEqual(outcomes, ["accepted", "rejected", "accepted", "accepted"]);
  const buttons = subject.method.buttons?.({ next: "/db?a=b&c=d" });
  const href = "/login/oidc?idp_id=acme&next=%2Fdb%3Fa%3Db%26c%3Dd";
  assert.deepEqual(buttons, [{ label: "Log in with ACME", href }]);
  assert.deepEqual(Object.keys(described(subject)), ["acme"]);
});

Deno.test("clients find what they need to log in at a provider by themselves, and no secret", async () => {
  await using subject = await makeSubject({
    block: { client_secret: "hush" },
    others: (provider) => ({
      own: blockFor(provider, "own", {
        response_type: "id_token",
        authorization_endpoint: "https://own.example/authorize",
        token_endpoint: "https://own.example/token",
      }),
    }),
  });
  const { url } = subject.provider;
  const facts = (id: string, response_type: string) => ({
    idp_name: id.toUpperCase(),
    client_id: "rowhouse-test",
    redirect_uri: `http://service.example/login/callback?idp_id=${id}`,
    response_type,
    scope: "openid email",
  });
  const own = {
    ...facts("own", "id_token"),
    authorization_endpoint: "https://own.example/authorize",
    token_endpoint: "https://own.example/token",
  };
  assert.deepEqual(described(subject), { acme: facts("acme", "code"), own }, "nothing was read yet");
  await whoHas(subject, await sign(subject.provider));
  const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` };
  assert.deepEqual(described(subject), { acme: { ...facts("acme", "code"), ...endpoints }, own });
});

/** What clients are told about the providers, by id. */
function described({ method }: Pick<Subject, "method">): Readonly<Record<string, unknown>> {
  const { provider_header, identity_providers } = { ...method.clientSettings };
  assert.equal(provider_header, "X-Identity-Provider-Id");
  return { ...identity_providers as object };
}
