import assert from "node:assert/strict";
import { certify, makeDsaIdentity, makeIdentity } from "@/tests/api/auth/saml/certificate.ts";
import { CIPHERS, type EncryptOptions } from "@/tests/api/auth/saml/encryption.ts";
import { decrypt, HAS_XMLLINT, HAS_XMLSEC, validate, verifySignature } from "@/tests/api/auth/saml/judges.ts";
import { buildResponse } from "@/tests/api/auth/saml/response.ts";
import type { ResponseOptions } from "@/tests/api/auth/saml/response_options.ts";
import { DIGESTS, SIGNATURES, type SignOptions } from "@/tests/api/auth/saml/signature.ts";

// Documents of these tests are written by hand. If they were wrong, refusing them would show nothing.

const key = await makeIdentity("provider");
const service = await makeIdentity("service");
const BASE: ResponseOptions = {
  key,
  inResponseTo: "_request",
  issuer: "https://idp.example/metadata",
  acs: "https://service.example/sso/callback/saml/acme",
  audience: "https://service.example/saml",
};
const names = <Name extends string>(table: Readonly<Record<Name, string>>) => Object.keys(table) as Name[];
const WAYS: readonly (readonly ("assertion" | "response")[])[] = [
  ["assertion"],
  ["response"],
  ["assertion", "response"],
];

for (const signs of WAYS) {
  Deno.test({
    name: `a document whose ${
      signs.join(" and ")
    } is signed is right for an independent judge, until it is changed`,
    ignore: !HAS_XMLSEC,
    async fn() {
      const document = buildResponse({
        ...BASE,
        signs,
        attributes: [{ name: "group", values: ["a", "b & <c>"] }],
      });
      assert.equal(await verifySignature(document, key), "ok");
      const changed = document.replace("anna@example.com", "eve@example.com");
      assert.match(await verifySignature(changed, key), /^xmlsec1: /);
      assert.match(await verifySignature(document, certify(service, "other")), /^xmlsec1: /);
    },
  });
}

const ALGORITHMS: readonly SignOptions[] = [
  ...names(SIGNATURES).filter((name) => name.startsWith("rsa-")).map((signature) => ({ signature })),
  ...names(DIGESTS).map((digest) => ({ digest })),
];

for (const sign of ALGORITHMS) {
  Deno.test({
    name: `a signature with ${sign.signature ?? sign.digest} is right for an independent judge`,
    ignore: !HAS_XMLSEC,
    fn: async () => assert.equal(await verifySignature(buildResponse({ ...BASE, sign }), key), "ok"),
  });
}

Deno.test({
  name: "a signature with dsa-sha1 is right for an independent judge",
  ignore: !HAS_XMLSEC,
  async fn() {
    const dsa = await makeDsaIdentity("old", key);
    const document = buildResponse({ ...BASE, key: dsa, sign: { signature: "dsa-sha1" } });
    assert.equal(await verifySignature(document, dsa), "ok");
  },
});

const WRAPPINGS: readonly EncryptOptions[] = [
  ...names(CIPHERS).map((cipher) => ({ cipher, transport: "oaep-sha1" as const })),
  { cipher: "aes-256-cbc", transport: "rsa-1_5" },
];

for (const encrypt of WRAPPINGS) {
  Deno.test({
    name: `an assertion in ${encrypt.cipher} and ${encrypt.transport} opens for an independent judge`,
    ignore: !HAS_XMLSEC,
    async fn() {
      const document = buildResponse({ ...BASE, encryptFor: service, encrypt });
      assert.equal(document.includes("anna@example.com"), false);
      assert.match(await decrypt(document, service), /anna@example\.com/);
    },
  });
}

Deno.test({
  name: "documents fit the schema of the protocol, and what does not is found out",
  ignore: !HAS_XMLLINT,
  async fn() {
    const attributes = [{ name: "mail", friendlyName: "Mail", values: ["a", "b"] }];
    assert.equal(
      await validate(buildResponse({ ...BASE, signs: ["assertion", "response"] }), "protocol"),
      "ok",
    );
    assert.equal(await validate(buildResponse({ ...BASE, attributes, sessionUntil: 60 }), "protocol"), "ok");
    const encrypt = { transport: "oaep-sha1" } as const;
    const sealed = { ...BASE, encryptFor: service, encryptNameIdFor: service, encrypt };
    assert.equal(await validate(buildResponse(sealed), "protocol"), "ok");
    assert.match(await validate(buildResponse(BASE).replace(' Version="2.0"', ""), "protocol"), /Version/);
  },
});
