import assert from "node:assert/strict";
import { assertAccepted, attempt } from "./saml/attempt.ts";
import { readBegun, SsoBrowser } from "./saml/browser.ts";
import { makeDsaIdentity, makeIdentity, privateKeyOf } from "./saml/certificate.ts";
import { acsOf, audienceOf, type Block, blockOf, sharedSaml, signOnOf } from "./saml/home.ts";
import { HAS_XMLLINT, HAS_XMLSEC, validate, verifySignature } from "./saml/judges.ts";
import { isQuerySigned } from "./saml/query_signature.ts";
import { buildResponse } from "./saml/response.ts";
import { DIGESTS, SIGNATURES } from "./saml/signature.ts";

const [key, own] = await Promise.all([makeIdentity("provider"), makeIdentity("service")]);

const dsa = await makeDsaIdentity("dsa", own);

const BINDINGS = {
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
} as const;
const FORMATS = [
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:WindowsDomainQualifiedName",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:entity",
];
const SIGNING = ["dsa-sha1", "rsa-sha1", "rsa-sha256", "rsa-sha384", "rsa-sha512"] as const;
const DIGESTING = ["sha1", "sha256", "sha384", "sha512"] as const;

/** The key that requests to this provider are signed with. */
const keyFor = (id: string) => id.endsWith("dsa-sha1") ? dsa : own;

const QUOTED = `https://quoted.idp.example/sso?a="'><script>alert(1)</script>&b=1`;
const QUOTES = `"'><script>alert(1)</script>`;

/** Providers that are asked in different ways, by their id. */
function providers(origin: string): Readonly<Record<string, unknown>> {
  const make = (
    id: string,
    { sp, ...changes }: { readonly sp?: Block; readonly [name: string]: unknown } = {},
  ) => {
    const right = { entityId: audienceOf(origin, id), assertionConsumerService: { url: acsOf(origin, id) } };
    const { certificate, ...pair } = keyFor(id);
    const keys = { x509cert: certificate, privatekey: privateKeyOf({ certificate, ...pair }) };
    return [id, blockOf(origin, id, { key, ...changes, sp: { ...right, ...keys, ...sp } })] as const;
  };
  const idp = (id: string, binding: keyof typeof BINDINGS, url = signOnOf(id)) => ({
    singleSignOnService: { url, binding: BINDINGS[binding] },
  });
  const signed = { authnRequestsSigned: true };
  const algorithm = (name: typeof SIGNING[number], digest: typeof DIGESTING[number]) => ({
    ...signed,
    rejectDeprecatedAlgorithm: false,
    signatureAlgorithm: SIGNATURES[name],
    digestAlgorithm: DIGESTS[digest],
  });
  return Object.fromEntries([
    make("plain"),
    make("bare", { extra: { set_nameid_policy: false } }),
    make("query", { idp: idp("query", "redirect", `${signOnOf("query")}?tenant=a%20b&x=1`) }),
    make("quoted", { idp: idp("quoted", "post", QUOTED), block: { idp_name: QUOTES } }),
    make("posted", { idp: idp("posted", "post") }),
    make("signed", { security: signed }),
    make("signedpost", { security: signed, idp: idp("signedpost", "post") }),
    ...FORMATS.map((format, index) => make(`format${index}`, { sp: { NameIDFormat: format } })),
    ...SIGNING.map((name) => make(name, { security: algorithm(name, "sha256") })),
    ...SIGNING.map((name) =>
      make(`post-${name}`, { security: algorithm(name, "sha256"), idp: idp(`post-${name}`, "post") })
    ),
    ...DIGESTING.map((name) =>
      make(`post-${name}`, { security: algorithm("rsa-sha256", name), idp: idp(`post-${name}`, "post") })
    ),
  ]);
}

const running = sharedSaml({ providers });
const begin = async (id: string) => await new SsoBrowser(running()).begin(id);
const attributeOf = (xml: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1];
const policyOf = (xml: string) => /<[\w:]*NameIDPolicy[^>]*>/.exec(xml)?.[0];

Deno.test("a request says who asks, whom, and where the answer goes", async () => {
  const before = Date.now();
  const { request, destination, binding, id } = await begin("plain");
  const origin = running().origin;
  assert.equal(binding, "redirect");
  assert.equal(destination, "https://plain.idp.example/sso");
  assert.match(request, /^(<\?xml[^>]*>)?\s*<samlp:AuthnRequest /);
  assert.equal(attributeOf(request, "ID"), id);
  assert.equal(attributeOf(request, "Version"), "2.0");
  assert.equal(attributeOf(request, "Destination"), "https://plain.idp.example/sso");
  assert.equal(attributeOf(request, "AssertionConsumerServiceURL"), `${origin}/sso/callback/saml/plain`);
  assert.equal(attributeOf(request, "ProtocolBinding"), BINDINGS.post);
  assert.equal(/<saml:Issuer[^>]*>([^<]*)</.exec(request)?.[1], `${origin}/saml/plain`);
  const issued = Date.parse(attributeOf(request, "IssueInstant") ?? "");
  assert.equal(issued >= before - 1000 && issued <= Date.now() + 1000, true);
  assert.equal(request.includes("Signature"), false);
});

Deno.test("parameters that the provider's address has are kept", async () => {
  const answer = await new SsoBrowser(running()).get("/login/saml?idp_id=query");
  const url = new URL(answer.headers.get("location") ?? "");
  assert.equal(url.origin + url.pathname, "https://query.idp.example/sso");
  assert.deepEqual([url.searchParams.get("tenant"), url.searchParams.get("x")], ["a b", "1"]);
  assert.equal(url.searchParams.has("SAMLRequest"), true);
});

for (const [index, format] of FORMATS.entries()) {
  Deno.test(`a request asks for a NameID of ${format}`, async () => {
    const { request } = await begin(`format${index}`);
    assert.equal(attributeOf(policyOf(request) ?? "", "Format"), format);
  });
}

Deno.test("a request has a NameIDPolicy unless set_nameid_policy is false", async () => {
  assert.notEqual(policyOf((await begin("plain")).request), undefined);
  assert.equal(policyOf((await begin("bare")).request), undefined);
});

Deno.test("a request by POST is a form that sends itself, and has a button where there is no script", async () => {
  const browser = new SsoBrowser(running());
  const answer = await browser.get("/login/saml?idp_id=posted&next=/db.html");
  const begun = readBegun(answer);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(answer.headers.get("cache-control") ?? "", /no-store/);
  assert.equal(begun.destination, "https://posted.idp.example/sso");
  assert.match(begun.request, /^(<\?xml[^>]*>)?\s*<samlp:AuthnRequest /);
  assert.match(answer.text, /<button|<input type="submit"/);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval/);
  assert.doesNotMatch(answer.text, /\son\w+=/, "no handler in attributes, which the policy would not run");
});

Deno.test("attack: names and addresses of providers are text on pages", async () => {
  const browser = new SsoBrowser(running());
  for (
    const path of [
      "/login/saml?idp_id=quoted",
      "/login",
      "/login/saml?idp_id=quoted&next=%2F%22%3E%3Cscript%3E",
    ]
  ) {
    const { text } = await browser.get(path);
    assert.equal(text.includes("<script>alert"), false, path);
    assert.equal(text.includes('"><script'), false, path);
  }
  assert.match((await browser.get("/login")).text, /&lt;script&gt;alert\(1\)/);
});

Deno.test("answers to requests of every kind are accepted", async () => {
  for (const id of ["plain", "bare", "posted", "signed", "signedpost", "format5"]) {
    assertAccepted(await attempt({ service: running(), id, key }, (right) => buildResponse(right)));
  }
});

for (const id of ["signed", ...SIGNING]) {
  Deno.test(`the query of a request is signed: ${id === "signed" ? "the algorithm of the sample" : id}`, async () => {
    const answer = await new SsoBrowser(running()).get(`/login/saml?idp_id=${id}&next=/db.html`);
    const location = answer.headers.get("location") ?? "";
    const algorithm = id === "signed" ? SIGNATURES["rsa-sha512"] : SIGNATURES[id as typeof SIGNING[number]];
    assert.equal(new URL(location).searchParams.get("SigAlg"), algorithm);
    assert.equal(isQuerySigned(location, keyFor(id).publicKey), true);
    assert.equal(isQuerySigned(location, key.publicKey), false);
    assert.equal(
      isQuerySigned(location.replace("SAMLRequest=", "SAMLRequest=A"), keyFor(id).publicKey),
      false,
    );
    assert.equal(readBegun(answer).request.includes("Signature"), false, "it stands in the query only");
  });
}

for (
  const name of [
    "signedpost",
    ...SIGNING.map((each) => `post-${each}`),
    ...DIGESTING.map((each) => `post-${each}`),
  ]
) {
  Deno.test({
    name: `a request by POST is signed for an independent judge: ${name}`,
    ignore: !HAS_XMLSEC,
    async fn() {
      const { request } = await begin(name);
      const wanted = name.replace(/^post-/, "");
      const signature = name === "signedpost" ? "rsa-sha512" : wanted.includes("sa-") ? wanted : "rsa-sha256";
      const digest = wanted.startsWith("sha") ? wanted : "sha256";
      assert.equal(request.includes(`"${SIGNATURES[signature as keyof typeof SIGNATURES]}"`), true);
      assert.equal(request.includes(`"${DIGESTS[digest as keyof typeof DIGESTS]}"`), true);
      assert.equal(await verifySignature(request, keyFor(name)), "ok");
      assert.match(
        await verifySignature(request.replace("/sso/callback/", "/sso/other/"), keyFor(name)),
        /^xmlsec1: /,
      );
    },
  });
}

Deno.test({
  name: "requests of every kind fit the schema of the protocol",
  ignore: !HAS_XMLLINT,
  async fn() {
    for (
      const id of [
        "plain",
        "bare",
        "posted",
        "signed",
        "signedpost",
        ...FORMATS.map((_, index) => `format${index}`),
      ]
    ) {
      assert.equal(await validate((await begin(id)).request, "protocol"), "ok", id);
    }
  },
});
