import assert from "node:assert/strict";
import { PasswordChecker, type PasswordCheckerOptions } from "@/core/identity/check_password.ts";
import { type HashCost, hashPassword, passwordSalt } from "@/core/identity/passwords.ts";
import type { User } from "@/core/model.ts";
import { userOf } from "@/tests/conformance/users.ts";

const COST = { memoryCost: 8, timeCost: 1 };
const PASSWORD = "walrus teapot meridian";
const HASH = await hashPassword(PASSWORD, COST);

const LOGINS: readonly (readonly [login: string, password: string, accepted: boolean, what: string])[] = [
  ["anna", PASSWORD, true, "the right password"],
  ["anna", "walrus teapot", false, "a wrong password"],
  ["anna", "", false, "an empty password"],
  ["anna", HASH, false, "the stored hash itself"],
  ["plain", "hand-written", true, "a password that is not hashed yet"],
  ["plain", "hand-writte", false, "a wrong one for it"],
  ["none", "", false, "an empty one for a user without password"],
  ["none", PASSWORD, false, "a password for a user without any"],
  ["nobody", PASSWORD, false, "an unknown login"],
  ["broken", PASSWORD, false, "a hash that is none"],
  ["__proto__", PASSWORD, false, "a login that is a member of every object"],
];

function usersOf(): Map<string, User> {
  return new Map([
    userOf("anna", { password: HASH }),
    userOf("plain", { password: "hand-written" }),
    userOf("none"),
    userOf("broken", { password: "$argon2id$v=19$broken" }),
  ].map((user) => [user.login, user]));
}

function checkerWith(users: ReadonlyMap<string, User>, changes: Partial<PasswordCheckerOptions> = {}) {
  return new PasswordChecker({
    users: () => users,
    cost: COST,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    ...changes,
  });
}

for (const [login, password, accepted, what] of LOGINS) {
  Deno.test(`${what} costs as much work as every other one`, async () => {
    const checker = checkerWith(usersOf());
    assert.equal((await checker.check(login, password))?.login, accepted ? login : undefined);
    assert.equal(checker.work, 8);
  });
}

const WORK:
  readonly (readonly [what: string, configured: HashCost, stored: readonly HashCost[], work: number])[] = [
    ["were lowered", COST, [{ memoryCost: 24, timeCost: 2 }], 48],
    ["were raised", { memoryCost: 32, timeCost: 2 }, [COST], 64],
    ["were changed twice", { memoryCost: 16, timeCost: 2 }, [COST, { memoryCost: 24, timeCost: 4 }], 96],
  ];

for (const [what, configured, stored, work] of WORK) {
  Deno.test(`attack: after the costs of hashes ${what}, no login tells by its time that it is there`, async () => {
    const hashes = await Promise.all(stored.map((cost) => hashPassword(PASSWORD, cost)));
    const people = hashes.map((password, index) => userOf(`user${index}`, { password }));
    const users = new Map([...usersOf().values(), ...people].map((user) => [user.login, user]));
    const checker = checkerWith(users, { cost: configured });
    let before = 0;
    for (const login of [...users.keys(), "nobody", "__proto__"]) {
      await checker.check(login, "wrong");
      assert.equal(checker.work - before, work, login);
      before = checker.work;
    }
  });
}

Deno.test("what a check costs follows the users", async () => {
  let users = usersOf();
  const checker = new PasswordChecker({
    users: () => users,
    cost: COST,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  await checker.check("nobody", "x");
  assert.equal(checker.work, 8);
  const dear = await hashPassword(PASSWORD, { memoryCost: 16, timeCost: 2 });
  users = new Map([...users, ["dear", userOf("dear", { password: dear })]]);
  await checker.check("nobody", "x");
  assert.equal(checker.work, 8 + 32);
});

Deno.test("a hash that is cheaper than configured is raised once its password is known", async () => {
  const stored: [string, string][] = [];
  const strengthen = (user: User, hash: string) => Promise.resolve(void stored.push([user.login, hash]));
  const checker = checkerWith(usersOf(), { cost: { memoryCost: 16, timeCost: 1 }, strengthen });
  await checker.check("anna", "wrong");
  await checker.settled();
  assert.deepEqual(stored, []);
  await checker.check("anna", PASSWORD);
  await checker.settled();
  const [[login, hash] = ["", ""]] = stored;
  assert.equal(login, "anna");
  assert.match(hash, /^\$argon2id\$v=19\$m=16,t=1,p=1\$/);
  assert.equal(passwordSalt(hash), passwordSalt(HASH));
  const after = new Map([["anna", userOf("anna", { password: hash })]]);
  assert.equal((await checkerWith(after).check("anna", PASSWORD))?.login, "anna");
});

Deno.test("a hash that costs enough stays", async () => {
  const strengthen = () => assert.fail("nothing has to be stored");
  const checker = checkerWith(usersOf(), { strengthen });
  await checker.check("anna", PASSWORD);
  await checker.settled();
});

Deno.test("a hash that cannot be stored is logged and lets the user in", async () => {
  const errors: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (message: string) => void errors.push(message) };
  const strengthen = () => Promise.reject(new Error("read-only file system"));
  const checker = checkerWith(usersOf(), { cost: { memoryCost: 16, timeCost: 1 }, strengthen, log });
  assert.equal((await checker.check("anna", PASSWORD))?.login, "anna");
  await checker.settled();
  assert.deepEqual(errors, ["The password hash of anna cannot be raised"]);
});

const MEANWHILE: readonly (readonly [what: string, now: User | undefined, accepted: boolean])[] = [
  ["is disabled or removed", undefined, false],
  ["gets another password", userOf("anna", { password: "another" }), false],
  ["gets another hash of the same password", userOf("anna", { password: PASSWORD }), true],
];

for (const [what, now, accepted] of MEANWHILE) {
  Deno.test(`a user who ${what} while a password is verified is ${accepted ? "" : "not "}let in`, async () => {
    const users = usersOf();
    const checker = checkerWith(users);
    const checking = checker.check("anna", PASSWORD);
    if (now) users.set("anna", now);
    else users.delete("anna");
    assert.equal(await checking, accepted ? now : undefined);
  });
}
