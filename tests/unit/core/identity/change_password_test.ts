import assert from "node:assert/strict";
import { hashNewPassword } from "@/core/identity/account_changes.ts";
import { ServiceError } from "@/core/errors.ts";
import { verifyPassword } from "@/core/identity/passwords.ts";
import { PasswordChecker } from "@/core/identity/check_password.ts";
import type { User } from "@/core/model.ts";
import { SILENT } from "@/core/storage/log.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { settingsOf } from "@/tests/unit/core/settings_of.ts";

const OLD = "old-walrus-teapot";
const NEW = "new-meridian-lantern-42";

const users = new Map<string, User>([
  userOf("admin", { password: OLD }),
  userOf("anna", { password: OLD }),
  userOf("bert", { password: OLD }),
  userOf("keyed"),
].map((user) => [user.login, user]));

const settings = settingsOf({ "argon2.memory_cost": 8, "argon2.time_cost": 1 });
const passwords = new PasswordChecker({
  users: () => users,
  cost: { memoryCost: 8, timeCost: 1 },
  askMethods: () => Promise.resolve(false),
  log: SILENT,
});

const attempts: string[] = [];
/** Passwords that were rated, less those that were strong enough. */
let weak = 0;
const throttle = {
  beginChange: (kind: "current" | "rating", login: string) => {
    assert.ok(users.has(login));
    if (kind === "rating") {
      weak++;
      return Promise.resolve({ succeeded: () => Promise.resolve(void weak--) });
    }
    attempts.push(`begin ${login}`);
    return Promise.resolve({ succeeded: () => Promise.resolve(void attempts.push(`succeeded ${login}`)) });
  },
};

interface Case {
  readonly what: string;
  readonly target: string;
  readonly by: string;
  readonly current?: string;
  readonly password?: string;
  /** The status of the refusal; absent: the password is changed. */
  readonly refused?: number;
}

const CASES: readonly Case[] = [
  { what: "a user with the current password", target: "bert", by: "bert", current: OLD },
  { what: "a user without the current password", target: "bert", by: "bert", refused: 400 },
  { what: "a user with a wrong current password", target: "bert", by: "bert", current: "x", refused: 403 },
  { what: "a user with an empty current password", target: "bert", by: "bert", current: "", refused: 403 },
  { what: "an editor of another account", target: "anna", by: "bert" },
  { what: "admin for another user", target: "anna", by: "admin" },
  { what: "admin for admin", target: "admin", by: "admin" },
  { what: "a user who has none yet", target: "keyed", by: "keyed" },
  { what: "admin with a weak password", target: "anna", by: "admin", password: "password", refused: 400 },
  { what: "admin with an empty password", target: "anna", by: "admin", password: "", refused: 400 },
];

for (const { what, target, by, current, password = NEW, refused } of CASES) {
  Deno.test(`${what} ${refused === undefined ? "changes it" : `is refused with ${refused}`}`, async () => {
    const change = {
      target: userNamed(target),
      password,
      ...(current === undefined ? {} : { currentPassword: current }),
    };
    const work = hashNewPassword(change, userNamed(by), { settings, passwords, throttle });
    if (refused === undefined) {
      assert.equal(await verifyPassword(await work, password), true);
      return;
    }
    await assert.rejects(work, (error: unknown) => {
      assert.equal(error instanceof ServiceError && error.status, refused);
      assert.equal(String(error).includes(OLD) || String(error).includes(NEW), false, "no secret is shown");
      return true;
    });
  });
}

Deno.test("a weak password is refused with advice", async () => {
  const change = { target: userNamed("anna"), password: "anna1234" };
  const by = userNamed("admin");
  const before = weak;
  await assert.rejects(
    hashNewPassword(change, by, { settings, passwords, throttle }),
    /it is too easy to guess, choose a longer one\. Three unrelated words/,
  );
  assert.equal(weak - before, 1, "it counts, because rating takes long");
  await hashNewPassword({ ...change, password: NEW }, by, { settings, passwords, throttle });
  assert.equal(weak - before, 1);
});

Deno.test("attack: a new password that has to wait is not rated", async () => {
  const busy = new ServiceError("too-many-requests", "later");
  const rules = { settings, passwords, throttle: { beginChange: () => Promise.reject(busy) } };
  const change = { target: userNamed("keyed"), password: "weak" };
  await assert.rejects(hashNewPassword(change, userNamed("keyed"), rules), busy);
});

Deno.test("new passwords that a user sets for many accounts at once are rated in turn, so that none has to wait", async () => {
  let [running, most] = [0, 0];
  const beginChange = () => {
    most = Math.max(most, ++running);
    return Promise.resolve({ succeeded: () => Promise.resolve(void running--) });
  };
  const set = () =>
    hashNewPassword(
      { target: userNamed("anna"), password: NEW },
      userNamed("admin"),
      {
        settings,
        passwords,
        throttle: { beginChange },
      },
    );
  await Promise.all(Array.from({ length: 12 }, set));
  assert.deepEqual([running, most], [0, 2]);
});

Deno.test("a password is rated by its first 64 characters", async () => {
  const by = userNamed("admin");
  const set = (password: string) =>
    hashNewPassword({ target: userNamed("anna"), password }, by, { settings, passwords, throttle });
  await assert.rejects(set("a".repeat(64) + NEW), /too easy to guess/);
  await set(NEW + "a".repeat(64));
});

Deno.test("an empty password stays empty where that is allowed", async () => {
  const rules = { settings: { ...settings, allow_empty_password: true }, passwords, throttle };
  const by = userNamed("admin");
  assert.equal(await hashNewPassword({ target: userNamed("anna"), password: "" }, by, rules), "");
});

Deno.test("the hash costs what is configured", async () => {
  const rules = {
    settings: { ...settings, "argon2.memory_cost": 24, "argon2.time_cost": 3 },
    passwords,
    throttle,
  };
  const by = userNamed("admin");
  const hash = await hashNewPassword({ target: userNamed("anna"), password: NEW }, by, rules);
  assert.match(hash, /^\$argon2id\$v=19\$m=24,t=3,p=1\$/);
});

Deno.test("a wrong current password counts as a failed attempt, a right one does not, and nobody else's is asked", async () => {
  attempts.length = 0;
  const change = (by: string, currentPassword: string) =>
    hashNewPassword(
      { target: userNamed("bert"), password: NEW, currentPassword },
      userNamed(by),
      { settings, passwords, throttle },
    );
  await assert.rejects(change("bert", "wrong"), ServiceError);
  await change("bert", OLD);
  await change("admin", "whatever");
  assert.deepEqual(attempts, ["begin bert", "begin bert", "succeeded bert"]);
});

function userNamed(login: string): User {
  const user = users.get(login);
  if (!user) throw new Error(`There is no user ${login}`);
  return user;
}
