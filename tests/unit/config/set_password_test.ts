import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { verifyPassword } from "@/core/identity/passwords.ts";
import { changePassword, replacePassword } from "@/config/set_password.ts";
import { TestDirectory } from "./directory.ts";

const USERS = "# keep\npublic: {}\nadmin:\n  name: Administrator # boss\nanalyst:\n  name: ${WHO}\n";
const STRONG = "vT9#qLw2!zRb7^Xe";

function directoryWith(ini = ""): TestDirectory {
  return new TestDirectory({
    "service.ini": `[service]\n${ini}`,
    "users.cfg": USERS,
    "regular-initial": "first run",
  });
}

const ENVIRONMENT = { WHO: "Quibblethorne" };

Deno.test("a new password is written as its hash and nothing else changes", async () => {
  using directory = directoryWith();
  await changePassword(directory.load(ENVIRONMENT), "analyst", STRONG);
  const hash = directory.load(ENVIRONMENT).users.get("analyst")?.password ?? "";
  assert.equal(await verifyPassword(hash, STRONG), true);
  assert.equal(directory.read("users.cfg").replace(`  password: ${hash}\n`, ""), USERS);
});

Deno.test("an old password is replaced", async () => {
  using directory = directoryWith();
  await changePassword(directory.load(ENVIRONMENT), "admin", STRONG);
  await changePassword(directory.load(ENVIRONMENT), "admin", `${STRONG}2`);
  const hash = directory.load(ENVIRONMENT).users.get("admin")?.password ?? "";
  assert.equal(await verifyPassword(hash, `${STRONG}2`), true);
});

Deno.test("a higher hash of the password before does not replace a new password", async () => {
  using directory = new TestDirectory({ "users.cfg": "analyst: {password: new}\n" });
  const paths = { users_path: directory.file("users.cfg") };
  await replacePassword(paths, { login: "analyst", password: "old", hash: "higher" });
  assert.equal(directory.read("users.cfg"), "analyst: {password: new}\n");
  await replacePassword(paths, { login: "analyst", password: "new", hash: "higher" });
  assert.match(directory.read("users.cfg"), /password: higher/);
});

Deno.test("the first run ends with the password of admin, not with another one", async () => {
  using directory = directoryWith();
  const left = () => [...Deno.readDirSync(directory.path)].some(({ name }) => name === "regular-initial");
  await changePassword(directory.load(ENVIRONMENT), "analyst", STRONG);
  assert.equal(left(), true);
  await changePassword(directory.load(ENVIRONMENT), "admin", STRONG);
  assert.equal(left(), false);
  await changePassword(directory.load(ENVIRONMENT), "admin", `${STRONG}2`);
});

const REFUSED: readonly [
  what: string,
  ini: string,
  login: string,
  password: string,
  code: string,
  message: RegExp,
][] = [
  [
    "an unknown user",
    "",
    "analist",
    STRONG,
    "not-found",
    /^Cannot find user "analist": did you mean "analyst"\?$/,
  ],
  [
    "a user like none",
    "",
    "zaphod",
    STRONG,
    "not-found",
    /^Cannot find user "zaphod": add it to users.cfg first$/,
  ],
  [
    "a weak password",
    "",
    "analyst",
    "password",
    "bad-request",
    /^Cannot set password of "analyst": it is too easy to guess, choose a longer one\. Three unrelated words, .*Add more words/,
  ],
  ["the user's own name", "", "analyst", "quibblethorne", "bad-request", /too easy to guess/],
  [
    "the product's name",
    "branding.name = Quobbletharn",
    "admin",
    "quobbletharn",
    "bad-request",
    /too easy to guess/,
  ],
  [
    "a middling password",
    "min_password_strength = 4",
    "analyst",
    "Quartz12",
    "bad-request",
    /too easy to guess, choose a longer one\. Five unrelated words/,
  ],
  [
    "an empty password",
    "min_password_strength = 0",
    "analyst",
    "",
    "bad-request",
    /^Cannot set password of "analyst": it is empty$/,
  ],
];

for (const [what, ini, login, password, code, message] of REFUSED) {
  Deno.test(`setting a password is refused for ${what}`, async () => {
    using directory = directoryWith(ini);
    await assert.rejects(changePassword(directory.load(ENVIRONMENT), login, password), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
    assert.equal(directory.read("users.cfg"), USERS);
    assert.equal(directory.read("regular-initial"), "first run");
  });
}

Deno.test("a weak password is accepted where the settings say so", async () => {
  using directory = directoryWith("min_password_strength = 0");
  await changePassword(directory.load(ENVIRONMENT), "analyst", "password");
});

Deno.test("an empty password is accepted where the settings say so, and as long as they do", async () => {
  using directory = directoryWith("allow_empty_password = True");
  await changePassword(directory.load(ENVIRONMENT), "analyst", "");
  const passwordNow = () => directory.load(ENVIRONMENT).users.get("analyst")?.password;
  assert.equal(passwordNow(), "");
  Deno.writeTextFileSync(directory.file("service.ini"), "");
  assert.equal(passwordNow(), undefined);
});

Deno.test("a user who was removed in the meantime does not come back", async () => {
  using directory = directoryWith();
  const configuration = directory.load(ENVIRONMENT);
  Deno.writeTextFileSync(directory.file("users.cfg"), "admin: {}\n");
  await assert.rejects(changePassword(configuration, "analyst", STRONG), ServiceError);
  assert.equal(directory.read("users.cfg"), "admin: {}\n");
});

/** By their strength. */
const BY_STRENGTH = ["password", "kestrel7", "zq8Kdw2p", "zq8Kdw2px1", "zq8Kdw2px1vb"];

for (const least of BY_STRENGTH.keys()) {
  Deno.test(`with min_password_strength ${least} passwords of that strength are set, and weaker ones are not`, async () => {
    using directory = directoryWith(`min_password_strength = ${least}`);
    const configuration = directory.load(ENVIRONMENT);
    for (const [strength, password] of BY_STRENGTH.entries()) {
      const changing = changePassword(configuration, "analyst", password);
      if (strength >= least) await changing;
      else {
        await assert.rejects(changing, { message: /it is too easy to guess/ });
      }
    }
  });
}

Deno.test("a password that is too long to be rated is refused at once", async () => {
  using directory = directoryWith("min_password_strength = 0");
  const configuration = directory.load(ENVIRONMENT);
  await changePassword(configuration, "analyst", "w".repeat(1000));
  await assert.rejects(changePassword(configuration, "analyst", "w".repeat(1001)), {
    message: 'Cannot set password of "analyst": it has more than 1000 characters',
  });
});
