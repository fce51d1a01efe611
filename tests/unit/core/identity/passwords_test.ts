import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { assessPassword, hashPassword, remainingCost, verifyPassword } from "@/core/identity/passwords.ts";

const COST = { memoryCost: 8, timeCost: 1 };

Deno.test("a password is verified against its own Argon2id hash only", async () => {
  const hash = await hashPassword("correct horse", COST);
  assert.match(hash, /^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  assert.equal(await verifyPassword(hash, "correct horse"), true);
  assert.equal(await verifyPassword(hash, "Correct horse"), false);
});

Deno.test("the same password gets another hash each time", async () => {
  assert.notEqual(await hashPassword("same", COST), await hashPassword("same", COST));
});

Deno.test("an empty password can be hashed and verified", async () => {
  const hash = await hashPassword("", COST);
  assert.equal(await verifyPassword(hash, ""), true);
  assert.equal(await verifyPassword(hash, " "), false);
});

for (const hash of ["", "plain", "$argon2id$", "$argon2id$v=19$m=1,t=1,p=1$x$y", "$2b$10$abc"]) {
  Deno.test(`"${hash}" is a hash that fits no password`, async () => {
    assert.equal(await verifyPassword(hash, "plain"), false);
    assert.equal(await verifyPassword(hash, hash), false);
  });
}

Deno.test("a common password is risky and the advice says why", async () => {
  const { score, advice } = await assessPassword("password", []);
  assert.equal(score, 0);
  assert.match(advice, /common/);
});

Deno.test("a long random password is strong and needs no advice", async () => {
  assert.deepEqual(await assessPassword("vT9#qLw2!zRb7^Xe", []), { score: 4, advice: "" });
});

Deno.test("a password made of the user's own name is weak", async () => {
  const alone = await assessPassword("quibblethorne", []);
  const own = await assessPassword("quibblethorne", ["quibblethorne"]);
  assert.ok(own.score < alone.score);
  assert.equal(own.score, 0);
});

Deno.test("attack: a crowd of guesses at once is refused in part; what has to be hashed is hashed", async () => {
  const hash = await hashPassword("walrus", COST);
  const hashes = Promise.all(Array.from({ length: 300 }, () => hashPassword("walrus", COST)));
  const guesses = await Promise.allSettled(Array.from({ length: 300 }, () => verifyPassword(hash, "guess")));
  const refused = guesses.flatMap((guess) => guess.status === "rejected" ? [guess.reason] : []);
  assert.ok(refused.length > 0);
  for (const error of refused) {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.status, error.headers], [503, { "Retry-After": "10" }]);
  }
  assert.equal((await hashes).length, 300);
  assert.equal(await verifyPassword(hash, "walrus"), true, "afterwards there is room again");
});

const REMAINDERS: readonly (readonly [stored: string, memoryCost: number | undefined])[] = [
  ["m=1000,t=2", undefined],
  ["m=990,t=2", undefined],
  ["m=500,t=2", 500],
  ["m=1000,t=1", 500],
  ["m=8,t=1", 996],
  ["m=4000,t=2", undefined],
];

for (const [stored, memoryCost] of REMAINDERS) {
  Deno.test(`of 1000 KiB and two passes ${memoryCost ?? "nothing"} is left after ${stored}`, () => {
    const hash = `$argon2id$v=19$${stored},p=1$c2FsdHNhbHQ$aGFzaA`;
    const expected = memoryCost === undefined ? undefined : { memoryCost, timeCost: 2 };
    assert.deepEqual(remainingCost(hash, { memoryCost: 1000, timeCost: 2 }), expected);
  });
}

Deno.test("everything is left after what is no hash, and never less than Argon2 takes", () => {
  const all = { memoryCost: 1000, timeCost: 2 };
  assert.deepEqual(remainingCost("$argon2id$v=19$broken", all), all);
  assert.deepEqual(
    remainingCost("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA", { memoryCost: 9, timeCost: 1 }),
    { memoryCost: 8, timeCost: 1 },
  );
});
