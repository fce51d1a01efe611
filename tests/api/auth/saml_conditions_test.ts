import {
  assertAccepted,
  assertAttackFails,
  assertRefused,
  attempt,
  attemptWith,
  type Place,
  type Write,
} from "./saml/attempt.ts";
import { SsoBrowser } from "./saml/browser.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { acsOf, audienceOf, blockOf, issuerOf, sharedSaml } from "./saml/home.ts";
import { buildResponse } from "./saml/response.ts";
import { BEARER, type ResponseOptions } from "./saml/response_options.ts";
import { element } from "./saml/xml.ts";

const key = await makeIdentity("provider");
const running = sharedSaml({
  ini: ["clock_skew = 90"],
  providers: (origin) => ({
    acme: blockOf(origin, "acme", { key }),
    other: blockOf(origin, "other", { key }),
  }),
});
const at = (id = "acme"): Place => ({ service: running(), id, key });
const change = (changes: Partial<ResponseOptions>): Write => (right) =>
  buildResponse({ ...right, ...changes });
const changeBy = (changes: (right: ResponseOptions) => Partial<ResponseOptions>): Write => (right) =>
  buildResponse({ ...right, ...changes(right) });

const HOLDER = "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key";
const STATUS = "urn:oasis:names:tc:SAML:2.0:status:";

/** Validly signed documents that are not for this service, this browser or this time. */
const ATTACKS: Readonly<Record<string, Write>> = {
  "another audience": change({ audiences: ["https://other.example/saml"] }),
  "an audience that begins like this service": changeBy(({ audience }) => ({
    audiences: [`${audience}.evil`],
  })),
  "the audience in capitals": changeBy(({ audience }) => ({ audiences: [audience.toUpperCase()] })),
  "the audience of another provider here": (right) =>
    buildResponse({ ...right, audience: audienceOf(running().origin, "other") }),
  "no audience": change({ audiences: null }),
  "no conditions": change({ conditions: null }),
  "two restrictions, of which one is for somebody else": change({
    moreConditions: element(
      "saml:AudienceRestriction",
      {},
      element("saml:Audience", {}, "https://other.example/saml"),
    ),
  }),
  "a restriction to somebody else in another element": change({
    moreConditions: element(
      "saml:Condition",
      {
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:type": "saml:AudienceRestrictionType",
      },
      element("saml:Audience", {}, "https://other.example/saml"),
    ),
  }),
  "another recipient": change({ recipient: "https://other.example/acs" }),
  "the recipient of another provider here": (right) =>
    buildResponse({ ...right, recipient: acsOf(running().origin, "other") }),
  "no recipient": change({ recipient: null }),
  "another destination": change({ destination: "https://other.example/acs" }),
  "the destination of another provider here": (right) =>
    buildResponse({ ...right, destination: acsOf(running().origin, "other") }),
  "no destination, and another recipient": change({
    destination: null,
    recipient: "https://other.example/acs",
  }),
  "an empty destination": change({ destination: "" }),
  "no destination, although the response is signed": change({ destination: null, signs: ["response"] }),
  "another issuer of the response": change({ responseIssuer: "https://evil.example/metadata" }),
  "another issuer of the assertion": change({ assertionIssuer: "https://evil.example/metadata" }),
  "another issuer everywhere": change({ issuer: "https://evil.example/metadata" }),
  "another provider of this service as issuer": change({ issuer: issuerOf("other") }),
  "an issuer with a blank behind it": changeBy(({ issuer }) => ({ assertionIssuer: `${issuer} ` })),
  "conditions that are over": change({ notOnOrAfter: -91 }),
  "conditions that have been over for long": change({ notOnOrAfter: -86_400 }),
  "conditions that are not there yet": change({ notBefore: 3_600 }),
  "a confirmation that is over": change({ confirmedUntil: -91 }),
  "a confirmation without an end": change({ confirmedUntil: null }),
  "a confirmation that has a beginning": change({ confirmedFrom: -10 }),
  "a session that is over": change({ sessionUntil: -91 }),
  "a confirmation by another method": change({ method: HOLDER }),
  "no request in the confirmation": change({ confirmationInResponseTo: null }),
  "another request": change({ inResponseTo: "_0123456789abcdef0123456789abcdef" }),
  "another request in the response": change({ responseInResponseTo: "_0123456789abcdef0123456789abcdef" }),
  "another request in the confirmation": change({
    confirmationInResponseTo: "_0123456789abcdef0123456789abcdef",
  }),
  "no subject": change({ beforeSigning: (xml) => xml.replace(/<saml:Subject>.*<\/saml:Subject>/, "") }),
  "no confirmation": change({
    beforeSigning: (xml) => xml.replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, ""),
  }),
  "no statement of a login": change({ statement: null }),
  "another version": change({ version: "2.1" }),
  "another version of the assertion": change({ assertionVersion: "1.1" }),
  "a condition that nobody knows": change({
    moreConditions: '<saml:Condition xmlns:x="urn:x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
      'xsi:type="x:Other"></saml:Condition>',
  }),
  "a status of the requester's mistake": change({ status: `${STATUS}Requester` }),
  "a status of the provider's failure": change({ status: `${STATUS}Responder` }),
  "a status in another case": change({ status: `${STATUS}success` }),
  "a time that is none": change({
    beforeSigning: (xml) => xml.replace(/ NotOnOrAfter="[^"]*"/, ' NotOnOrAfter="tomorrow"'),
  }),
};

for (const [name, write] of Object.entries(ATTACKS)) {
  Deno.test(`attack: a document with ${name} is refused`, () => assertAttackFails(at(), write));
}

/** Still valid, because the clocks of this machine and the provider may differ by clock_skew. */
const RIGHT: Readonly<Record<string, Write>> = {
  "conditions that were over a moment ago": change({ notOnOrAfter: -30 }),
  "conditions that begin in a moment": change({ notBefore: 60 }),
  "a confirmation that was over a moment ago": change({ confirmedUntil: -30 }),
  "a session that was over a moment ago": change({ sessionUntil: -30 }),
  "an IssueInstant in a moment": change({ issued: 60 }),
  "conditions without times": change({ notBefore: null, notOnOrAfter: null }),
  "several audiences": changeBy(({ audience }) => ({ audiences: ["https://other.example", audience] })),
  "no destination, while only the assertion is signed": change({ destination: null }),
  "no issuer of the response": change({ responseIssuer: null }),
  "a condition of one use": change({ moreConditions: element("saml:OneTimeUse") }),
  "a second confirmation by another method": change({
    beforeSigning: (xml) =>
      xml.replace("</saml:Subject>", (end) => element("saml:SubjectConfirmation", { Method: HOLDER }) + end),
  }),
  "a first confirmation that is for somebody else": (right) =>
    buildResponse({
      ...right,
      beforeSigning: (xml) =>
        xml.replace(`<saml:SubjectConfirmation Method="${BEARER}">`, (start) => {
          const data = element("saml:SubjectConfirmationData", { Recipient: "https://other.example/acs" });
          return element("saml:SubjectConfirmation", { Method: BEARER }, data) + start;
        }),
    }),
};

for (const [name, write] of Object.entries(RIGHT)) {
  Deno.test(`a document with ${name} is accepted`, async () => assertAccepted(await attempt(at(), write)));
}

Deno.test("attack: an answer to a request of another browser is refused", async () => {
  const attacker = new SsoBrowser(running());
  const begun = await attacker.begin("acme");
  const stolen = await attemptWith(
    at(),
    (victim, right) =>
      victim.bring("acme", buildResponse({ ...right, inResponseTo: begun.id }), begun.relayState),
  );
  assertRefused(stolen);
});

Deno.test("attack: the note of another browser's answer is refused", async () => {
  const attacker = new SsoBrowser(running());
  const begun = await attacker.begin("acme");
  const right = { key, issuer: issuerOf("acme"), acs: acsOf(running().origin, "acme") };
  const document = buildResponse({
    ...right,
    inResponseTo: begun.id,
    audience: audienceOf(running().origin, "acme"),
    nameId: "anna@example.com",
  });
  const encoded = new TextEncoder().encode(document).toBase64();
  const answer = await attacker.sendForm("/sso/callback/saml/acme", {
    SAMLResponse: encoded,
    RelayState: begun.relayState ?? "",
  });
  const note = answer.headers.get("location") ?? "";
  const stolen = await attemptWith(at(), async (victim) => victim.follow(note, await victim.arrive(note)));
  assertRefused(stolen);
});

Deno.test("attack: an answer of a provider is refused at another's address", async () => {
  const crossed = await attemptWith(
    at(),
    (browser, right, begun) => browser.bring("other", buildResponse(right), begun.relayState),
  );
  assertRefused(crossed);
});

Deno.test("attack: an answer that nobody has asked for is refused", async () => {
  const browser = new SsoBrowser(running());
  const origin = running().origin;
  const right = {
    key,
    issuer: issuerOf("acme"),
    acs: acsOf(origin, "acme"),
    audience: audienceOf(origin, "acme"),
  };
  for (const inResponseTo of [null, "_made-up"]) {
    const landing = await browser.bring("acme", buildResponse({ ...right, inResponseTo }));
    if (landing.user !== "public") throw new Error(`It opens a session of ${landing.user}`);
  }
});
