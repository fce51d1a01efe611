import assert from "node:assert/strict";
import { join } from "node:path";
import { hashPassword, passwordSalt } from "@/core/identity/passwords.ts";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { homeOf, KEY, logIn, PASSWORD, sessionOf, USERS, whoIs } from "@/tests/api/login/home.ts";

async function usersOf({ home }: TestProcess): Promise<string> {
  return await Deno.readTextFile(join(home, "config", "users.cfg"));
}

function hashIn(users: string): string {
  return /anna: \{ ?password: "?(\$argon2id\$[^",]+,[^",]+,[^", ]+)/.exec(users)?.[1] ?? users;
}

Deno.test("plain passwords and keys are hashed in the file before the service answers, and go on working", async () => {
  await using service = await startProcess(homeOf());
  const users = await usersOf(service);
  for (const secret of [PASSWORD, KEY]) assert.equal(users.includes(secret), false);
  assert.match(users, /\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  assert.match(users, /\$sha256\$[0-9a-f]{64}/);
  assert.equal(await whoIs(service, { apikey: KEY }), "anna");
  assert.equal(await whoIs(service, { Authorization: `Basic ${btoa(`anna:${PASSWORD}`)}` }), "anna");
  assert.equal(await whoIs(service, { Cookie: await sessionOf(service, "anna", PASSWORD) }), "anna");
});

Deno.test("a password from the environment stays a reference, and works", async () => {
  const users = "public: {}\nadmin: {}\nanna: {password: '${ANNA_PASSWORD}'}\n";
  await using service = await startProcess({ ...homeOf({ users }), env: { ANNA_PASSWORD: PASSWORD } });
  assert.equal(await usersOf(service), users);
  assert.equal(await whoIs(service, { Cookie: await sessionOf(service, "anna", PASSWORD) }), "anna");
  assert.equal(await statusOf(logIn(service, "anna", "${ANNA_PASSWORD}")), 403);
});

Deno.test("a file that cannot be written is a warning: passwords in it work all the same", async () => {
  const home = homeOf();
  await using service = await startProcess({
    ...home,
    prepare: async (directory) => {
      await home.prepare?.(directory);
      // A file cannot replace a directory of that name, not even by root.
      await Deno.mkdir(join(directory, "config", ".users.cfg.tmp", "occupied"), { recursive: true });
    },
  });
  assert.equal(await usersOf(service), USERS);
  assert.match(
    await service.log(),
    /WARN The passwords and keys in users\.cfg cannot be replaced by their hashes: /,
  );
  assert.equal(await whoIs(service, { Cookie: await sessionOf(service, "anna", PASSWORD) }), "anna");
  assert.equal((await service.log()).includes(PASSWORD), false);
});

Deno.test("a hash that is cheaper than configured is raised at a login, and at no refused one", async () => {
  const cheap = await hashPassword(PASSWORD, { memoryCost: 8, timeCost: 1 });
  const users = `public: {}\nadmin: {}\nanna: {password: "${cheap}"} # an analyst\n`;
  await using service = await startProcess(homeOf({ users, ini: ["argon2.memory_cost = 32"] }));
  await (await logIn(service, "anna", "wrong")).body?.cancel();
  assert.equal(hashIn(await usersOf(service)), cheap);
  const Cookie = await sessionOf(service, "anna", PASSWORD);
  assert.equal(await whoIs(service, { Cookie }), "anna");
  await service.stop();
  const after = await usersOf(service);
  assert.match(hashIn(after), /^\$argon2id\$v=19\$m=32,t=1,p=1\$/);
  assert.equal(passwordSalt(hashIn(after)), passwordSalt(cheap));
  assert.match(after, /# an analyst/);
});
