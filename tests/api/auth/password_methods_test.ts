import assert from "node:assert/strict";
import { startService, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";

/** A directory whose people all have the same password; it tells the log what it is asked. */
const PLUGIN = `
export default { contract: 2, kind: "auth", name: "directory", setup: (section, host) => {
  let isDown = false;
  return {
    authenticate: ({ headers }) => {
      isDown = headers.has("x-down") || (isDown && !headers.has("x-up"));
      return { outcome: "absent" };
    },
    checkPassword: async (login, password) => {
      host.log.info("asked about " + login + " with " + password);
      if (isDown) throw new Error("the directory is down");
      return password === "ldap-password";
    },
  };
} };
`;

const USERS = `public: {databases: {Demo: {access: {'*': [read]}}}}
admin: {databases: {Demo: {}}}
anna: {databases: {Demo: {}}}
local: {password: own-password}
gone: {enabled: false}
`;

async function withDirectory(work: (service: TestService) => Promise<void>): Promise<void> {
  using folder = pluginFolder({ "auth/directory/mod.ts": PLUGIN });
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder.path}\nlogin_throttle.burst = 20\n`,
      "config/auth.cfg":
        "authentication_policies:\n  directory: {enabled: true, priority: 1}\n  basic: {enabled: true, priority: 2}\n" +
        "  login_form: {enabled: true, priority: 3}\n  cookie: {enabled: true, priority: 4}\n",
      "config/users.cfg": USERS,
    },
  });
  await work(service);
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly cookie: string;
}

async function read(answer: Response): Promise<Answer> {
  const [cookie = ""] = answer.headers.getSetCookie().map((each) => each.split(";", 1)[0]);
  return { status: answer.status, text: await answer.text(), cookie };
}

async function byForm(service: TestService, login: string, password: string): Promise<Answer> {
  const headers = { "Content-Type": "application/json" };
  return await read(
    await service.fetch("/login", { method: "POST", headers, body: JSON.stringify({ login, password }) }),
  );
}

async function byBasic(service: TestService, login: string, password: string): Promise<Answer> {
  const bytes = new TextEncoder().encode(`${login}:${password}`);
  return await read(
    await service.fetch("/settings.json", { headers: { Authorization: `Basic ${bytes.toBase64()}` } }),
  );
}

async function turn(service: TestService, state: "down" | "up"): Promise<void> {
  await (await service.fetch("/db.json", { headers: { [`X-${state}`]: "yes" } })).text();
}

for (const [way, logIn] of [["form", byForm], ["Basic", byBasic]] as const) {
  Deno.test(`a password of a directory logs in by ${way}, and every refusal reads alike`, async () => {
    await withDirectory(async (service) => {
      const right = await logIn(service, "anna", "ldap-password");
      assert.deepEqual([right.status, right.text.includes('"anna"')], [200, true]);
      const wrong: readonly (readonly [login: string, password: string])[] = [
        ["anna", "guess"],
        ["anna", ""],
        ["local", "ldap-password"],
        ["gone", "ldap-password"],
        ["stranger", "ldap-password"],
        ["admin", "ldap-password"],
        ["public", "ldap-password"],
      ];
      const answers = [];
      for (const [login, password] of wrong) answers.push(await logIn(service, login, password));
      const [first] = answers;
      for (const answer of answers) assert.deepEqual([answer.status, answer.text], [403, first?.text]);
      const asked = [...(await service.log()).matchAll(/asked about (\S+) with/g)].map(([, login = ""]) =>
        login
      );
      const names = asked.map((login) => login.replace(/-[0-9a-f]{16}$/, ""));
      assert.deepEqual(names, ["anna", "anna", ...wrong.slice(1).map(() => "nobody")]);
      assert.equal((await logIn(service, "local", "own-password")).status, 200);
    });
  });

  Deno.test(`while the directory is down, a login by ${way} is 503, never public, and no failed attempt`, async () => {
    await withDirectory(async (service) => {
      await turn(service, "down");
      for (let attempts = 0; attempts < 25; attempts++) {
        // The form counts every attempt of a network.
        if (way === "form" && attempts === 18) break;
        const { status, text } = await logIn(service, "anna", "ldap-password");
        assert.equal(status, 503, text);
        assert.match(text, /Passwords cannot be checked at the moment: try again later/);
      }
      assert.equal((await logIn(service, "local", "own-password")).status, 200);
      await turn(service, "up");
      assert.equal((await logIn(service, "anna", "ldap-password")).status, 200);
      const log = await service.log();
      assert.match(log, /The authentication method "directory" failed in checkPassword\(\)/);
      assert.match(log, /the directory is down/);
    });
  });
}

Deno.test("attack: wrong own passwords are failed attempts also while a directory is down", async () => {
  await withDirectory(async (service) => {
    await turn(service, "down");
    const statuses = [];
    for (let attempts = 0; attempts < 22; attempts++) {
      statuses.push((await byBasic(service, "local", "guess")).status);
    }
    assert.deepEqual([statuses.at(0), statuses.at(-1)], [403, 429]);
  });
});

Deno.test("a session of a directory's user ends when the account is disabled or gets a password of its own", async () => {
  for (const changed of ["anna: {enabled: false}", "anna: {password: its-own-password}"]) {
    await withDirectory(async (service) => {
      const { cookie } = await byForm(service, "anna", "ldap-password");
      const who = async () => {
        const answer = await service.fetch("/settings.json", { headers: { Cookie: cookie } });
        return (await answer.text()).includes('"anna"');
      };
      assert.equal(await who(), true);
      const users = USERS.replace(/^anna: .*$/m, changed);
      await Deno.writeTextFile(`${service.home}/config/users.cfg`, users);
      await until(async () => !await who());
      assert.equal((await byForm(service, "anna", "ldap-password")).status, 403);
    });
  }
});
