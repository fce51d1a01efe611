import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import {
  assertAccepted,
  assertAttackFails,
  assertDiscreet,
  assertRefused,
  attempt,
  attemptWith,
  type Place,
  rightAnswer,
  type Write,
} from "./saml/attempt.ts";
import { type Landing, SsoBrowser } from "./saml/browser.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { blockOf, sharedSaml } from "./saml/home.ts";
import { buildResponse } from "./saml/response.ts";
import { type ResponseOptions, SECRET } from "./saml/response_options.ts";

const key = await makeIdentity("provider");
const running = sharedSaml({ providers: (origin) => ({ acme: blockOf(origin, "acme", { key }) }) });
const at = (): Place => ({ service: running(), id: "acme", key });

/** Requests to this server, which no document may cause. */
const asked: string[] = [];
let listener: Deno.HttpServer<Deno.NetAddr> | undefined;
Deno.test.beforeAll(() => {
  listener = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    asked.push(request.url);
    return new Response("<x/>");
  });
});
Deno.test.afterAll(async () => await listener?.shutdown());
const outside = () => `http://127.0.0.1:${listener?.addr.port}/outside`;

/** Inserts text before the root of a valid document. */
const before = (prologue: () => string): Write => (right) => prologue() + buildResponse(right);
/** The name of anna, written in the document by an entity. */
const named = (doctype: () => string): Write => (right) =>
  doctype() + buildResponse({ ...right, nameIdXml: "&name;" });
const doctype = (internal: string) => `<!DOCTYPE samlp:Response [${internal}]>`;
const deep = (depth: number) => "<x>".repeat(depth) + "</x>".repeat(depth);
const LAUGHS = Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY a${level + 1} "${`&a${level};`.repeat(10)}">`,
).join("");

/** Documents with a valid signature, where one is possible. */
const ATTACKS: Readonly<Record<string, Write>> = {
  "an empty DOCTYPE": before(() => "<!DOCTYPE samlp:Response>"),
  "a DOCTYPE from another server": before(() => `<!DOCTYPE samlp:Response SYSTEM "${outside()}">`),
  "a name in an internal entity": named(() => doctype('<!ENTITY name "anna@example.com">')),
  "an entity of a file": named(() => doctype('<!ENTITY name SYSTEM "file:///etc/passwd">')),
  "an entity of another server": named(() => doctype(`<!ENTITY name SYSTEM "${outside()}">`)),
  "a parameter entity of another server": before(() => doctype(`<!ENTITY % p SYSTEM "${outside()}"> %p;`)),
  "an entity bomb": named(() => doctype(`<!ENTITY a0 "ha">${LAUGHS}<!ENTITY name "&a9;">`)),
  "an entity that contains itself": named(() => doctype('<!ENTITY name "&name;">')),
  "an attribute of a DTD": before(() => doctype("<!ATTLIST samlp:Response ID ID #IMPLIED>")),
  "a processing instruction": before(() => '<?xml-stylesheet href="/x.xsl"?>'),
  "a processing instruction in the name": (right) =>
    buildResponse(right).replace("anna@example.com", "anna@<?x y?>example.com"),
  "a comment in the name": (right) =>
    buildResponse({ ...right, nameId: "anna@example.com.evil.example" })
      .replace("anna@example.com.evil.example", "anna@example.com<!-- -->.evil.example"),
  "a comment before the root": before(() => "<!-- harmless -->"),
  "a comment in the audience": (right) =>
    buildResponse({ ...right, audience: `${right.audience}.evil` })
      .replace(`${right.audience}.evil<`, `${right.audience}<!---->.evil<`),
  "a CDATA section": (right) =>
    buildResponse(right).replace("anna@example.com", "<![CDATA[anna@example.com]]>"),
  "an element of XInclude": (right) =>
    buildResponse({
      ...right,
      nameIdXml:
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd" parse="text"></xi:include>',
    }),
  "an element in the name": (right) => buildResponse({ ...right, nameIdXml: "anna@example.com<x></x>" }),
  "another root": (right) => buildResponse(right).replaceAll("samlp:Response", "samlp:Other"),
  "another namespace": (right) => buildResponse(right).replace("SAML:2.0:protocol", "SAML:2.0:protocols"),
  "text between elements": (right) => buildResponse(right).replace("<samlp:Status>", "text<samlp:Status>"),
  "two roots": (right) => buildResponse(right) + buildResponse(right),
  "no end": (right) => buildResponse(right).slice(0, -20),
  "nothing": () => "",
  "no XML": () => "SAML",
  "a document around it": (right) => `<x>${buildResponse(right)}</x>`,
  "a thousand levels": (right) => buildResponse({ ...right, nameIdXml: deep(1_000) }),
  "elements nested as deep as they fit": (right) => buildResponse({ ...right, nameIdXml: deep(15_000) }),
  "ten thousand attributes of XML": (right) =>
    buildResponse(right).replace(
      "<samlp:Status>",
      () => `<samlp:Status ${Array.from({ length: 10_000 }, (_, index) => `a${index}=""`).join(" ")}>`,
    ),
  "an attribute twice": (right) =>
    buildResponse(right).replace("<samlp:Response", '<samlp:Response Version="2.0"'),
  "a character that XML forbids": (right) => buildResponse(right).replace("anna@", "anna\u0001@"),
  "a reference to a character that XML forbids": (right) =>
    buildResponse(right).replace("anna@", "anna&#1;@"),
  "an encoding that it does not have": before(() => '<?xml version="1.0" encoding="ISO-8859-1"?>'),
  "an encoding that nobody knows": before(() => '<?xml version="1.0" encoding="EBCDIC"?>'),
  "another version of XML": before(() => '<?xml version="1.1"?>'),
  "IDs that are there twice": (right) =>
    buildResponse({ ...right, responseId: "_same", assertionId: "_same" }),
  "no ID": (right) =>
    buildResponse({ ...right, signs: ["response"] }).replace(/( ID="[^"]*")(?=.*<saml:Subject>)/, ""),
  "a request instead of an answer": (right) =>
    buildResponse(right).replaceAll("samlp:Response", "samlp:AuthnRequest"),
};

for (const [name, write] of Object.entries(ATTACKS)) {
  Deno.test(`attack: a document with ${name} is refused`, async () => {
    await assertAttackFails(at(), write);
    assert.deepEqual(asked, []);
  });
}

Deno.test("attack: a document that says where its schemas are makes nobody ask for them", async () => {
  const hint = () =>
    ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
    ` xsi:schemaLocation="urn:oasis:names:tc:SAML:2.0:protocol ${outside()} urn:x ${outside()}"`;
  await attempt(at(), (right) => buildResponse(right).replace("<samlp:Response", (start) => start + hint()));
  assert.deepEqual(asked, []);
});

/** The document in other encodings. */
const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) =>
  new Uint8Array(new Uint16Array([...text].map((each) => each.charCodeAt(0))).buffer);
const lines = (text: string) => text.replaceAll(/.{76}/g, (line) => `${line}\r\n`);

/** How documents are sent that are accepted. */
const RIGHT: Readonly<Record<string, (document: string) => string>> = {
  "base64 in one line": (document) => utf8(document).toBase64(),
  "base64 in lines": (document) => lines(utf8(document).toBase64()),
  "base64 without padding, where there is none": (document) =>
    utf8(document + " ".repeat(3 - document.length % 3)).toBase64(),
  "an XML declaration": (document) => utf8(`<?xml version="1.0" encoding="UTF-8"?>\n${document}`).toBase64(),
};

/** How documents are sent that are not. */
const ENCODINGS: Readonly<Record<string, (document: string) => string>> = {
  "no base64": (document) => document,
  "base64 of URLs": () => utf8("\u00ff\u00fe\u00ff<>>>???").toBase64({ alphabet: "base64url" }),
  "base64 with garbage in it": (document) => `%%${utf8(document).toBase64()}`,
  "base64 with garbage behind it": (document) => `${utf8(document).toBase64()}====%`,
  "base64 of base64": (document) => utf8(utf8(document).toBase64()).toBase64(),
  "UTF-16": (document) => utf16(`\ufeff${document}`).toBase64(),
  "bytes that are no UTF-8": (document) => new Uint8Array([...utf8(document), 0xff, 0xfe]).toBase64(),
  "overlong UTF-8": (document) =>
    new Uint8Array([...utf8(document)].flatMap((byte) => byte === 0x3c ? [0xc0, 0xbc] : [byte])).toBase64(),
  "UTF-7": (document) => utf8(document.replaceAll("<", "+ADw-")).toBase64(),
  "compressed bytes": (document) => new Uint8Array(deflateRawSync(utf8(document))).toBase64(),
  "a bomb of compressed bytes": () => new Uint8Array(deflateRawSync(new Uint8Array(64_000_000))).toBase64(),
  "nothing at all": () => "",
  "a zero": (document) => `${utf8(document).toBase64()}\0`,
  "a megabyte of blanks behind it": (document) => utf8(document + " ".repeat(1_000_000)).toBase64(),
};

const bringAs = (encode: (document: string) => string) =>
  attemptWith(
    at(),
    (browser, right, begun) => browser.bringEncoded("acme", encode(buildResponse(right)), begun.relayState),
  );

for (const [name, encode] of Object.entries(RIGHT)) {
  Deno.test(`a document in ${name} is accepted`, async () => assertAccepted(await bringAs(encode)));
}

/** Asserts that an invalid form is answered at once; its sender has no session to end. */
function assertTurnedAway(landing: Landing & { readonly logged: string; readonly previous: string }): void {
  assert.notEqual(landing.user, "anna");
  assert.equal(
    landing.status >= 400 && landing.status < 500 || landing.user === "public",
    true,
    `${landing.status}`,
  );
  assertDiscreet(landing);
}

for (const [name, encode] of Object.entries(ENCODINGS)) {
  Deno.test(`attack: a document in ${name} is turned away`, async () => {
    assertAccepted(await bringAs((document) => utf8(document).toBase64()));
    assertTurnedAway(await bringAs(encode));
  });
}

/** Documents that are as large and slow to read as possible; other requests must be served meanwhile. */
const LARGE: Readonly<Record<string, (right: ResponseOptions) => string>> = {
  "many attributes": (right) => {
    const attributes = Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, values: ["v"] }));
    return buildResponse({ ...right, attributes });
  },
  "many values": (right) =>
    buildResponse({ ...right, attributes: [{ name: "n", values: Array(20_000).fill("v") }] }),
  "many namespaces": (right) => {
    const many = Array.from({ length: 5_000 }, (_, index) => ` xmlns:n${index}="urn:${index}"`).join("");
    return buildResponse(right).replace("<samlp:Response", (start) => start + many);
  },
  "many audiences": (right) =>
    buildResponse({ ...right, audiences: Array(10_000).fill("https://other.example") }),
  "a long name": (right) => buildResponse({ ...right, nameId: "a".repeat(5_000_000) }),
  "many signatures": (right) => {
    const document = buildResponse(right);
    const [signature = ""] = /<ds:Signature .*<\/ds:Signature>/.exec(document) ?? [];
    return document.replace(signature, signature.repeat(200));
  },
};

for (const [name, write] of Object.entries(LARGE)) {
  Deno.test(`attack: a document with ${name} is turned away`, async () => {
    const result = await attempt(at(), write);
    assertTurnedAway(result);
    assertAccepted(await attempt(at(), (right) => buildResponse(right)));
  });
}

Deno.test("a document with more groups than anybody has is accepted", async () => {
  const values = Array.from(
    { length: 1_500 },
    (_, index) => `cn=group-${index},ou=groups,dc=acme,dc=example`,
  );
  const write: Write = (right) => buildResponse({ ...right, attributes: [{ name: "groups", values }] });
  assertAccepted(await attempt(at(), write));
});

/** Invalid requests to the address of answers. */
const FORMS: readonly (readonly [
  what: string,
  send: (browser: SsoBrowser) => Promise<{ status: number; text: string }>,
])[] = [
  ["no field", (browser) => browser.sendForm("/sso/callback/saml/acme", {})],
  ["only a RelayState", (browser) => browser.sendForm("/sso/callback/saml/acme", { RelayState: "x" })],
  [
    "an unknown provider",
    (browser) => browser.sendForm("/sso/callback/saml/nobody", { SAMLResponse: "x" }),
  ],
  ["__proto__", (browser) => browser.sendForm("/sso/callback/saml/__proto__", { SAMLResponse: "x" })],
  ["constructor", (browser) => browser.sendForm("/sso/callback/saml/constructor", { SAMLResponse: "x" })],
  ["a note that is none", (browser) => browser.arrive("/sso/callback/saml/acme?note=x")],
  ["nothing in the address", (browser) => browser.arrive("/sso/callback/saml/acme")],
];

for (const [what, send] of FORMS) {
  Deno.test(`attack: ${what} at the address of answers is no failure of the service`, async () => {
    const browser = new SsoBrowser(running());
    const { status } = await send(browser);
    assert.equal(status < 500, true, `status ${status}`);
    assert.equal(await browser.whoAmI(), "public");
  });
}

Deno.test("attack: an answer that is no form is not read", async () => {
  for (const type of ["application/json", "text/xml", "multipart/form-data"]) {
    const answer = await running().fetch("/sso/callback/saml/acme", {
      method: "POST",
      headers: { "Content-Type": type },
      body: `{"SAMLResponse": "${SECRET}"}`,
    });
    const text = await answer.text();
    assert.equal(answer.status < 500, true, `status ${answer.status}`);
    assert.equal(`${text} ${answer.headers.get("location")}`.includes(SECRET), false);
    assert.deepEqual(answer.headers.getSetCookie(), []);
  }
});

Deno.test("attack: a field that is there twice opens no session", async () => {
  const result = await attemptWith(at(), async (browser, right, begun) => {
    const path = "/sso/callback/saml/acme";
    const [good, evil] = [
      buildResponse(right),
      buildResponse({ ...right, key: await makeIdentity("attacker") }),
    ];
    const body = new URLSearchParams([
      ["SAMLResponse", utf8(good).toBase64()],
      ["SAMLResponse", utf8(evil).toBase64()],
      ["RelayState", begun.relayState ?? ""],
    ]);
    const response = await running().fetch(path, { method: "POST", headers: { Accept: "text/html" }, body });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    return await browser.follow(path, answer);
  });
  assert.notEqual(result.user, "anna");
  assert.equal(result.status < 500, true);
});

const STATE: readonly string[] = [
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "javascript:alert(1)",
  "/db.html\r\nSet-Cookie: auth_tkt=x",
  "/logout",
];

for (const relayState of STATE) {
  Deno.test(`attack: RelayState ${JSON.stringify(relayState)} leads nowhere`, async () => {
    const result = await attemptWith(
      at(),
      (browser, right) => browser.bring("acme", buildResponse(right), relayState),
    );
    const hosts = result.hops.map((hop) => new URL(hop, running().url).host);
    assert.deepEqual([...new Set(hosts)], [new URL(running().url).host]);
    assert.equal(result.hops.some((hop) => hop === "/logout"), false);
    if (result.user === "anna") assertAccepted(result);
    else assertRefused(result);
  });
}

Deno.test("attack: the page that a login leads to is one of this service", async () => {
  for (
    const next of ["https://evil.example/", "//evil.example", "/\\evil.example", "/login?next=//evil.example"]
  ) {
    const browser = new SsoBrowser(running());
    const begun = await browser.begin("acme", next);
    const landing = await browser.bring("acme", buildResponse(rightAnswer(at(), begun)), begun.relayState);
    assert.equal(landing.user, "anna");
    assert.equal(landing.path, "/");
  }
});
