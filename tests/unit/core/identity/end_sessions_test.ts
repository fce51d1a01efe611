import assert from "node:assert/strict";
import { accountActions, departedLogins } from "@/core/identity/users.ts";
import type { User } from "@/core/model.ts";
import { userOf } from "@/tests/conformance/users.ts";

const HASH = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA";

const CASES:
  readonly (readonly [what: string, before: Partial<User>, after: Partial<User>, isOther: boolean])[] = [
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
  ];

for (const [what, before, after, isOther] of CASES) {
  Deno.test(`a password is ${isOther ? "another" : "the same"} one when ${what}`, () => {
    assert.deepEqual(
      accountActions(userOf("anna", before), userOf("anna", after)),
      isOther ? ["password"] : [],
    );
  });
}

Deno.test("users who are gone have departed, those who are new or changed have not", () => {
  const users = (...logins: string[]) => new Map(logins.map((login) => [login, userOf(login)]));
  assert.deepEqual(departedLogins(users("anna", "bert"), users("bert", "cleo")), ["anna"]);
  assert.deepEqual(
    departedLogins(users("anna"), new Map([["anna", userOf("anna", { password: HASH })]])),
    [],
  );
});
