import { statusOf } from "@/tests/support/status_of.ts";
import assert from "node:assert/strict";
import { makeIdentity, pemOf, privateKeyOf, privatePemOf } from "./saml/certificate.ts";
import { acsOf, audienceOf, type Block, blockOf, sharedSaml } from "./saml/home.ts";
import { HAS_XMLLINT, HAS_XMLSEC, validate, verifySignature } from "./saml/judges.ts";

const [key, own, signer] = await Promise.all([
  makeIdentity("provider"),
  makeIdentity("service"),
  makeIdentity("metadata"),
]);
const KERBEROS = "urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos";

function providers(origin: string): Readonly<Record<string, unknown>> {
  const make = (id: string, sp: Block, security: Block = {}, idp: Block = {}) => {
    const right = { entityId: audienceOf(origin, id), assertionConsumerService: { url: acsOf(origin, id) } };
    return [
      id,
      blockOf(origin, id, { key, sp: { ...right, ...sp }, security, idp }),
    ] as const;
  };
  const keys = { x509cert: own.certificate, privatekey: privateKeyOf(own) };
  return Object.fromEntries([
    make("plain", {}),
    make("keys", { ...keys, NameIDFormat: KERBEROS }, {
      authnRequestsSigned: true,
      wantAssertionsSigned: true,
    }),
    make("logout", keys, {}, { singleLogoutService: { url: "https://logout.idp.example/slo" } }),
    make("signed", keys, { signMetadata: true }),
    make("sha1", keys, {
      signMetadata: true,
      rejectDeprecatedAlgorithm: false,
      signatureAlgorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
      digestAlgorithm: "http://www.w3.org/2000/09/xmldsig#sha1",
    }),
    make("files", keys, { signMetadata: { keyFileName: "sign.key", certFileName: "sign.crt" } }),
  ]);
}

const ALL = ["plain", "keys", "logout", "signed", "sha1", "files"];
const running = sharedSaml({
  providers,
  files: { "config/sign.key": privatePemOf(signer), "config/sign.crt": pemOf(signer) },
});

async function metadataOf(id: string): Promise<string> {
  const answer = await running().fetch(`/sso/metadata/saml/${id}.xml`);
  assert.equal(answer.status, 200);
  return await answer.text();
}

const attributeOf = (xml: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1];

Deno.test("metadata say who the service is, and where answers go", async () => {
  const xml = await metadataOf("plain");
  const origin = running().origin;
  assert.equal(attributeOf(xml, "entityID"), `${origin}/saml/plain`);
  const [acs = ""] = /<[\w:]*AssertionConsumerService[^>]*>/.exec(xml) ?? [];
  assert.equal(attributeOf(acs, "Location"), `${origin}/sso/callback/saml/plain`);
  assert.equal(attributeOf(acs, "Binding"), "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST");
  assert.equal(attributeOf(xml, "AuthnRequestsSigned") ?? "false", "false");
  assert.equal(attributeOf(xml, "WantAssertionsSigned") ?? "false", "false");
  assert.doesNotMatch(xml, /KeyDescriptor|Signature /);
});

Deno.test("metadata are XML that everybody may read and nobody has to keep", async () => {
  const answer = await running().fetch("/sso/metadata/saml/plain.xml");
  await answer.body?.cancel();
  assert.match(answer.headers.get("content-type") ?? "", /^application\/(samlmetadata\+)?xml/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.deepEqual(answer.headers.getSetCookie(), []);
  const head = await running().fetch("/sso/metadata/saml/plain.xml", { method: "HEAD" });
  assert.equal(head.status, 200);
});

Deno.test("metadata have the certificate for both uses, and what is wanted", async () => {
  const xml = (await metadataOf("keys")).replaceAll(/\s+/g, " ");
  const certificates = [...xml.matchAll(/X509Certificate>([^<]+)<\//g)].map(([, text = ""]) =>
    text.replaceAll(" ", "")
  );
  assert.equal(certificates.length > 0, true);
  assert.deepEqual([...new Set(certificates)], [own.certificate]);
  const uses = [...xml.matchAll(/KeyDescriptor use="(\w+)"/g)].map(([, use]) => use);
  assert.deepEqual(uses.toSorted(), ["encryption", "signing"]);
  assert.equal(attributeOf(xml, "AuthnRequestsSigned"), "true");
  assert.equal(attributeOf(xml, "WantAssertionsSigned"), "true");
  assert.equal(/NameIDFormat>([^<]*)</.exec(xml)?.[1], KERBEROS);
  assert.equal(xml.includes(privateKeyOf(own).slice(0, 60)), false);
});

Deno.test("metadata name the address for logging out where there is one", async () => {
  const [service = ""] = /<[\w:]*SingleLogoutService[^>]*>/.exec(await metadataOf("logout")) ?? [];
  assert.equal(attributeOf(service, "Location"), `${running().origin}/sso/logout/saml/logout`);
});

for (const [id, identity] of [["signed", own], ["sha1", own], ["files", signer]] as const) {
  Deno.test({
    name: `metadata are signed for an independent judge: ${id}`,
    ignore: !HAS_XMLSEC,
    async fn() {
      const xml = await metadataOf(id);
      assert.equal(await verifySignature(xml, identity), "ok");
      assert.match(
        await verifySignature(xml.replace("/sso/callback/", "/sso/other/"), identity),
        /^xmlsec1: /,
      );
    },
  });
}

Deno.test("metadata are signed with the algorithms that are configured", async () => {
  const [signed, old] = await Promise.all(["signed", "sha1"].map(metadataOf));
  assert.match(
    signed ?? "",
    /SignatureMethod Algorithm="http:\/\/www\.w3\.org\/2001\/04\/xmldsig-more#rsa-sha512"/,
  );
  assert.match(signed ?? "", /DigestMethod Algorithm="http:\/\/www\.w3\.org\/2001\/04\/xmlenc#sha256"/);
  assert.match(old ?? "", /SignatureMethod Algorithm="http:\/\/www\.w3\.org\/2000\/09\/xmldsig#rsa-sha1"/);
});

Deno.test({
  name: "metadata of every kind fit the schema of metadata",
  ignore: !HAS_XMLLINT,
  async fn() {
    for (const id of ALL) assert.equal(await validate(await metadataOf(id), "metadata"), "ok", id);
  },
});

Deno.test("there are no metadata for whom nobody knows", async () => {
  for (
    const path of [
      "nobody.xml",
      "__proto__.xml",
      "constructor.xml",
      "plain",
      "plain.json",
      ".xml",
      "plain.xml.xml",
    ]
  ) {
    assert.equal(await statusOf(running().fetch(`/sso/metadata/saml/${path}`)), 404, path);
  }
});

Deno.test("metadata cannot be written", async () => {
  for (const method of ["POST", "PUT", "DELETE"]) {
    assert.equal(await statusOf(running().fetch("/sso/metadata/saml/plain.xml", { method })), 405);
  }
});
