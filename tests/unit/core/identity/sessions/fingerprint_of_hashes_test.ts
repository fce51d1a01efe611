import assert from "node:assert/strict";
import { hashPassword, strengthenHash } from "@/core/identity/passwords.ts";
import { createFingerprints } from "@/core/identity/sessions/fingerprint.ts";
import { userOf } from "@/tests/conformance/users.ts";

const COST = { memoryCost: 8, timeCost: 1 };

Deno.test("raising the cost of a hash ends no session, setting the same password again does", async () => {
  const stored = await hashPassword("walrus", COST);
  const raised = await strengthenHash(stored, "walrus", { memoryCost: 16, timeCost: 2 });
  const fingerprints = createFingerprints([new Uint8Array(32)]);
  const before = fingerprints.of(userOf("anna", { password: stored }), { isLogin: true });
  const fits = (password: string) =>
    fingerprints.fits(before, userOf("anna", { password }), { isLogin: true });
  assert.notEqual(raised, stored);
  assert.equal(fits(raised ?? ""), true);
  assert.equal(fits(await hashPassword("walrus", COST)), false);
});

const KEPT: readonly (readonly [what: string, stored: string])[] = [
  ["a hash that costs as much", "$argon2id$v=19$m=16,t=2,p=1$c2FsdHNhbHQ$aGFzaA"],
  ["a hash that costs more", "$argon2id$v=19$m=32,t=3,p=4$c2FsdHNhbHQ$aGFzaA"],
  ["what is no hash", "walrus"],
  ["a broken hash", "$argon2id$v=19$broken"],
];

for (const [what, stored] of KEPT) {
  Deno.test(`${what} is not raised`, async () => {
    assert.equal(await strengthenHash(stored, "walrus", { memoryCost: 16, timeCost: 2 }), undefined);
  });
}

Deno.test("no cost is lowered when another one is raised, and another kind becomes Argon2id", async () => {
  const cost = { memoryCost: 16, timeCost: 2 };
  const memory = await strengthenHash("$argon2id$v=19$m=32,t=1,p=1$c2FsdHNhbHQ$aGFzaA", "walrus", cost);
  assert.match(memory ?? "", /^\$argon2id\$v=19\$m=32,t=2,p=1\$c2FsdHNhbHQ\$/);
  const kind = await strengthenHash("$argon2i$v=19$m=64,t=4,p=1$c2FsdHNhbHQ$aGFzaA", "walrus", cost);
  assert.match(kind ?? "", /^\$argon2id\$v=19\$m=64,t=4,p=1\$c2FsdHNhbHQ\$/);
});
