import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { assertAccepted, assertRefused, attempt, type Place, problemOf, type Write } from "./saml/attempt.ts";
import { type Identity, makeIdentity, pemOf, privateKeyOf, privatePemOf } from "./saml/certificate.ts";
import { encryptInto, type EncryptOptions } from "./saml/encryption.ts";
import { blockOf, sharedSaml } from "./saml/home.ts";
import { buildAssertion, buildResponse, newId, wrapAssertion } from "./saml/response.ts";
import type { ResponseOptions } from "./saml/response_options.ts";
import { signElement } from "./saml/signature.ts";

const [key, own, stranger] = await Promise.all([
  makeIdentity("provider"),
  makeIdentity("service"),
  makeIdentity("stranger"),
]);
const sp = (origin: string, id: string, identity: Identity = own) => ({
  entityId: `${origin}/saml/${id}`,
  assertionConsumerService: { url: `${origin}/sso/callback/saml/${id}` },
  x509cert: identity.certificate,
  privatekey: privateKeyOf(identity),
});
const running = sharedSaml({
  providers: (origin) => ({
    acme: blockOf(origin, "acme", { key, sp: sp(origin, "acme") }),
    pem: blockOf(origin, "pem", {
      key,
      sp: { ...sp(origin, "pem"), x509cert: pemOf(own), privatekey: privatePemOf(own) },
    }),
    sealed: blockOf(origin, "sealed", {
      key,
      sp: sp(origin, "sealed"),
      security: { wantAssertionsEncrypted: true },
    }),
    names: blockOf(origin, "names", {
      key,
      sp: sp(origin, "names"),
      security: { wantNameIdEncrypted: true },
    }),
    old: blockOf(origin, "old", {
      key,
      sp: sp(origin, "old"),
      security: { rejectDeprecatedAlgorithm: false },
    }),
    keyless: blockOf(origin, "keyless", { key }),
  }),
});
const at = (id = "acme"): Place => ({ service: running(), id, key });
const sealed = (changes: Partial<ResponseOptions> = {}): Write => (right) =>
  buildResponse({ ...right, encryptFor: own, ...changes });
const encrypted = (encrypt: EncryptOptions): Write => sealed({ encrypt });

const KINDS: readonly EncryptOptions[] = [
  { cipher: "aes-128-gcm" },
  { cipher: "aes-256-gcm" },
  { cipher: "aes-128-cbc" },
  { cipher: "aes-256-cbc" },
  { cipher: "aes-256-gcm", transport: "oaep-sha1" },
  { cipher: "aes-128-cbc", transport: "oaep-sha1" },
  { cipher: "aes-256-gcm", isKeyBeside: true },
];

for (const encrypt of KINDS) {
  const place = encrypt.isKeyBeside ? " beside it" : "";
  const name = `${encrypt.cipher} and ${encrypt.transport ?? "oaep-sha256"}${place}`;
  Deno.test(`an assertion and a NameID in ${name} are opened`, async () => {
    assertAccepted(await attempt(at(), encrypted(encrypt)));
    const signs = ["assertion", "response"] as const;
    assertAccepted(await attempt(at(), sealed({ encrypt, signs })));
    const write: Write = (right) => buildResponse({ ...right, encryptNameIdFor: own, encrypt });
    assertAccepted(await attempt(at(), write));
  });
}

Deno.test("keys of the service may be given as PEM", async () =>
  assertAccepted(await attempt(at("pem"), sealed())));

Deno.test("both may be encrypted, one inside the other", async () => {
  assertAccepted(await attempt(at(), sealed({ encryptNameIdFor: own })));
});

Deno.test("where wantAssertionsEncrypted is true, an assertion that is not is refused", async () => {
  assertAccepted(await attempt(at("sealed"), sealed()));
  assertRefused(await attempt(at("sealed"), (right) => buildResponse(right)));
});

Deno.test("where wantNameIdEncrypted is true, a NameID that is not is refused", async () => {
  const write: Write = (right) => buildResponse({ ...right, encryptNameIdFor: own });
  assertAccepted(await attempt(at("names"), write));
  assertRefused(await attempt(at("names"), (right) => buildResponse(right)));
  assertRefused(await attempt(at("names"), sealed()));
});

Deno.test("keys by RSA 1.5 are refused while rejectDeprecatedAlgorithm is true, which it is by default", async () => {
  const write = encrypted({ transport: "rsa-1_5" });
  assertAccepted(await attempt(at("old"), write));
  assertRefused(await attempt(at(), write));
});

Deno.test("a cipher of another century is refused", async () =>
  assertRefused(await attempt(at(), encrypted({ cipher: "des-ede3-cbc", transport: "oaep-sha1" }))));

Deno.test("where the service has no key, what is encrypted is refused", async () => {
  assertAccepted(await attempt(at("keyless"), (right) => buildResponse(right)));
  assertRefused(await attempt(at("keyless"), sealed()));
});

const flip = (place: number) => (bytes: Uint8Array) =>
  bytes.map((byte, index) => index === (place + bytes.length) % bytes.length ? byte ^ 1 : byte);
const random = (bytes: Uint8Array) => new Uint8Array(randomBytes(bytes.length));
const cut = (length: number) => (bytes: Uint8Array) => bytes.slice(0, length);
const CBC = { cipher: "aes-256-cbc" } as const;

/**
 * Every mistake in encrypted data. An attacker who could distinguish them would find the key, byte by byte.
 */
const GARBAGE: Readonly<Record<string, Write>> = {
  "a key for somebody else": sealed({ encryptFor: stranger }),
  "a key with a changed bit": encrypted({ spoilKey: flip(10) }),
  "a key of random bytes": encrypted({ spoilKey: random }),
  "a key that is too short": encrypted({ spoilKey: cut(64) }),
  "no key": encrypted({ spoilKey: cut(0) }),
  "a changed bit in GCM": encrypted({ spoilData: flip(40) }),
  "a changed tag of GCM": encrypted({ spoilData: flip(-1) }),
  "a tag of GCM that is cut": encrypted({ spoilData: (bytes) => bytes.slice(0, -8) }),
  "random bytes in GCM": encrypted({ spoilData: random }),
  "less than a tag of GCM": encrypted({ spoilData: cut(12) }),
  "a changed initial vector of CBC": encrypted({ ...CBC, spoilData: flip(0) }),
  "a changed bit in CBC": encrypted({ ...CBC, spoilData: flip(100) }),
  "a changed padding of CBC": encrypted({ ...CBC, spoilData: flip(-17) }),
  "random bytes in CBC": encrypted({ ...CBC, spoilData: random }),
  "half a block of CBC": encrypted({ ...CBC, spoilData: (bytes) => bytes.slice(0, -8) }),
  "a vector of CBC and nothing else": encrypted({ ...CBC, spoilData: cut(16) }),
  "nothing": encrypted({ spoilData: cut(0) }),
  "another cipher than it is": (right) => sealed()(right).replace("#aes256-gcm", "#aes128-gcm"),
  "CBC instead of GCM": (right) =>
    sealed()(right).replace("2009/xmlenc11#aes256-gcm", "2001/04/xmlenc#aes256-cbc"),
};

Deno.test("attack: whatever is wrong with what is encrypted, the answer is the same", async () => {
  const answers = new Map<string, string>();
  for (const [name, write] of Object.entries(GARBAGE)) {
    const result = await attempt(at(), write);
    assertRefused(result);
    const reasons = result.logged.split("\n").filter((line) => line.includes("refused")).map(withoutTime);
    answers.set(
      name,
      JSON.stringify([result.status, withoutTime(problemOf(result)), result.hops.length, reasons]),
    );
  }
  const [first] = answers.values();
  for (const [name, answer] of answers) assert.equal(answer, first, name);
});

const withoutTime = (line: string) =>
  line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "").replaceAll(/\((request )?[\w-]{36}\)/g, "");

/** Validly encrypted by a holder of the certificate, which is public. */
const ATTACKS: Readonly<Record<string, Write>> = {
  "an assertion that nobody has signed": sealed({ signs: [] }),
  "an assertion that a stranger has signed": (right) => sealed()({ ...right, key: stranger }),
  "two assertions in one": (right) => {
    const both = signElement(buildAssertion(right), key) + signElement(buildAssertion(right), key);
    return wrapAssertion(encryptInto("saml:EncryptedAssertion", both, own.publicKey), right);
  },
  "an assertion beside it": (right) =>
    buildResponse({
      ...right,
      encryptFor: own,
      assertions: (xml) => xml + signElement(buildAssertion(right), key),
    }),
  "an unsigned one beside the signed one": (right) => {
    const evil = encryptInto("saml:EncryptedAssertion", buildAssertion(right), own.publicKey);
    return buildResponse({
      ...right,
      nameId: "carl@example.com",
      encryptFor: own,
      assertions: (xml) => evil + xml,
    });
  },
  "a response inside": (right) =>
    wrapAssertion(encryptInto("saml:EncryptedAssertion", buildResponse(right), own.publicKey), right),
  "no XML inside": (right) =>
    wrapAssertion(encryptInto("saml:EncryptedAssertion", "text", own.publicKey), right),
  "an entity inside": (right) => {
    const text = `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${buildAssertion(right)}`;
    return wrapAssertion(encryptInto("saml:EncryptedAssertion", text, own.publicKey), right);
  },
  "a comment inside": (right) => {
    const text = signElement(buildAssertion(right), key).replace("anna@", "anna<!-- -->@");
    return wrapAssertion(encryptInto("saml:EncryptedAssertion", text, own.publicKey), right);
  },
  "an encrypted assertion inside": (right) => {
    const inner = encryptInto(
      "saml:EncryptedAssertion",
      signElement(buildAssertion(right), key),
      own.publicKey,
    );
    return wrapAssertion(encryptInto("saml:EncryptedAssertion", inner, own.publicKey), right);
  },
  "an assertion of the ID of its response": (right) => {
    const id = newId();
    return sealed({ responseId: id, assertionId: id })(right);
  },
  "a reference to bytes elsewhere": (right) =>
    sealed()(right).replace(
      /<xenc:CipherData>(?!.*<xenc:CipherData>).*<\/xenc:CipherData>/,
      () =>
        '<xenc:CipherData><xenc:CipherReference URI="file:///etc/passwd"></xenc:CipherReference></xenc:CipherData>',
    ),
};

for (const [name, write] of Object.entries(ATTACKS)) {
  Deno.test(`attack: what is encrypted, with ${name}, is refused`, async () => {
    assertAccepted(await attempt(at(), sealed()));
    assertRefused(await attempt(at(), write));
  });
}
