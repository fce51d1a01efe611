import assert from "node:assert/strict";
import { createOutgoing } from "@/core/login/guarded_fetch.ts";
import { certify, type Identity, makeIdentity } from "./saml/certificate.ts";
import { issuerOf, signOnOf } from "./saml/home.ts";
import {
  begin,
  logIn,
  makeSubject,
  rightMetadata,
  startSource,
  type SubjectOptions,
  xmlOf,
} from "./saml/method.ts";
import { type MetadataOptions, POST, REDIRECT } from "./saml/provider_metadata.ts";

const [key, next] = await Promise.all([makeIdentity("first"), makeIdentity("next")]);
const DAY = 86_400_000;
const INVALID =
  "forbidden: The answer of Provider acme is not valid (request request-1): try again, or tell the administrator";
const UNREACHABLE = "unavailable: Provider acme cannot be reached at the moment: try again later";
const saying = (changes: Partial<MetadataOptions> = {}, signer: Identity = key): SubjectOptions => ({
  answer: () => xmlOf(rightMetadata(signer, changes)),
});

Deno.test("metadata say who the provider is, where it is asked and what it signs with", async () => {
  await using subject = await makeSubject(saying());
  assert.equal(await begin(subject), "https://acme.idp.example/sso");
  assert.equal(await logIn(subject, key), "anna");
  assert.equal(await logIn(subject, key, () => ({ issuer: "https://other.example" })), INVALID);
  assert.equal(await logIn(subject, next), INVALID);
});

Deno.test("metadata are asked for once, and again after an hour", async () => {
  await using subject = await makeSubject(saying());
  for (let turn = 0; turn < 3; turn++) await logIn(subject, key);
  assert.equal(subject.source.asked, 1);
  subject.pass(3_599);
  await begin(subject);
  assert.equal(subject.source.asked, 1);
  subject.pass(1);
  await begin(subject);
  assert.equal(subject.source.asked, 2);
});

Deno.test("metadata may be a file, relative to the configuration", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    await Deno.writeTextFile(`${directory}/acme.xml`, rightMetadata(key));
    for (const metadata of ["acme.xml", `${directory}/acme.xml`]) {
      await using subject = await makeSubject({ idp: { metadata }, host: { directory } });
      assert.deepEqual(subject.complaints, []);
      assert.equal(await logIn(subject, key), "anna");
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

/** Keys of the configuration that go before the metadata. */
const OVERRIDING:
  readonly (readonly [name: string, idp: Readonly<Record<string, unknown>>, where: string])[] = [
    ["nothing", {}, signOnOf("acme")],
    [
      "singleSignOnService.url",
      { singleSignOnService: { url: "https://other.example/sso" } },
      "https://other.example/sso",
    ],
    ["singleSignOnService.binding", { singleSignOnService: { binding: POST } }, "send"],
  ];

for (const [name, idp, where] of OVERRIDING) {
  Deno.test(`beside metadata, the configuration says ${name}`, async () => {
    const signOn = [
      { binding: POST, location: "https://acme.idp.example/post" },
      { binding: REDIRECT, location: signOnOf("acme") },
    ];
    await using source = startSource(() => xmlOf(rightMetadata(key, { signOn })));
    await using subject = await makeSubject({ idp: { metadata: source.url, ...idp } });
    assert.equal(await begin(subject), where);
  });
}

Deno.test("an entityId and a certificate of the configuration go before those of the metadata", async () => {
  await using source = startSource(() => xmlOf(rightMetadata(key)));
  await using named = await makeSubject({ idp: { metadata: source.url, entityId: "https://other.example" } });
  assert.equal(await begin(named), UNREACHABLE, "the metadata are somebody else's");
  await using keyed = await makeSubject({ idp: { metadata: source.url, x509cert: next.certificate } });
  assert.equal(await logIn(keyed, next), "anna");
  assert.equal(await logIn(keyed, key), INVALID);
});

Deno.test("a provider that takes requests by POST only is asked by POST", async () => {
  await using subject = await makeSubject(
    saying({ signOn: [{ binding: POST, location: signOnOf("acme") }] }),
  );
  assert.equal(await begin(subject), "send");
});

Deno.test("an entityId chooses among several providers", async () => {
  const entities = ["acme", "other"].map((id) =>
    rightMetadata(id === "acme" ? key : next, {
      entityId: issuerOf(id),
      signOn: [{ binding: REDIRECT, location: signOnOf(id) }],
    })
  );
  const all = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${entities.join("")}` +
    "</md:EntitiesDescriptor>";
  await using source = startSource(() => xmlOf(all));
  await using subject = await makeSubject({ idp: { metadata: source.url, entityId: issuerOf("acme") } });
  assert.equal(await begin(subject), signOnOf("acme"));
  assert.equal(await logIn(subject, key), "anna");
  await using unclear = await makeSubject({ idp: { metadata: source.url } });
  assert.equal(await begin(unclear), UNREACHABLE);
  assert.match(unclear.lines.join("\n"), /several identity providers/);
});

/** Content of real metadata that the service does not need. */
const EXTRAS: Readonly<Record<string, (metadata: string) => string>> = {
  "an XML declaration and comments": (text) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ours -->\n${text}`,
  "a byte order mark": (text) => `\ufeff${text}`,
  "roles of other protocols, as Microsoft writes them": (text) =>
    text.replace(
      "<md:IDPSSODescriptor",
      (start) =>
        '<md:RoleDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
        'xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" xsi:type="fed:SecurityTokenServiceType" ' +
        'protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706">' +
        '<fed:TokenTypesOffered><fed:TokenType Uri="urn:oasis:names:tc:SAML:2.0:assertion"/></fed:TokenTypesOffered>' +
        `</md:RoleDescriptor>${start}`,
    ),
  "roles inside roles": (text) =>
    text.replace(
      "<md:IDPSSODescriptor",
      (start) =>
        '<md:RoleDescriptor protocolSupportEnumeration="urn:x"><md:Extensions>' +
        '<md:RoleDescriptor protocolSupportEnumeration="urn:x"></md:RoleDescriptor></md:Extensions>' +
        `</md:RoleDescriptor>${start}`,
    ),
  "extensions, as Shibboleth writes them": (text) =>
    text.replace(
      "<md:IDPSSODescriptor",
      (start) =>
        '<md:Extensions><mdrpi:RegistrationInfo xmlns:mdrpi="urn:oasis:names:tc:SAML:metadata:rpi" ' +
        `registrationAuthority="https://registrar.example"/></md:Extensions>${start}`,
    ),
  "an organisation and contacts": (text) =>
    text.replace(
      "</md:EntityDescriptor>",
      (end) =>
        '<md:Organization><md:OrganizationName xml:lang="en">A</md:OrganizationName>' +
        '<md:OrganizationDisplayName xml:lang="en">A</md:OrganizationDisplayName>' +
        '<md:OrganizationURL xml:lang="en">https://a.example</md:OrganizationURL></md:Organization>' +
        `<md:ContactPerson contactType="technical"><md:EmailAddress>mailto:a@a.example</md:EmailAddress></md:ContactPerson>${end}`,
    ),
  "a certificate in lines": (text) =>
    text.replace(
      /(<ds:X509Certificate>)([^<]*)/,
      (_, tag: string, base64: string) => `${tag}\n${(base64.match(/.{1,64}/g) ?? []).join("\n")}\n`,
    ),
  "a service that it is, too": (text) =>
    text.replace(
      "</md:EntityDescriptor>",
      (end) =>
        '<md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">' +
        `<md:AssertionConsumerService Binding="${POST}" Location="https://acme.idp.example/acs" index="0"/>` +
        `</md:SPSSODescriptor>${end}`,
    ),
  "attributes that it knows": (text) =>
    text.replace(
      "</md:IDPSSODescriptor>",
      (end) =>
        `<Attribute xmlns="urn:oasis:names:tc:SAML:2.0:assertion" Name="mail" FriendlyName="Mail"/>${end}`,
    ),
};

for (const [name, change] of Object.entries(EXTRAS)) {
  Deno.test(`metadata with ${name} can be read`, async () => {
    await using subject = await makeSubject({ answer: () => xmlOf(change(rightMetadata(key))) });
    assert.equal(await begin(subject), signOnOf("acme"), subject.lines.join("\n"));
    assert.equal(await logIn(subject, key), "anna");
  });
}

// ── Keys ───────────────────────────────────────────────────────────────────

Deno.test("several certificates at once are all good, so that keys can be changed", async () => {
  await using subject = await makeSubject(saying({ keys: [key, next] }));
  assert.equal(await logIn(subject, key), "anna");
  assert.equal(await logIn(subject, next), "anna");
});

Deno.test("a new key of the provider works at once, without a restart, and the old one no longer", async () => {
  await using subject = await makeSubject(saying());
  assert.equal(await logIn(subject, key), "anna");
  subject.source.answer = () => xmlOf(rightMetadata(next));
  assert.equal(await logIn(subject, next), "anna");
  assert.equal(await logIn(subject, key), INVALID);
});

Deno.test("attack: unknown keys make metadata be read once in a while only", async () => {
  await using subject = await makeSubject(saying());
  for (let turn = 0; turn < 5; turn++) assert.equal(await logIn(subject, next), INVALID);
  assert.equal(subject.source.asked, 2, "once because there were none, once because of the unknown key");
  subject.pass(29);
  await logIn(subject, next);
  assert.equal(subject.source.asked, 2);
  subject.pass(1);
  await logIn(subject, next);
  assert.equal(subject.source.asked, 3);
});

Deno.test("keys that are for encryption do not sign", async () => {
  const both = (text: string) =>
    text.replace("<md:KeyDescriptor", (start) => `${descriptorOf(next)}${start}`);
  const descriptorOf = (identity: Identity) =>
    /<md:KeyDescriptor.*?<\/md:KeyDescriptor>/.exec(rightMetadata(identity, { use: "encryption" }))?.[0] ??
      "";
  await using subject = await makeSubject({ answer: () => xmlOf(both(rightMetadata(key))) });
  assert.equal(await logIn(subject, key), "anna");
  assert.equal(await logIn(subject, next), INVALID);
  await using any = await makeSubject(saying({ use: "any" }));
  assert.equal(await logIn(any, key), "anna");
});

Deno.test("a certificate that is not valid now counts only where no other is, and the log names it", async () => {
  const now = Date.now();
  const VALIDITIES = [
    [{ from: now - 2 * DAY, until: now - DAY }, /has expired on \d{4}-\d\d-\d\d: logins go on/],
    [{ from: now + DAY, until: now + 60 * DAY }, /is not valid yet: logins go on/],
  ] as const;
  for (const [validity, warning] of VALIDITIES) {
    const unfit = certify(key, "unfit", validity);
    await using alone = await makeSubject(saying({}, unfit));
    assert.equal(await logIn(alone, key), "anna");
    assert.match(alone.lines.join("\n"), warning);
    await using beside = await makeSubject(saying({ keys: [unfit, next] }));
    assert.equal(await logIn(beside, next), "anna");
    assert.equal(await logIn(beside, key), INVALID);
  }
});

Deno.test("a certificate is warned of from 30 days before its end, once, and once more when it is over", async () => {
  const until = Math.ceil(Date.now() / 1000) * 1000 + 31 * DAY;
  const long = certify(key, "long", { until });
  const day = new Date(until).toISOString().slice(0, 10);
  await using subject = await makeSubject(saying({}, long));
  await logIn(subject, key);
  assert.deepEqual(subject.lines, []);
  subject.pass(86_401);
  for (let turn = 0; turn < 3; turn++) assert.equal(await logIn(subject, key), "anna");
  assert.deepEqual(subject.lines, [`warn: The certificate of identity provider "acme" expires on ${day}`]);
  subject.pass(31 * 86_400);
  for (let turn = 0; turn < 3; turn++) assert.equal(await logIn(subject, key), "anna");
  assert.match(subject.lines.slice(1).join(), new RegExp(`^warn: [^,]* has expired on ${day}[^,]*$`));
});

// ── Failures ───────────────────────────────────────────────────────────────

const broken = (text: string) => () => xmlOf(text);
const doctype = (inside: string) => `<!DOCTYPE md:EntityDescriptor [${inside}]>`;

/** Answers that are not metadata, and their line in the log. */
const FAILURES: readonly (readonly [what: string, answer: () => Response, complaint: RegExp])[] = [
  ["status 404", () => new Response("no", { status: 404 }), /status 404/],
  ["nothing", broken(""), /no XML/],
  ["a page", () => new Response("<html><p>sign in", { headers: { "Content-Type": "text/html" } }), /no XML/],
  ["JSON", () => Response.json({}), /no XML/],
  ["a DOCTYPE", broken(`<!DOCTYPE md:EntityDescriptor>${rightMetadata(key)}`), /document type/],
  [
    "an entity",
    broken(
      doctype('<!ENTITY e SYSTEM "file:///etc/passwd">') +
        rightMetadata(key).replace("emailAddress<", "&e;<"),
    ),
    /document type/,
  ],
  [
    "an entity bomb",
    broken(doctype('<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">') + rightMetadata(key)),
    /document type/,
  ],
  ["too much", () => new Response("x".repeat(1_048_577)), /more than 1048576 bytes/],
  [
    "a redirect to itself",
    () => new Response(null, { status: 302, headers: { Location: "/again" } }),
    /redirects/,
  ],
  [
    "a redirect to a file",
    () => new Response(null, { status: 302, headers: { Location: "file:///etc/passwd" } }),
    /cannot be read/,
  ],
  ["metadata of a service", broken(serviceMetadata()), /identity provider/],
  ["no certificate", broken(rightMetadata(key, { keys: [] })), /certificate/],
  ["a certificate that is none", broken(rightMetadata({ certificate: "AAAA" })), /certificate/i],
  ["deep nesting", broken("<a>".repeat(50_000) + "</a>".repeat(50_000)), /no XML/],
  [
    "a place that is no URL",
    broken(rightMetadata(key, { signOn: [{ binding: REDIRECT, location: "javascript:alert(1)" }] })),
    /no place to log in/,
  ],
  [
    "no place with a usual binding",
    broken(
      rightMetadata(key, {
        signOn: [{ binding: "urn:oasis:names:tc:SAML:2.0:bindings:SOAP", location: "https://a.example" }],
      }),
    ),
    /no place to log in/,
  ],
  [
    "metadata that are over",
    broken(rightMetadata(key, { validUntil: "2020-01-01T00:00:00Z" })),
    /valid|over|expired/i,
  ],
];

function serviceMetadata(): string {
  return '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example">' +
    '<md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">' +
    `<md:AssertionConsumerService Binding="${POST}" Location="https://sp.example/acs" index="0"/>` +
    "</md:SPSSODescriptor></md:EntityDescriptor>";
}

for (const [what, answer, complaint] of FAILURES) {
  Deno.test(`a provider that answers with ${what} is in the log and on the login page, and heals by itself`, async () => {
    await using subject = await makeSubject({ answer });
    await using _running = subject.method.start?.();
    assert.equal(await begin(subject), UNREACHABLE);
    const errors = subject.lines.filter((line) => line.startsWith("error"));
    assert.equal(errors.length, 1, errors.join("\n"));
    assert.match(errors[0] ?? "", complaint);
    assert.match(errors[0] ?? "", /"acme"/);
    assert.equal(errors[0]?.includes("root:"), false, "nothing of a file is shown");
    assert.deepEqual(subject.method.notices?.(), [
      "Provider acme cannot be reached at the moment: logging in there may fail",
    ]);
    subject.source.answer = () => xmlOf(rightMetadata(key));
    subject.pass(3_600);
    assert.equal(await begin(subject), signOnOf("acme"));
    assert.equal(await logIn(subject, key), "anna");
    assert.deepEqual(subject.method.notices?.(), []);
  });
}

Deno.test("a provider that cannot be reached is left alone for five seconds, then tried again", async () => {
  await using subject = await makeSubject({ answer: () => new Response("", { status: 500 }) });
  for (let turn = 0; turn < 3; turn++) assert.equal(await begin(subject), UNREACHABLE);
  assert.equal(subject.source.asked, 1);
  subject.source.answer = () => xmlOf(rightMetadata(key));
  subject.pass(5);
  assert.equal(await begin(subject), signOnOf("acme"));
  assert.equal(subject.source.asked, 2);
});

Deno.test("metadata that were read are used while the provider does not answer", async () => {
  await using subject = await makeSubject(saying());
  assert.equal(await logIn(subject, key), "anna");
  subject.source.answer = () => new Response("", { status: 500 });
  subject.pass(3_600 * 5);
  assert.equal(await logIn(subject, key, () => ({})), "anna");
});

Deno.test("attack: a provider that never answers is given up", async () => {
  const { promise: never, resolve } = Promise.withResolvers<Response>();
  const fetch = createOutgoing({ allowPrivate: true, timeout: 50 });
  await using subject = await makeSubject({ answer: () => never, host: { fetch } });
  assert.equal(await begin(subject), UNREACHABLE);
  assert.match(subject.lines.join("\n"), /It takes too long/);
  resolve(new Response());
});

Deno.test("attack: metadata at a private address are not asked for unless a setting allows it", async () => {
  await using subject = await makeSubject({ ...saying(), allowPrivate: false });
  assert.equal(await begin(subject), UNREACHABLE);
  assert.equal(subject.source.asked, 0);
  assert.match(subject.lines.join("\n"), /sso\.allow_private_addresses/);
});

Deno.test("attack: a file of the configuration that is no metadata is named, and nothing of it is shown", async () => {
  for (const metadata of ["/etc/passwd", "missing.xml", "/"]) {
    await using subject = await makeSubject({ idp: { metadata } });
    assert.equal(subject.complaints.length, 1);
    assert.match(subject.complaints[0] ?? "", /^identity_providers\.acme\.settings\.idp\.metadata: /);
    assert.equal(`${subject.complaints} ${subject.lines}`.includes("root:"), false);
    assert.deepEqual(subject.method.buttons?.({ next: "/" }), []);
  }
});
