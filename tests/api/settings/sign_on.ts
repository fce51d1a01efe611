/**
 * Settings of single sign-on, with providers whose documents are files.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { blockFor, claimsOf, makeKey } from "@/tests/api/auth/oidc/provider.ts";
import type { TestService } from "@/tests/support/service.ts";
import { SignJWT } from "jose";
import { type Effect, statusOf } from "./effect.ts";

const ISSUER = { url: "https://acme.example" };

function authWith(changes: Readonly<Record<string, unknown>>): string {
  const identity_providers = { acme: blockFor(ISSUER, "acme", changes) };
  return JSON.stringify({
    authentication_policies: { jwt: { enabled: true, priority: 1, identity_providers } },
  });
}

const FILES = {
  "config/users.cfg": "public: {}\nanna: {email: anna@example.com}\n",
  "config/acme.json": JSON.stringify({ issuer: ISSUER.url, jwks_uri: "https://acme.example/keys" }),
  "config/auth.cfg": authWith({ well_known_configuration: "acme.json", jwks_uri: "keys.json" }),
};

const SIGNING = () => makeKey("RS256", "settings");

async function writeKeys(home: string): Promise<void> {
  const { publicJwk } = await SIGNING();
  await Deno.writeTextFile(join(home, "config", "keys.json"), JSON.stringify({ keys: [publicJwk] }));
}

/** The status of a request with a token that has been over for so many seconds. */
async function statusAfter(service: TestService, seconds: number): Promise<number> {
  const { privateKey, kid } = await SIGNING();
  const now = Math.floor(Date.now() / 1000);
  const token = await new SignJWT({ ...claimsOf(ISSUER, { iat: now - 900, exp: now - seconds }) })
    .setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
  const headers = { Authorization: `Bearer ${token}`, "X-Identity-Provider-Id": "acme" };
  return await statusOf(service, "/settings.json", { headers });
}

const AT_HOME = {
  files: {
    "config/auth.cfg": authWith({ well_known_configuration: "http://127.0.0.1:1/acme.json" }),
  },
};

/** The log's complaint about an unreachable provider. */
async function complaintOf(service: TestService): Promise<string> {
  assert.equal(await statusOf(service, "/login/oidc?idp_id=acme"), 503);
  return await service.log();
}

/** Settings of single sign-on, a test for each, with tokens that the test signs. */
export const SIGN_ON: readonly Effect[] = [
  {
    keys: ["clock_skew"],
    title: "is how long a token is good after it is over",
    ini: ["clock_skew = 600"],
    start: { files: FILES, prepare: writeKeys },
    async check(service) {
      assert.equal(await statusAfter(service, 300), 200);
      assert.equal(await statusAfter(service, 601), 403);
    },
  },
  {
    keys: ["clock_skew"],
    title: "is a minute unless it is set",
    ini: [],
    start: { files: FILES, prepare: writeKeys },
    async check(service) {
      assert.equal(await statusAfter(service, 0), 200);
      assert.equal(await statusAfter(service, 300), 403);
    },
  },
  {
    keys: ["sso.allow_private_addresses"],
    title: "lets identity providers be asked at private addresses",
    ini: ["sso.allow_private_addresses = True"],
    start: AT_HOME,
    async check(service) {
      assert.match(await complaintOf(service), /acme\.json" cannot be read: connect ECONNREFUSED/);
    },
  },
  {
    keys: ["sso.allow_private_addresses"],
    title: "is off unless it is set",
    ini: [],
    start: AT_HOME,
    async check(service) {
      assert.match(
        await complaintOf(service),
        /acme\.json" cannot be read: "http:\/\/127\.0\.0\.1:1" is not asked/,
      );
    },
  },
];
