import { hash } from "node:crypto";
import {
  assertAccepted,
  assertAttackFails,
  assertRefused,
  attempt,
  type Place,
  type Write,
} from "./saml/attempt.ts";
import { certify, makeDsaIdentity, makeIdentity, pemOf } from "./saml/certificate.ts";
import { blockOf, issuerOf, sharedSaml } from "./saml/home.ts";
import { buildAssertion, buildResponse, wrapAssertion } from "./saml/response.ts";
import type { ResponseOptions } from "./saml/response_options.ts";
import {
  certificateInfo,
  ENVELOPED,
  EXCLUSIVE,
  idOf,
  referenceTo,
  signatureOf,
  signElement,
  type SignOptions,
  transform,
} from "./saml/signature.ts";
import { element } from "./saml/xml.ts";

const [key, attacker] = await Promise.all([makeIdentity("provider"), makeIdentity("attacker")]);
const dsa = await makeDsaIdentity("dsa", key);
const running = sharedSaml({
  providers: (origin) => ({
    acme: blockOf(origin, "acme", { key }),
    twin: blockOf(origin, "twin", { key }),
    old: blockOf(origin, "old", { key, security: { rejectDeprecatedAlgorithm: false } }),
    responses: blockOf(origin, "responses", { key, security: { wantMessagesSigned: true } }),
    assertions: blockOf(origin, "assertions", { key, security: { wantAssertionsSigned: true } }),
    rotating: blockOf(origin, "rotating", {
      key,
      idp: { x509cert: [attacker.certificate, key.certificate] },
    }),
    dsa: blockOf(origin, "dsa", { key: dsa, security: { rejectDeprecatedAlgorithm: false } }),
    olddsa: blockOf(origin, "olddsa", { key: dsa }),
    pem: blockOf(origin, "pem", { key, idp: { x509cert: pemOf(key) } }),
  }),
});
const at = (id = "acme"): Place => ({ service: running(), id, key });

const ASSERTION = ["assertion"] as const;
const RESPONSE = ["response"] as const;
const BOTH = ["assertion", "response"] as const;

/** Required signatures: provider, signed parts, and whether they suffice. */
const WANTED: readonly (readonly [id: string, signs: ResponseOptions["signs"], isEnough: boolean])[] = [
  ["acme", [], false],
  ["acme", ASSERTION, true],
  ["acme", RESPONSE, true],
  ["acme", BOTH, true],
  ["assertions", [], false],
  ["assertions", ASSERTION, true],
  ["assertions", RESPONSE, false],
  ["assertions", BOTH, true],
  ["responses", [], false],
  ["responses", ASSERTION, false],
  ["responses", RESPONSE, true],
  ["responses", BOTH, true],
];
const WANTS: Readonly<Record<string, string>> = {
  acme: "nothing in particular is wanted",
  assertions: "wantAssertionsSigned is true",
  responses: "wantMessagesSigned is true",
};

for (const [id, signs = [], isEnough] of WANTED) {
  const what = signs.length === 0 ? "nothing is signed" : `${signs.join(" and ")} signed`;
  Deno.test(`where ${WANTS[id]}, a document with ${what} is ${isEnough ? "accepted" : "refused"}`, async () => {
    const result = await attempt(at(id), (right) => buildResponse({ ...right, signs }));
    if (isEnough) assertAccepted(result);
    else assertRefused(result);
  });
}

/** Right signatures of other kinds. */
const FINE: Readonly<Record<string, SignOptions>> = {
  "rsa-sha256": { signature: "rsa-sha256" },
  "rsa-sha384": { signature: "rsa-sha384" },
  "rsa-sha512": { signature: "rsa-sha512" },
  "a digest of sha384": { digest: "sha384" },
  "a digest of sha512": { digest: "sha512" },
  "the provider's certificate beside it": { keyInfo: certificateInfo(key) },
  "another certificate beside it, which nobody reads": { keyInfo: certificateInfo(attacker) },
};

for (const [name, sign] of Object.entries(FINE)) {
  Deno.test(`a signature with ${name} is accepted`, async () => {
    for (const signs of [ASSERTION, RESPONSE]) {
      assertAccepted(await attempt(at(), (right) => buildResponse({ ...right, signs, sign })));
    }
  });
}

/** Where canonical form keeps a namespace that only values of attributes use. */
const withPrefixes = (right: ResponseOptions) => {
  const XS = ' xmlns:xs="http://www.w3.org/2001/XMLSchema"';
  const list = `<ec:InclusiveNamespaces xmlns:ec="${EXCLUSIVE}" PrefixList="xs"></ec:InclusiveNamespaces>`;
  return buildResponse({
    ...right,
    beforeSigning: (xml) => xml.replace(/ xmlns:saml="[^"]*"/, (saml) => saml + XS),
    sign: { transforms: transform(ENVELOPED) + transform(EXCLUSIVE, list) },
  });
};

Deno.test("a signature over a list of inclusive namespaces, as OpenSAML writes it, is accepted", async () => {
  assertAccepted(await attempt(at(), withPrefixes));
});

Deno.test("attack: a namespace of the list is changed", async () => {
  const write: Write = (right) => withPrefixes(right).replace("2001/XMLSchema", "2001/Other");
  assertRefused(await attempt(at(), write));
});

Deno.test("where a provider has several certificates, each of its keys is good", async () => {
  for (const signer of [key, attacker]) {
    assertAccepted(await attempt(at("rotating"), (right) => buildResponse({ ...right, key: signer })));
  }
});

Deno.test("a certificate may be given as PEM", async () =>
  assertAccepted(await attempt(at("pem"), (right) => buildResponse(right))));

for (const sign of [{ signature: "rsa-sha1" }, { digest: "sha1" }] satisfies SignOptions[]) {
  const name = "signature" in sign ? "a signature" : "a digest";
  Deno.test(`attack: ${name} of sha1 is refused while rejectDeprecatedAlgorithm is true, which it is by default`, async () => {
    for (const signs of [ASSERTION, RESPONSE]) {
      const write: Write = (right) => buildResponse({ ...right, sign, signs });
      assertAccepted(await attempt(at("old"), write));
      assertRefused(await attempt(at(), write));
    }
  });
}

Deno.test("a signature with dsa-sha1 is accepted where rejectDeprecatedAlgorithm is false, and refused elsewhere", async () => {
  const write: Write = (right) => buildResponse({ ...right, key: dsa, sign: { signature: "dsa-sha1" } });
  assertAccepted(await attempt(at("dsa"), write));
  assertRefused(await attempt(at("olddsa"), write));
});

/** Both are signed, one of them by the attacker. */
const MIXED: Readonly<Record<string, Write>> = {
  "an assertion that somebody else has signed, in a signed response": (right) =>
    signElement(wrapAssertion(signElement(buildAssertion(right), attacker), right), key),
  "a response that somebody else has signed, around a signed assertion": (right) =>
    signElement(wrapAssertion(signElement(buildAssertion(right), key), right), attacker),
  "a response that was changed, around a signed assertion": (right) =>
    buildResponse({ ...right, signs: BOTH }).replace(
      / IssueInstant="[^"]*"/,
      ' IssueInstant="2026-01-01T00:00:00Z"',
    ),
};

for (const [name, write] of Object.entries(MIXED)) {
  Deno.test(`attack: ${name}, is refused`, async () => {
    assertAccepted(await attempt(at(), (right) => buildResponse({ ...right, signs: BOTH })));
    assertRefused(await attempt(at(), write));
  });
}

/** An assertion signed by hand: the test chooses every part of the signature. */
function handSigned(right: ResponseOptions, make: (assertion: string) => string): string {
  const assertion = buildAssertion(right);
  const signed = assertion.replace("</saml:Issuer>", `</saml:Issuer>${make(assertion)}`);
  return wrapAssertion(signed, right);
}

const signWith = (sign: SignOptions): Write => (right) => buildResponse({ ...right, sign });
const references = (make: (assertion: string) => string): Write => (right) =>
  handSigned(right, (assertion) => signatureOf(assertion, key, { references: make(assertion) }));
const C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const XPATH = element("ds:XPath", {}, "not(ancestor-or-self::*[local-name()='Subject'])");
const STYLESHEET = '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0">' +
  '<xsl:template match="/"><xsl:value-of select="document(\'/etc/passwd\')"></xsl:value-of></xsl:template>' +
  "</xsl:stylesheet>";

/** Signatures that are wrong, or that no provider of SAML may make. */
const ATTACKS: Readonly<Record<string, Write>> = {
  "the key of somebody else": (right) => buildResponse({ ...right, key: attacker }),
  "the attacker's key, whose certificate stands beside it": (right) =>
    buildResponse({ ...right, key: attacker, sign: { keyInfo: certificateInfo(attacker) } }),
  "the attacker's key, with a certificate of the provider's name": (right) => {
    const impostor = certify(attacker, "provider");
    return buildResponse({ ...right, key: impostor, sign: { keyInfo: certificateInfo(impostor) } });
  },
  "the attacker's key, with the provider's certificate beside it": (right) =>
    buildResponse({ ...right, key: attacker, sign: { keyInfo: certificateInfo(key) } }),
  "a HMAC whose secret is the certificate": signWith({ signature: "hmac-sha256", secret: key.certificate }),
  "a HMAC whose secret is the certificate as PEM": signWith({ signature: "hmac-sha256", secret: pemOf(key) }),
  "a HMAC whose secret is the public key": signWith({
    signature: "hmac-sha256",
    secret: String(key.publicKey.export({ type: "spki", format: "pem" })),
  }),
  "a HMAC of sha1": signWith({ signature: "hmac-sha1", secret: pemOf(key) }),
  "an algorithm that is not that of the signature": (right) =>
    buildResponse(right).replace("xmldsig-more#rsa-sha256", "xmldsig-more#rsa-sha512"),
  "no algorithm of signatures at all": (right) =>
    buildResponse(right).replace(/Algorithm="[^"]*rsa-sha256"/, 'Algorithm=""'),
  "an empty value": (right) =>
    buildResponse(right).replace(/(<ds:SignatureValue>)[^<]*/, (_, tag: string) => tag),
  "a value that is no base64": (right) =>
    buildResponse(right).replace(/(<ds:SignatureValue>)[^<]*/, (_, tag: string) => `${tag}%%%%`),
  "no value": (right) => buildResponse(right).replace(/<ds:SignatureValue>.*?<\/ds:SignatureValue>/, ""),
  "a name that was changed afterwards": (right) =>
    buildResponse({ ...right, nameId: "carl@example.com" }).replace("carl@example.com", "anna@example.com"),
  "an attribute that was added afterwards": (right) =>
    buildResponse(right).replace(
      "</saml:AttributeStatement>",
      (end) =>
        `<saml:Attribute Name="more"><saml:AttributeValue>x</saml:AttributeValue></saml:Attribute>${end}`,
    ),
  "a digest of something else": references((xml) => referenceTo(`#${idOf(xml)}`, "something else")),
  "a comment in the digest that holds another": (right) => {
    const victim = signElement(buildAssertion({ ...right, nameId: "carl@example.com" }), key);
    const changed = victim.replace("carl@example.com", "anna@example.com");
    const unsigned = changed.replace(/<ds:Signature .*<\/ds:Signature>/, "");
    const comment = `<!--${hash("sha256", unsigned, "base64")}-->`;
    return wrapAssertion(changed.replace("<ds:DigestValue>", (tag) => tag + comment), right);
  },
  "two SignedInfo, of which the first is signed": (right) =>
    withSecondInfo(right, (signed, forged) => signed + forged),
  "two SignedInfo, of which the second is signed": (right) =>
    withSecondInfo(right, (signed, forged) => forged + signed),
  "two signatures": (right) => {
    const assertion = buildAssertion(right);
    const [one, other] = [signatureOf(assertion, key), signatureOf(assertion, attacker)];
    return wrapAssertion(assertion.replace("</saml:Issuer>", `</saml:Issuer>${one}${other}`), right);
  },
  "a reference to nothing": references((xml) => referenceTo("#_nothing", xml)),
  "no reference": references(() => ""),
  "a reference with an empty address, to the whole document": (right) => {
    const document = wrapAssertion(buildAssertion(right), right);
    const signature = signatureOf(document, key, { references: referenceTo("", document) });
    return document.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
  },
  "a reference with an empty address, in the assertion": (right) => {
    const document = wrapAssertion(buildAssertion(right), right);
    const signature = signatureOf(document, key, { references: referenceTo("", document) });
    return document.replace("</saml:Issuer><saml:Subject>", `</saml:Issuer>${signature}<saml:Subject>`);
  },
  "a reference without an address": references((xml) => referenceTo("", xml).replace(' URI=""', "")),
  "two references": references((xml) =>
    referenceTo(`#${idOf(xml)}`, xml) + referenceTo(`#${idOf(xml)}`, xml)
  ),
  "a reference by XPointer": references((xml) => referenceTo(`#xpointer(id('${idOf(xml)}'))`, xml)),
  "a reference to a file": references((xml) => referenceTo("file:///etc/passwd", xml)),
  "a transform by XPath that leaves the subject out": signWith({
    transforms: transform(ENVELOPED) + transform("http://www.w3.org/TR/1999/REC-xpath-19991116", XPATH) +
      transform(EXCLUSIVE),
  }),
  "a transform by XSLT": signWith({
    transforms: transform(ENVELOPED) + transform("http://www.w3.org/TR/1999/REC-xslt-19991116", STYLESHEET) +
      transform(EXCLUSIVE),
  }),
  "a transform to base64": signWith({
    transforms: transform(ENVELOPED) + transform("http://www.w3.org/2000/09/xmldsig#base64") +
      transform(EXCLUSIVE),
  }),
  "a thousand transforms": signWith({
    transforms: transform(ENVELOPED) + transform(EXCLUSIVE).repeat(1000),
  }),
  "no transform": signWith({ transforms: "" }),
  "a canonical form that nobody knows": signWith({ canonicalization: "urn:example:my-own-form" }),
  "a digest that nobody knows": (right) =>
    handSigned(right, (xml) => {
      const reference = referenceTo(`#${idOf(xml)}`, xml).replace("xmlenc#sha256", "xmlenc#none");
      return signatureOf(xml, key, { references: reference });
    }),
  "a place inside the subject": (right) => {
    const assertion = buildAssertion(right);
    const signature = signatureOf(assertion, key);
    return wrapAssertion(assertion.replace("</saml:Subject>", (end) => signature + end), right);
  },
};

function withSecondInfo(right: ResponseOptions, join: (signed: string, forged: string) => string): string {
  const victim = signElement(buildAssertion({ ...right, nameId: "carl@example.com" }), key);
  const evil = victim.replace("carl@example.com", "anna@example.com");
  const plain = evil.replace(/<ds:Signature .*<\/ds:Signature>/, "");
  const digest = `<ds:DigestValue>${hash("sha256", plain, "base64")}</ds:DigestValue>`;
  const document = evil.replace(
    /<ds:SignedInfo>.*<\/ds:SignedInfo>/,
    (info) => join(info, info.replace(/<ds:DigestValue>.*<\/ds:DigestValue>/, digest)),
  );
  return wrapAssertion(document, right);
}

for (const [name, write] of Object.entries(ATTACKS)) {
  Deno.test(`attack: a signature with ${name} is refused`, () => assertAttackFails(at(), write));
}

Deno.test("attack: canonical form with comments is refused", async () => {
  for (const canonicalization of [`${EXCLUSIVE}WithComments`, `${C14N}#WithComments`]) {
    await assertAttackFails(at(), signWith({ canonicalization }));
    await assertAttackFails(
      at(),
      signWith({ transforms: transform(ENVELOPED) + transform(canonicalization) }),
    );
  }
});

Deno.test("attack: what one provider has signed is refused as another's, although both have the same key", async () => {
  assertAccepted(await attempt(at("twin"), (right) => buildResponse(right)));
  const write: Write = (right) => buildResponse({ ...right, issuer: issuerOf("twin") });
  await assertAttackFails(at(), write);
});
