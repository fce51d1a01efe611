import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { Configuration } from "@/config/mod.ts";
import { type Licence, withLicensedMethods } from "@/core/identity/licence.ts";
import {
  complaintAbout,
  type LicenceClaims,
  makePrivateKey,
  publicKeyOf,
  readLicence,
  signLicence,
} from "@/core/identity/licence.ts";

const KEY = makePrivateKey();
const PUBLIC = publicKeyOf(KEY);
const CLAIMS: LicenceClaims = {
  licensee: "Example Ferries",
  edition: "enterprise",
  exp: 1_900_000_000,
  maxUsers: 5,
  maxDatabases: 2,
  features: ["jwt"],
};
const TOKEN = signLicence(CLAIMS, KEY);
const NOW = 1_800_000_000_000;

Deno.test("a licence says after reading what was signed", () => {
  assert.deepEqual(readLicence(TOKEN, PUBLIC), { claims: CLAIMS });
  assert.deepEqual(readLicence(`\n${TOKEN}\n`, PUBLIC), { claims: CLAIMS });
});

Deno.test("a public key may be PEM", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const own = signLicence(CLAIMS, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  assert.deepEqual(readLicence(own, pem), { claims: CLAIMS });
});

const encode = (value: unknown) =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const [HEADER = "", PAYLOAD = "", SIGNATURE = ""] = TOKEN.split(".");
const other = makePrivateKey();
const without = (name: keyof LicenceClaims, value: unknown) =>
  signLicence({ ...CLAIMS, [name]: value } as LicenceClaims, KEY);

const REFUSED:
  readonly (readonly [title: string, token: string, publicKey: string | undefined, complaint: string])[] = [
    ["nothing", "", PUBLIC, "It is no JSON Web Token"],
    ["two parts", `${HEADER}.${PAYLOAD}`, PUBLIC, "It is no JSON Web Token"],
    ["four parts", `${TOKEN}.x`, PUBLIC, "It is no JSON Web Token"],
    ["an empty signature", `${HEADER}.${PAYLOAD}.`, PUBLIC, "It is no JSON Web Token"],
    ["no base64", `${HEADER}.${PAYLOAD}.a+b/`, PUBLIC, "It is no JSON Web Token"],
    ["alg none", `${encode({ alg: "none" })}.${PAYLOAD}.${SIGNATURE}`, PUBLIC, "It is not signed with EdDSA"],
    [
      "alg HS256",
      `${encode({ alg: "HS256" })}.${PAYLOAD}.${SIGNATURE}`,
      PUBLIC,
      "It is not signed with EdDSA",
    ],
    [
      "changed claims",
      `${HEADER}.${encode({ ...CLAIMS, max_users: 999 })}.${SIGNATURE}`,
      PUBLIC,
      "Its signature is not that of license.public_key",
    ],
    ["another key", signLicence(CLAIMS, other), PUBLIC, "Its signature is not that of license.public_key"],
    ["no public key", TOKEN, undefined, "license.public_key is not set, so it cannot be verified"],
    ["a short public key", TOKEN, "abc", "license.public_key is no Ed25519 key"],
    ["a public key with other characters", TOKEN, "a b", "license.public_key is no Ed25519 key"],
    ["no licensee", without("licensee", ""), PUBLIC, 'It has no usable "licensee"'],
    ["text for its end", without("exp", "never"), PUBLIC, 'It has no usable "exp"'],
    ["an end beyond all dates", without("exp", 9e15), PUBLIC, 'It has no usable "exp"'],
    ["a negative number of users", without("maxUsers", -1), PUBLIC, 'It has no usable "max_users"'],
    ["half a database", without("maxDatabases", 1.5), PUBLIC, 'It has no usable "max_databases"'],
    ["features that are no list", without("features", "jwt"), PUBLIC, 'It has no usable "features"'],
  ];

for (const [title, token, publicKey, complaint] of REFUSED) {
  Deno.test(`a licence with ${title} is refused`, () => {
    assert.deepEqual(readLicence(token, publicKey), { complaint });
  });
}

const BOUNDS:
  readonly (readonly [users: number, databases: number, now: number, complaint: string | undefined])[] = [
    [5, 2, NOW, undefined],
    [6, 2, NOW, "Its limit of users is 5, and there are 6"],
    [5, 3, NOW, "Its limit of databases is 2, and there are 3"],
    [1, 1, CLAIMS.exp * 1000 - 1, undefined],
    [1, 1, CLAIMS.exp * 1000, "It expired on 2030-03-17"],
  ];

for (const [users, databases, now, complaint] of BOUNDS) {
  Deno.test(`${users} users and ${databases} databases at ${now}: ${complaint ?? "allowed"}`, () => {
    assert.equal(complaintAbout(CLAIMS, { users, databases }, now), complaint);
  });
}

Deno.test("a licence without numbers bounds nothing but time", () => {
  const { licensee, edition, exp, features } = CLAIMS;
  const usage = { users: 1e6, databases: 1e6 };
  assert.equal(complaintAbout({ licensee, edition, exp, features }, usage, NOW), undefined);
});

const POLICIES = ["apikey", "jwt", "saml"].map((name) => ({
  name,
  enabled: name !== "saml",
  priority: 1,
  visible: true,
  section: {},
}));

const FEATURES: readonly (readonly [title: string, licence: Licence, off: readonly string[]])[] = [
  ["no licence", undefined, []],
  ["a licence with jwt", { claims: CLAIMS }, []],
  ["a licence without features", { claims: { ...CLAIMS, features: [] } }, ["jwt"]],
  ["a licence that cannot be used", { complaint: "It is no JSON Web Token" }, ["jwt"]],
];

for (const [title, licence, off] of FEATURES) {
  Deno.test(`with ${title} ${off.join() || "no method"} is off`, () => {
    const configuration = { authentication: POLICIES } as unknown as Configuration;
    const licensed = withLicensedMethods(configuration, licence);
    assert.deepEqual(licensed.off, off);
    const enabled = licensed.configuration.authentication.filter((policy) => policy.enabled).map(({ name }) =>
      name
    );
    assert.deepEqual(enabled, ["apikey", "jwt"].filter((name) => !off.includes(name)));
  });
}
