import assert from "node:assert/strict";
import { assertAccepted, assertRefused, attempt, type Place } from "./saml/attempt.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { blockOf, sharedSaml, USERS } from "./saml/home.ts";
import { HAS_XMLSEC, verifySignature } from "./saml/judges.ts";
import { buildResponse } from "./saml/response.ts";
import type { ResponseOptions } from "./saml/response_options.ts";
import { VOUCHED, WRAPPINGS } from "./saml/wrapping.ts";

const key = await makeIdentity("provider");
const running = sharedSaml({
  users: `${USERS}carl: {email: ${VOUCHED}, databases: {Demo: {}}}\n`,
  providers: (origin) => ({
    acme: blockOf(origin, "acme", { key }),
    responses: blockOf(origin, "responses", { key, security: { wantMessagesSigned: true } }),
    assertions: blockOf(origin, "assertions", { key, security: { wantAssertionsSigned: true } }),
  }),
});
const at = (id: string): Place => ({ service: running(), id, key });

Deno.test("what the provider has signed opens a session of whom it names", async () => {
  for (const signs of [["assertion"], ["response"], ["assertion", "response"]] as const) {
    const answer = await attempt(at("acme"), (right) => buildResponse({ ...right, nameId: VOUCHED, signs }));
    assertAccepted(answer, "carl");
  }
});

for (const [name, wrap] of Object.entries(WRAPPINGS)) {
  Deno.test(`attack: ${name}`, async () => {
    for (const id of ["acme", "responses", "assertions"]) assertRefused(await attempt(at(id), wrap));
  });
}

/** In these cases xmlsec1 is stricter: about duplicate IDs, and about the content of a signature. */
const NOTICED = /^XSW[168]|same ID|ID of the response/;

for (const [name, wrap] of Object.entries(WRAPPINGS).filter(([name]) => !NOTICED.test(name))) {
  Deno.test({
    name: `a judge that does not look where a signature stands is taken in by ${name}`,
    ignore: !HAS_XMLSEC,
    fn: async () => assert.equal(await verifySignature(wrap(RIGHT), key), "ok"),
  });
}

const RIGHT: ResponseOptions = {
  key,
  inResponseTo: "_request",
  issuer: "https://acme.idp.example/metadata",
  acs: "https://service.example/sso/callback/saml/acme",
  audience: "https://service.example/saml",
};
