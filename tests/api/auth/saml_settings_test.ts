import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import saml from "@/auth/saml/mod.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { certify, makeIdentity, privateKeyOf, privatePemOf } from "./saml/certificate.ts";
import { type Block, blockOf, SAMPLE_SECURITY } from "./saml/home.ts";

const ORIGIN = "https://service.example";
const DAY = 86_400_000;
const NOW = Date.now();
const [key, own, other] = await Promise.all(
  ["provider", "service", "other"].map((name) => makeIdentity(name)),
);
const dsa = generateKeyPairSync("dsa", { modulusLength: 1024, divisorLength: 160 }).privateKey
  .export({ type: "pkcs8", format: "der" }).toString("base64");

const short = certify(generateKeyPairSync("rsa", { modulusLength: 768 }), "short");
const elliptic = certify(generateKeyPairSync("ec", { namedCurve: "P-256" }), "elliptic");

const DSIG = "http://www.w3.org/2000/09/xmldsig#";
const MORE = "http://www.w3.org/2001/04/xmldsig-more#";
const XENC = "http://www.w3.org/2001/04/xmlenc#";
const V1 = "urn:oasis:names:tc:SAML:1.1:nameid-format:";
const V2 = "urn:oasis:names:tc:SAML:2.0:nameid-format:";

interface Changes {
  readonly sp?: Block;
  readonly idp?: Block;
  readonly security?: Block;
  readonly extra?: Block;
  readonly block?: Block;
}

const PAIR = { x509cert: own?.certificate, privatekey: own && privateKeyOf(own) };

/** A block that is right but for the changes. */
function blockWith(id: string, changes: Changes = {}): Block {
  if (!key) throw new Error("There is a key");
  return blockOf(ORIGIN, id, { key, ...changes });
}

interface SetUp {
  readonly complaints: readonly string[];
  readonly buttons: readonly string[];
}

/** The complaints of the method, and the labels of the remaining buttons. */
async function setUp(identity_providers: unknown, directory = Deno.cwd()): Promise<SetUp> {
  const complaints: string[] = [];
  const complain = (key: string, message: string) => void complaints.push(`${key}: ${message}`);
  const host = hostOf({ changes: { complain, directory, now: () => NOW } });
  const method = await saml.setup({ identity_providers }, host);
  return { complaints, buttons: method.buttons?.({ next: "/" }).map(({ label }) => label) ?? [] };
}

const RIGHT: Readonly<Record<string, Changes>> = {
  "nothing but what is needed": {},
  "a key pair": { sp: PAIR },
  "a key pair in PEM": { sp: { ...PAIR, privatekey: own && privatePemOf(own) } },
  "empty texts, as samples have them": {
    sp: { x509cert: "", privatekey: "" },
    idp: { metadata: "" },
    block: { saml_auth_regex: "" },
  },
  "gui.visible in one word": { block: { "gui.visible": true } },
  "no saml_auth_attribute": { block: { saml_auth_attribute: undefined } },
  "set_nameid_policy": { extra: { set_nameid_policy: false } },
  "a binding": { idp: bindingOf("HTTP-POST") },
  "several certificates": { idp: { x509cert: [key?.certificate, other?.certificate] } },
  "a place for logging out": { sp: { singleLogoutService: { url: `${ORIGIN}/sso/logout/saml/acme` } } },
  "an empty block for logging out": { sp: { singleLogoutService: {} } },
  "a flag from the environment, which is text": { security: { wantNameId: "true" } },
  "a prefix": { sp: { assertionConsumerService: { url: `${ORIGIN}/rest/sso/callback/saml/acme` } } },
  "this machine as host": { idp: { singleSignOnService: { url: "http://localhost:8080/sso" } } },
  "an address in digits as host": { idp: { singleSignOnService: { url: "http://[::1]:8080/sso" } } },
  "hosts of one word where that is allowed": {
    idp: { singleSignOnService: { url: "https://idp/sso" } },
    security: { allowSingleLabelDomains: true },
  },
  "a regular expression": { block: { saml_auth_regex: "(?P<who>.*)@acme\\.com" } },
  "everything of security, as the sample has it": {
    security: SAMPLE_SECURITY,
  },
  "signatures of DSA": {
    sp: { privatekey: dsa },
    security: {
      authnRequestsSigned: true,
      rejectDeprecatedAlgorithm: false,
      signatureAlgorithm: `${DSIG}dsa-sha1`,
    },
  },
};

function bindingOf(name: string): Block {
  const url = "https://acme.idp.example/sso";
  return { singleSignOnService: { url, binding: `urn:oasis:names:tc:SAML:2.0:bindings:${name}` } };
}

for (const [what, changes] of Object.entries(RIGHT)) {
  Deno.test(`a provider with ${what} is accepted`, async () => {
    assert.deepEqual(await setUp({ acme: blockWith("acme", changes) }), {
      complaints: [],
      buttons: ["Log in with Provider acme"],
    });
  });
}

const NAME_IDS = [
  ...["unspecified", "emailAddress", "X509SubjectName", "WindowsDomainQualifiedName"].map((name) =>
    V1 + name
  ),
  ...["persistent", "transient", "kerberos", "entity"].map((name) => V2 + name),
];

for (const NameIDFormat of NAME_IDS) {
  Deno.test(`NameIDFormat may be ${NameIDFormat}`, async () => {
    assert.deepEqual((await setUp({ acme: blockWith("acme", { sp: { NameIDFormat } }) })).complaints, []);
  });
}

const SIGNATURES = [`${DSIG}rsa-sha1`, `${MORE}rsa-sha256`, `${MORE}rsa-sha384`, `${MORE}rsa-sha512`];
const DIGESTS = [`${DSIG}sha1`, `${XENC}sha256`, `${MORE}sha384`, `${XENC}sha512`];

for (const [key, names] of [["signatureAlgorithm", SIGNATURES], ["digestAlgorithm", DIGESTS]] as const) {
  for (const name of names) {
    Deno.test(`${key} may be ${name}, while deprecated ones are not rejected`, async () => {
      const security = { authnRequestsSigned: true, rejectDeprecatedAlgorithm: false, [key]: name };
      const { complaints } = await setUp({ acme: blockWith("acme", { sp: PAIR, security }) });
      assert.deepEqual(complaints, []);
    });
  }
}

const DEPRECATED = "Is deprecated: it needs rejectDeprecatedAlgorithm: false";
const OWN = "Expected the address of this service with /sso/callback/saml/acme";
const SINGLE = "Expected a host with a domain, unless security.allowSingleLabelDomains is true";
const NO_KEY = "Is missing: settings.security needs it";
const NO_CERTIFICATE = "Expected a certificate in base64";
const past = key && certify(key, "past", { from: NOW - 3 * DAY, until: NOW - 2 * DAY });
const future = key && certify(key, "future", { from: NOW + DAY, until: NOW + 2 * DAY });
const pastDay = new Date(NOW - 2 * DAY).toISOString().slice(0, 10);

const MISTAKES: readonly (readonly [what: string, changes: Changes, complaint: string])[] = [
  ["no enabled", { block: { enabled: undefined } }, ".enabled: Is required, found nothing"],
  ["enabled as a text", { block: { enabled: "yes" } }, ".enabled: Expected true or false, found text"],
  [
    "no attribute of users",
    { block: { user_config_attribute: undefined } },
    ".user_config_attribute: Is required, found nothing",
  ],
  [
    "an attribute that must not be matched",
    { block: { user_config_attribute: "apikey" } },
    '.user_config_attribute: Expected one of login, name, email, appid, found "apikey"',
  ],
  [
    "a number for saml_auth_attribute",
    { block: { saml_auth_attribute: 5 } },
    ".saml_auth_attribute: Expected text, found a number: put it in quotes",
  ],
  [
    "no metadata, and no place to log in",
    { idp: { singleSignOnService: undefined } },
    ".settings.idp.singleSignOnService.url: Is required, found nothing",
  ],
  [
    "no metadata, and no entityId",
    { idp: { entityId: undefined } },
    ".settings.idp.entityId: Is required, found nothing",
  ],
  [
    "no metadata, and no certificate",
    { idp: { x509cert: undefined } },
    ".settings.idp.x509cert: Is required, found nothing",
  ],
  [
    "no name of this service",
    { sp: { entityId: undefined } },
    ".settings.sp.entityId: Is required, found nothing",
  ],
  [
    "no place for responses",
    { sp: { assertionConsumerService: undefined } },
    ".settings.sp.assertionConsumerService: Is required, found nothing",
  ],
  [
    "a place for responses of another provider",
    { sp: { assertionConsumerService: { url: `${ORIGIN}/sso/callback/saml/other` } } },
    `.settings.sp.assertionConsumerService.url: ${OWN}`,
  ],
  [
    "a place for responses with a query",
    { sp: { assertionConsumerService: { url: `${ORIGIN}/sso/callback/saml/acme?x=1` } } },
    `.settings.sp.assertionConsumerService.url: ${OWN}`,
  ],
  [
    "a place for responses that is no URL",
    { sp: { assertionConsumerService: { url: "/sso/callback/saml/acme" } } },
    `.settings.sp.assertionConsumerService.url: ${OWN}`,
  ],
  [
    "a place for logging out that is another one",
    { sp: { singleLogoutService: { url: `${ORIGIN}/logout` } } },
    ".settings.sp.singleLogoutService.url: Expected the address of this service with /sso/logout/saml/acme",
  ],
  [
    "an unknown NameIDFormat",
    { sp: { NameIDFormat: `${V1}persistent` } },
    `.settings.sp.NameIDFormat: Expected one of ${NAME_IDS.join(", ")}, found "${V1}persistent"`,
  ],
  ["a certificate that is none", { sp: { x509cert: "AAAA" } }, `.settings.sp.x509cert: ${NO_CERTIFICATE}`],
  [
    "a private key that is none",
    { sp: { privatekey: "AAAA" } },
    ".settings.sp.privatekey: Expected a private key in base64, without a passphrase",
  ],
  [
    "the private key of another certificate",
    { sp: { ...PAIR, privatekey: other && privateKeyOf(other) } },
    ".settings.sp.privatekey: Expected the private key of x509cert",
  ],
  ...(["authnRequestsSigned", "logoutRequestSigned", "logoutResponseSigned"] as const).map((flag) =>
    [`${flag} and no key`, { security: { [flag]: true } }, `.settings.sp.privatekey: ${NO_KEY}`] as const
  ),
  ...(["wantAssertionsEncrypted", "wantNameIdEncrypted"] as const).map((flag) =>
    [`${flag} and no key`, { security: { [flag]: true } }, `.settings.sp.privatekey: ${NO_KEY}`] as const
  ),
  [
    "a key of DSA where one of RSA is needed",
    { sp: { privatekey: dsa }, security: { authnRequestsSigned: true } },
    ".settings.sp.privatekey: Expected a key of RSA: settings.security asks for it",
  ],
  [
    "signMetadata and no certificate",
    { sp: { privatekey: PAIR.privatekey }, security: { signMetadata: true } },
    ".settings.sp.x509cert: Is missing: signMetadata needs it",
  ],
  [
    "signMetadata as a text",
    { security: { signMetadata: "yes" } },
    ".settings.security.signMetadata: Expected false, true or a map with keyFileName and certFileName",
  ],
  [
    "signMetadata without a file",
    { security: { signMetadata: { keyFileName: "sp.key" } } },
    ".settings.security.signMetadata.certFileName: Is required, found nothing",
  ],
  [
    "a flag of security as a text",
    { security: { wantNameId: "yes" } },
    ".settings.security.wantNameId: Expected true or false, found text",
  ],
  [
    "a deprecated signature",
    { security: { signatureAlgorithm: `${DSIG}rsa-sha1` } },
    `.settings.security.signatureAlgorithm: ${DEPRECATED}`,
  ],
  [
    "a deprecated digest",
    { security: { digestAlgorithm: `${DSIG}sha1` } },
    `.settings.security.digestAlgorithm: ${DEPRECATED}`,
  ],
  [
    "a symmetric signature",
    { security: { signatureAlgorithm: `${MORE}hmac-sha256` } },
    `.settings.security.signatureAlgorithm: Expected one of ${DSIG}rsa-sha1, ${DSIG}dsa-sha1, ${MORE}rsa-sha256, ` +
    `${MORE}rsa-sha384, ${MORE}rsa-sha512, found "${MORE}hmac-sha256"`,
  ],
  [
    "an unknown digest",
    { security: { digestAlgorithm: "md5" } },
    `.settings.security.digestAlgorithm: Expected one of ${DIGESTS.join(", ")}, found "md5"`,
  ],
  [
    "a place to log in that is no URL",
    { idp: { singleSignOnService: { url: "javascript:alert(1)" } } },
    ".settings.idp.singleSignOnService.url: Expected a URL",
  ],
  [
    "a place to log in with a character that no header can have",
    { idp: { singleSignOnService: { url: "https://idp.example/\u20ac" } } },
    ".settings.idp.singleSignOnService.url: Expected a URL",
  ],
  [
    "a place to log in with a line break",
    { idp: { singleSignOnService: { url: "https://idp.example/\nSet-Cookie:x" } } },
    ".settings.idp.singleSignOnService.url: Expected a URL",
  ],
  [
    "an unknown binding",
    { idp: bindingOf("SOAP") },
    ".settings.idp.singleSignOnService.binding: Expected one of " +
    "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect, urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST, " +
    'found "urn:oasis:names:tc:SAML:2.0:bindings:SOAP"',
  ],
  [
    "a provider's certificate that is none",
    { idp: { x509cert: "x" } },
    `.settings.idp.x509cert: ${NO_CERTIFICATE}`,
  ],
  [
    "a certificate with a key that nothing can be verified with",
    { idp: { x509cert: elliptic.certificate } },
    ".settings.idp.x509cert: Expected a certificate with a key of RSA or DSA, of 1024 bits at least",
  ],
  [
    "attack: a key that is short enough to be found out",
    { idp: { x509cert: short.certificate } },
    ".settings.idp.x509cert: Expected a certificate with a key of RSA or DSA, of 1024 bits at least",
  ],
  [
    "a list of certificates with a number",
    { idp: { x509cert: [key?.certificate, 5] } },
    ".settings.idp.x509cert: Expected a certificate in base64, or a list of them",
  ],
  [
    "the host of a place to log in of one word",
    { idp: { singleSignOnService: { url: "https://idp/sso" } } },
    `.settings.idp.singleSignOnService.url: ${SINGLE}`,
  ],
  [
    "a name of this service of one word",
    { sp: { entityId: "https://sp/saml" } },
    `.settings.sp.entityId: ${SINGLE}`,
  ],
  [
    "set_nameid_policy as a text",
    { extra: { set_nameid_policy: "yes" } },
    ".settings.extra_request_options.set_nameid_policy: Expected true or false, found text",
  ],
  [
    "gui.visible as a text",
    { block: { gui: { visible: "yes" } } },
    ".gui.visible: Expected true or false, found text",
  ],
];

for (const [what, changes, complaint] of MISTAKES) {
  Deno.test(`a provider with ${what} is named by its key and left out, and others work`, async () => {
    const providers = { acme: blockWith("acme", changes), fine: blockWith("fine") };
    assert.deepEqual(await setUp(providers), {
      complaints: [`identity_providers.acme${complaint}`],
      buttons: ["Log in with Provider fine"],
    });
  });
}

for (const pattern of ["(", "a{2,1}", "(?=a)", "\\1"]) {
  Deno.test(`the regular expression ${pattern} is named by its key`, async () => {
    const { complaints, buttons } = await setUp({
      acme: blockWith("acme", { block: { saml_auth_regex: pattern } }),
    });
    assert.equal(complaints.length, 1);
    assert.match(
      complaints[0] ?? "",
      /^identity_providers\.acme\.saml_auth_regex: Expected a regular expression/,
    );
    assert.deepEqual(buttons, []);
  });
}

const UNKNOWN: Readonly<Record<string, Changes>> = {
  "saml_auth_atribute": { block: { saml_auth_atribute: "NameID" } },
  "settings.sp.entityID": { sp: { entityID: "x" } },
  "settings.sp.assertionConsumerService.binding": {
    sp: { assertionConsumerService: { url: `${ORIGIN}/sso/callback/saml/acme`, binding: "x" } },
  },
  "settings.idp.cert": { idp: { cert: "x" } },
  "settings.security.wantAssertionSigned": { security: { wantAssertionSigned: true } },
  "settings.extra_request_options.force": { extra: { force: true } },
};

for (const [name, changes] of Object.entries(UNKNOWN)) {
  Deno.test(`the unknown key ${name} is named, and the provider is left out`, async () => {
    const { complaints, buttons } = await setUp({ acme: blockWith("acme", changes) });
    assert.equal(complaints.length, 1);
    assert.equal(
      complaints[0]?.startsWith(`identity_providers.acme.${name}: Unknown member: `),
      true,
    );
    assert.deepEqual(buttons, []);
  });
}

for (const id of ["a b", "a/b", "ä", "a.b", ""]) {
  Deno.test(`an id like ${JSON.stringify(id)} is refused`, async () => {
    const { complaints } = await setUp({ [id]: blockWith("acme") });
    assert.deepEqual(complaints, [
      `identity_providers.${id}: Expected an id of letters, digits and : @ _ ~ -`,
    ]);
  });
}

Deno.test("an id may have every character that the specification names", async () => {
  const id = "AZaz09:@_~-";
  assert.deepEqual(await setUp({ [id]: blockWith(id) }), {
    complaints: [],
    buttons: [`Log in with Provider ${id}`],
  });
});

Deno.test("the own certificate that has expired is named, and people can log in all the same", async () => {
  const mine = own && certify(own, "mine", { from: NOW - 3 * DAY, until: NOW - 2 * DAY });
  const sp = { x509cert: mine?.certificate, privatekey: PAIR.privatekey };
  assert.deepEqual(await setUp({ acme: blockWith("acme", { sp }) }), {
    complaints: [`identity_providers.acme.settings.sp.x509cert: Has expired on ${pastDay}`],
    buttons: ["Log in with Provider acme"],
  });
});

Deno.test("a certificate of the provider that has expired or is not valid yet is named, and the provider stays", async () => {
  for (
    const [certificate, complaint] of [[past, `Has expired on ${pastDay}`], [
      future,
      "Is not valid yet",
    ]] as const
  ) {
    const idp = { x509cert: certificate?.certificate };
    assert.deepEqual(await setUp({ acme: blockWith("acme", { idp }) }), {
      complaints: [`identity_providers.acme.settings.idp.x509cert: ${complaint}`],
      buttons: ["Log in with Provider acme"],
    });
  }
});

Deno.test("one of several certificates that has expired is named, and the others work", async () => {
  const idp = { x509cert: [past?.certificate, key?.certificate] };
  assert.deepEqual(await setUp({ acme: blockWith("acme", { idp }) }), {
    complaints: [`identity_providers.acme.settings.idp.x509cert: Has expired on ${pastDay}`],
    buttons: ["Log in with Provider acme"],
  });
});

Deno.test("a provider that is off may be half written, one that is hidden has no button", async () => {
  const off = { enabled: false, settings: 5 };
  const hidden = blockWith("hidden", { block: { gui: { visible: false } } });
  assert.deepEqual(await setUp({ off, hidden }), { complaints: [], buttons: [] });
});

for (
  const [providers, found] of [[undefined, "nothing"], [null, "nothing"], [5, "a number"], [[], "a list"]]
) {
  Deno.test(`identity_providers must be a map, not ${JSON.stringify(providers)}`, async () => {
    assert.deepEqual((await setUp(providers)).complaints, [
      `identity_providers: Expected a mapping, found ${found}`,
    ]);
  });
}

Deno.test("files of a key pair for metadata may be named with their whole path", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    const [keyFileName, certFileName] = [`${directory}/sp.key`, `${directory}/sp.crt`];
    await Deno.writeTextFile(keyFileName, String(PAIR.privatekey));
    await Deno.writeTextFile(certFileName, String(PAIR.x509cert));
    const block = blockWith("acme", { security: { signMetadata: { keyFileName, certFileName } } });
    assert.deepEqual(await setUp({ acme: block }), {
      complaints: [],
      buttons: ["Log in with Provider acme"],
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

/** Files that are named and cannot be used. */
const FILES: readonly (readonly [what: string, changes: Changes, files: Block, complaint: RegExp])[] = [
  [
    "metadata that are not there",
    { idp: { metadata: "idp.xml" } },
    {},
    /^identity_providers\.acme\.settings\.idp\.metadata: The metadata of identity provider "acme": "idp\.xml" cannot be read: /,
  ],
  [
    "metadata that are no XML",
    { idp: { metadata: "idp.xml" } },
    { "idp.xml": "secret text" },
    /"idp\.xml" cannot be read: It is no XML that fits the schema of metadata$/,
  ],
  [
    "metadata with a document type",
    { idp: { metadata: "idp.xml" } },
    { "idp.xml": "<!DOCTYPE a><a/>" },
    /"idp\.xml" cannot be read: It has a document type$/,
  ],
  [
    "no key for metadata",
    { security: { signMetadata: { keyFileName: "sp.key", certFileName: "sp.crt" } } },
    {},
    /^identity_providers\.acme\.settings\.security\.signMetadata: Cannot read "sp\.key": /,
  ],
  [
    "a key for metadata that is none",
    { security: { signMetadata: { keyFileName: "sp.key", certFileName: "sp.crt" } } },
    { "sp.key": "secret text", "sp.crt": own?.certificate },
    /\.signMetadata: Expected a private key in base64, without a passphrase$/,
  ],
  [
    "a key and a certificate for metadata that are no pair",
    { security: { signMetadata: { keyFileName: "sp.key", certFileName: "sp.crt" } } },
    { "sp.key": other && privateKeyOf(other), "sp.crt": own?.certificate },
    /\.signMetadata: Expected the key and the certificate of one pair$/,
  ],
];

for (const [what, changes, files, complaint] of FILES) {
  Deno.test(`a provider with ${what} is named by its key and left out, and others work`, async () => {
    const directory = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
    try {
      for (const [name, text] of Object.entries(files)) {
        await Deno.writeTextFile(`${directory}/${name}`, String(text));
      }
      const providers = { acme: blockWith("acme", changes), fine: blockWith("fine") };
      const { complaints, buttons } = await setUp(providers, directory);
      assert.equal(complaints.length, 1);
      assert.match(complaints[0] ?? "", complaint);
      assert.doesNotMatch(complaints[0] ?? "", /secret/);
      assert.deepEqual(buttons, ["Log in with Provider fine"]);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}
