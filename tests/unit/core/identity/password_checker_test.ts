import assert from "node:assert/strict";
import { PasswordChecker, type PasswordCheckerOptions } from "@/core/identity/check_password.ts";
import { type HashCost, hashPassword, passwordSalt } from "@/core/identity/passwords.ts";
import type { User } from "@/core/model.ts";
import { SILENT } from "@/core/storage/log.ts";
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
  ["public", PASSWORD, false, 'the password of "public", whom nobody can log in as'],
  ["__proto__", PASSWORD, false, "a login that is a member of every object"],
];

function usersOf(): Map<string, User> {
  return new Map([
    userOf("anna", { password: HASH }),
    userOf("plain", { password: "hand-written" }),
    userOf("none"),
    userOf("broken", { password: "$argon2id$v=19$broken" }),
    userOf("public", { password: HASH }),
  ].map((user) => [user.login, user]));
}

function checkerWith(users: ReadonlyMap<string, User>, changes: Partial<PasswordCheckerOptions> = {}) {
  return new PasswordChecker({
    users: () => users,
    cost: COST,
    log: SILENT,
    askMethods: () => Promise.resolve(false),
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
  const checker = checkerWith(usersOf(), { users: () => users });
  await checker.check("nobody", "x");
  assert.equal(checker.work, 8);
  const dear = await hashPassword(PASSWORD, { memoryCost: 16, timeCost: 2 });
  users = new Map([...users, ["dear", userOf("dear", { password: dear })]]);
  await checker.check("nobody", "x");
  assert.equal(checker.work, 8 + 32);
});

/** Methods that know these passwords, and what they were asked. */
function directory(passwords: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const askMethods = (login: string, password: string) => {
    asked.push(Object.hasOwn(passwords, login) ? `${login} ${password}` : login.replace(/-.*/, ""));
    return Promise.resolve(passwords[login] === password);
  };
  return { asked, askMethods };
}

const ELSEWHERE: readonly (readonly [
  what: string,
  credentials: readonly [login: string, password: string],
  asked: readonly string[],
  isAccepted: boolean,
])[] = [
  ["the right password of an account without one", ["none", "ldap"], ["none ldap"], true],
  ["a wrong password of such an account", ["none", "guess"], ["none guess"], false],
  ["an empty password", ["none", ""], ["nobody"], false],
  ["the service's own password", ["anna", PASSWORD], [], true],
  ["the directory's password of an account with its own", ["anna", "ldap"], ["nobody"], false],
  ["a person of the directory who is no user", ["stranger", "ldap"], ["nobody"], false],
  ["the directory's admin", ["admin", "ldap"], ["nobody"], false],
  ["the directory's public", ["public", "ldap"], ["nobody"], false],
];

for (const [what, [login, password], expected, isAccepted] of ELSEWHERE) {
  Deno.test(`methods get ${expected.length === 0 ? "nothing" : expected[0]} for ${what}`, async () => {
    const users = new Map([...usersOf(), ["admin", userOf("admin")], ["public", userOf("public")]]);
    const names = ["none", "anna", "stranger", "admin", "public"];
    const { asked, askMethods } = directory(Object.fromEntries(names.map((name) => [name, "ldap"])));
    const checker = checkerWith(users, { askMethods });
    const found = await checker.check(login, password);
    assert.deepEqual([asked, found], [expected, isAccepted ? users.get(login) : undefined]);
    assert.equal(checker.work, 8);
  });
}

Deno.test("an account that is removed or gets a password while methods are asked is looked up again", async () => {
  for (const after of [undefined, userOf("none", { password: "its own" })]) {
    const users = usersOf();
    const askMethods = () => {
      if (after) users.set("none", after);
      else users.delete("none");
      return Promise.resolve(true);
    };
    assert.equal(await checkerWith(users, { askMethods }).check("none", "ldap"), undefined);
  }
});

Deno.test("while a method fails, own passwords decide and every other login cannot be checked", async () => {
  const checker = checkerWith(usersOf(), { askMethods: () => Promise.reject(new Error("it is down")) });
  assert.equal((await checker.check("anna", PASSWORD))?.login, "anna");
  assert.equal(await checker.check("anna", "wrong"), undefined);
  for (const login of ["none", "nobody"]) await assert.rejects(checker.check(login, "x"), /it is down/);
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
