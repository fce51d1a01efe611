import assert from "node:assert/strict";
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { readMetadata } from "@/auth/saml/metadata.ts";
import { openSchemas } from "@/auth/saml/schema.ts";
import { certify, makeIdentity } from "./saml/certificate.ts";
import { issuerOf, signOnOf } from "./saml/home.ts";
import { begin, logIn, makeSubject, rightMetadata, type SubjectOptions, xmlOf } from "./saml/method.ts";
import { type MetadataOptions, REDIRECT } from "./saml/provider_metadata.ts";

// Valid content of a provider's metadata that must not be used.

const key = await makeIdentity("first");
const INVALID =
  "forbidden: The answer of Provider acme is not valid (request request-1): try again, or tell the administrator";
const UNREACHABLE = "unavailable: Provider acme cannot be reached at the moment: try again later";
const saying = (changes: Partial<MetadataOptions> = {}): SubjectOptions => ({
  answer: () => xmlOf(rightMetadata(key, changes)),
});

/** Locations that no browser can be sent to. */
const UNFIT_LOCATIONS: Readonly<Record<string, string>> = {
  "a line break": "https://acme.idp.example/&#10;Set-Cookie:x",
  "a tab": "https://acme.idp&#9;.example/sso",
  "a character that no header can have": "https://acme.idp.example/\u20ac",
  "another scheme": "javascript:alert(1)//https://acme.idp.example/sso",
  "data": "data:text/html,x",
};

for (const [name, location] of Object.entries(UNFIT_LOCATIONS)) {
  Deno.test(`attack: a place to log in with ${name} is left out, and another one is used`, async () => {
    const write = (places: readonly string[]) =>
      rightMetadata(key, { signOn: places.map((each) => ({ binding: REDIRECT, location: each })) });
    const alone = write(["https://place.example/"]).replace("https://place.example/", location);
    await using unfit = await makeSubject({ answer: () => xmlOf(alone) });
    assert.equal(await begin(unfit), UNREACHABLE);
    const both = write(["https://place.example/", signOnOf("acme")]);
    await using beside = await makeSubject({
      answer: () => xmlOf(both.replace("https://place.example/", location)),
    });
    assert.equal(await begin(beside), signOnOf("acme"));
  });
}

Deno.test("blanks around a place to log in do not belong to it", async () => {
  const signOn = [{ binding: REDIRECT, location: `\n  ${signOnOf("acme")} ` }];
  await using subject = await makeSubject(saying({ signOn }));
  assert.equal(await begin(subject), signOnOf("acme"));
});

Deno.test("attack: a key that is short enough to be found out is left out of the metadata", async () => {
  const short = certify(await promisify(generateKeyPair)("rsa", { modulusLength: 768 }), "short");
  await using beside = await makeSubject(saying({ keys: [short, key] }));
  assert.equal(await logIn(beside, short), INVALID);
  assert.equal(await logIn(beside, key), "anna");
  await using alone = await makeSubject(saying({ keys: [short] }));
  assert.equal(await begin(alone), UNREACHABLE);
  assert.match(alone.lines.join("\n"), /whose key is long enough/);
});

Deno.test("metadata whose validUntil passes while they are kept are read again, and are not used any more", async () => {
  const validUntil = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const soon = validUntil(600);
  await using subject = await makeSubject(saying({ validUntil: soon }));
  assert.equal(await logIn(subject, key), "anna");
  subject.pass(700);
  assert.equal(await begin(subject), UNREACHABLE);
  assert.equal(subject.source.asked, 2);
  assert.match(subject.lines.at(-1) ?? "", /validUntil/);
  subject.source.answer = () => xmlOf(rightMetadata(key, { validUntil: validUntil(3_600) }));
  subject.pass(30);
  assert.equal(await begin(subject), signOnOf("acme"));
});

/** A provider deep in the groups of a federation, beside a crowd; the outermost group is good until then. */
function federation(outermost: string, innermost: string, beside: string): string {
  const open = (validUntil: string) => `<md:EntitiesDescriptor validUntil="${validUntil}">`;
  const crowd = `<md:EntityDescriptor entityID="https://crowd.example" validUntil="${beside}">` +
    `<md:AffiliationDescriptor affiliationOwnerID="a">${
      "<md:AffiliateMember>a</md:AffiliateMember>".repeat(20_000)
    }</md:AffiliationDescriptor></md:EntityDescriptor>`;
  return `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" validUntil="${outermost}">` +
    open(LATER).repeat(200) + open(innermost) + rightMetadata(key) + "</md:EntitiesDescriptor>" + crowd +
    "</md:EntitiesDescriptor>".repeat(201);
}

const [EARLIER, LATER] = ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];

Deno.test("metadata of a federation are good while every group around the provider is, whatever the others are", async () => {
  const schemas = await openSchemas();
  const read = (text: string) => readMetadata(text, { schemas, now: Date.now() });
  assert.equal(read(federation(LATER, LATER, EARLIER)).entityId, issuerOf("acme"));
  assert.equal(read(federation(LATER, LATER, EARLIER)).until, Date.parse(LATER));
  for (const over of [federation(EARLIER, LATER, LATER), federation(LATER, EARLIER, LATER)]) {
    assert.throws(() => read(over), /validUntil is over/);
  }
});
