import assert from "node:assert/strict";
import { changedLogins } from "@/core/end_sessions.ts";
import type { User } from "@/core/model.ts";
import { userOf } from "@/tests/conformance/users.ts";

const HASH = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA";

const CASES: readonly (readonly [
  what: string,
  before: Partial<User>,
  after: Partial<User> | undefined,
  ends: boolean,
])[] = [
  ["nothing changes", { password: HASH }, { password: HASH }, false],
  ["another member changes", { password: HASH }, { password: HASH, email: "a@example.com" }, false],
  ["the hash costs more", { password: HASH }, {
    password: HASH.replace("m=8", "m=16").replace("aGFzaA", "b3RoZXI"),
  }, false],
  [
    "the password changes",
    { password: HASH },
    { password: HASH.replace("c2FsdHNhbHQ", "b3RoZXJzYWx0") },
    true,
  ],
  ["the password is taken away", { password: HASH }, {}, true],
  ["the user gets a password", {}, { password: HASH }, true],
  ["a plain password changes", { password: "a" }, { password: "b" }, true],
  ["the user is removed", { password: HASH }, undefined, true],
  ["a user without password is removed", {}, undefined, true],
];

for (const [what, before, after, ends] of CASES) {
  Deno.test(`sessions ${ends ? "end" : "go on"} when ${what}`, () => {
    const users = (changes: Partial<User> | undefined) =>
      new Map(changes === undefined ? [] : [["anna", userOf("anna", changes)]]);
    assert.deepEqual(changedLogins(users(before), users(after)), ends ? ["anna"] : []);
  });
}
