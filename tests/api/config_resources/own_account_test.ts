import assert from "node:assert/strict";
import { requireOwner } from "@/core/identity/account_changes.ts";
import type { Configuration, Members } from "@/config/mod.ts";
import { requireFree } from "@/core/definitions/prepare_definition.ts";
import type { AuthPolicy, JsonObject, User } from "@/core/model.ts";
import type { AuthSession } from "@/plugins/contract.ts";
import { sharedService, type StartOptions } from "@/tests/support/service.ts";
import { key, send } from "./people.ts";

const PASSWORD = "walrus-teapot-meridian-42";
const NEW = "harbour-lantern-quartz-17";

const account = (login: string, members: readonly string[]) =>
  [`${login}:`, `  apikey: ${key(login)}`, ...members.map((member) => `  ${member}`), ""].join("\n");

const START: StartOptions = {
  files: {
    "config/users.cfg": [
      "public: {}\n",
      account("admin", ["email: admin@corp.example"]),
      account("vic", [`password: ${PASSWORD}`, "email: vic@corp.example"]),
      account("keyed", ["email: keyed@corp.example"]),
      account("odd", ["edit: [personnel]"]),
      account("gone", [`password: ${PASSWORD}`]),
      account("personnel", ["userdef: [create]"]),
      account("shown", ["databases: {Demo: {dbpass: secret}}", "view: [shown]"]),
    ].join(""),
    "config/service.ini": "[service]\nlogin_throttle.burst = 100000\n",
  },
  isAdministered: true,
};

const service = sharedService(START);
const as = (login: string, line: string, body?: unknown) => send(service(), login, line, body);

const FOUND = [
  { email: "mallory@evil.example" },
  { apikey: key("mallory") },
  { apikey: null },
  // Who has no password sets one without proof.
  { password: null },
];

for (const change of FOUND) {
  const shown = JSON.stringify(change);
  Deno.test(`attack: ${shown} needs the current password, which a found key or session does not tell`, async () => {
    const missing = await as("vic", "PUT /userdef/vic.json", change);
    assert.equal(missing.status, 400);
    assert.match(missing.text, /the current password is needed, too/);
    const wrong = await as("vic", "PUT /userdef/vic.json", { ...change, current_password: "guess" });
    assert.equal(wrong.status, 403);
    assert.equal((await as("vic", "GET /userdef/vic.json")).status, 200, "the key is still the same");
  });
}

Deno.test("with the current password, e-mail and API key change; the name needs none", async () => {
  const change = { email: "victor@corp.example", apikey: key("vic"), current_password: PASSWORD };
  assert.equal((await as("vic", "PUT /userdef/vic.json", change)).status, 204);
  assert.equal((await as("vic", "PUT /userdef/vic.json", { name: "Victor" })).status, 204);
  const { text } = await as("vic", "GET /userdef/vic.json");
  assert.equal((await as("vic", "PUT /userdef/vic.json", text)).status, 204, "nothing in it is new");
  assert.equal((await as("keyed", "PUT /userdef/keyed.json", { email: "k@corp.example" })).status, 204);
});

Deno.test("who sees all of the own account sends it back with another name; the rest of it stays closed", async () => {
  const path = "/userdef/shown.json";
  const whole: JsonObject = JSON.parse((await as("shown", `GET ${path}`)).text);
  assert.equal((await as("shown", `PUT ${path}`, { ...whole, name: "Shown" })).status, 204);
  for (const change of [{ databases: {} }, { userdef: ["view"] }, { edit: ["shown"] }]) {
    assert.equal((await as("shown", `PUT ${path}`, { ...whole, ...change })).status, 403);
  }
  assert.deepEqual(JSON.parse((await as("shown", `GET ${path}`)).text), { ...whole, name: "Shown" });
});

Deno.test("a password is taken away with the current one, and only once", async () => {
  const removal = { password: null, current_password: PASSWORD };
  assert.equal((await as("gone", "PUT /userdef/gone.json", removal)).status, 204);
  assert.equal((await as("gone", "PUT /userdef/gone.json", { password: null })).status, 204);
});

Deno.test("attack: no name that an account gives itself keeps others from disabling it", async () => {
  const name = "Odd\n\u2028mallory: {userdef: [create]}";
  assert.equal((await as("odd", "PUT /userdef/odd.json", { name })).status, 204);
  assert.equal((await as("personnel", "PUT /userdef/odd.json", { enabled: false })).status, 204);
});

Deno.test("just after a login the current password is asked for only to take it away", async () => {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ login: "vic", password: PASSWORD });
  const login = await service().fetch("/login", { method: "POST", headers, body });
  await login.body?.cancel();
  const Cookie = (login.headers.getSetCookie()[0] ?? "").split(";", 1).join();
  for (const [change, status] of [[{ email: "vic@corp.example" }, 204], [{ password: null }, 400]] as const) {
    const answer = await service().fetch("/userdef/vic.json", {
      method: "PUT",
      headers: { ...headers, Cookie },
      body: JSON.stringify(change),
    });
    assert.equal(answer.status, status, await answer.text());
  }
});

Deno.test("attack: nobody takes an e-mail address that another account has", async () => {
  const taken = { email: "Admin@CORP.example" };
  const own = await as("vic", "PUT /userdef/vic.json", { ...taken, current_password: PASSWORD });
  assert.equal(own.status, 409);
  assert.equal((await as("admin", "PUT /userdef/vic.json", taken)).status, 409);
  assert.equal((await as("personnel", "POST /userdef.json", { user_id: "Admin", ...taken })).status, 409);
});

Deno.test("a new password leaves the API key as it is, unless the request ends or replaces it", async () => {
  const path = "PUT /userdef/vic.json";
  assert.equal((await as("vic", path, { password: NEW, current_password: PASSWORD })).status, 204);
  assert.equal((await as("vic", "GET /userdef/vic.json")).status, 200);
  assert.equal((await as("admin", path, { password: PASSWORD })).status, 204);
  assert.equal((await as("vic", "GET /userdef/vic.json")).status, 200);
  const ending = { password: NEW, current_password: PASSWORD, apikey: null };
  assert.equal((await as("vic", path, ending)).status, 204);
  assert.equal((await as("vic", "GET /userdef/vic.json")).status, 403);
  assert.equal((await as("admin", path, { apikey: key("vic") })).status, 204);
  assert.equal((await as("admin", path, { password: NEW, apikey: key("other") })).status, 204);
  const answer = await service().fetch("/userdef/vic.json", { headers: { apikey: key("other") } });
  assert.equal(answer.status, 200, await answer.text());
});

const USER: User = {
  login: "bob",
  enabled: true,
  name: "Bob",
  email: "bob@corp.example",
  databases: new Map(),
  dbdef: [],
  querydef: [],
  userdef: [],
  view: [],
  edit: ["bob"],
};

const CONFIGURATION = {} as Configuration;

const RULES = {
  get settings(): never {
    throw new Error("No password is rated here");
  },
  get passwords(): never {
    throw new Error("No password is looked at here");
  },
  get throttle(): never {
    throw new Error("No password is looked at here");
  },
};

function policy(attribute: string, enabled = true): AuthPolicy {
  const section = { identity_providers: { acme: { user_config_attribute: attribute } } };
  return { name: "saml", enabled, priority: 1, visible: true, section };
}

/** A method that finds accounts by itself, as a proxy in front does. */
function proxy(attribute: string): AuthPolicy {
  const section = { user_config_attribute: attribute };
  return { name: "proxy", enabled: true, priority: 1, visible: true, section };
}

function own(
  members: Readonly<Record<string, unknown>>,
  options: { policies?: readonly AuthPolicy[]; opened?: number; isLogin?: boolean | undefined } = {},
): Promise<void> {
  const { policies = [], opened } = options;
  const isLogin = "isLogin" in options ? options.isLogin : true;
  const session: AuthSession | undefined = opened === undefined ? undefined : {
    id: "s",
    user: USER,
    method: "saml",
    openedAt: opened,
    csrfToken: "t",
    ...isLogin === undefined ? {} : { isLogin },
  };
  return requireOwner({ target: USER, members, session, policies, now: 1_000_000 }, RULES);
}

Deno.test("attack: nobody changes what a login provider tells people apart by", async () => {
  const forbidden = { code: "forbidden" };
  const email = { email: "admin@corp.example" };
  await assert.rejects(own(email, { policies: [policy("email")], opened: 999_000 }), forbidden);
  await assert.rejects(own({ name: "Admin" }, { policies: [policy("name")] }), forbidden);
  await assert.rejects(own({ name: "Admin" }, { policies: [proxy("name")] }), forbidden);
  await own({ email: USER.email, name: USER.name }, { policies: [policy("email"), policy("name")] });
  await own(email, { policies: [policy("login"), policy("email", false)] });
});

Deno.test("attack: nobody creates a second account that a login provider would find, whatever it looks for", () => {
  const users = new Map([["bob", { ...USER, appid: "till-7" }]]);
  const create = (members: Members, ...attributes: readonly string[]) => {
    const authentication = attributes.map((attribute) => policy(attribute));
    requireFree({ ...CONFIGURATION, users, authentication }, { id: "bob2", members });
  };
  const taken = { code: "conflict" };
  assert.throws(() => create({ name: "Bob" }, "email", "name"), taken);
  assert.throws(() => create({ appid: "till-7" }, "appid"), taken);
  create({ name: "bob", appid: "Till-7" }, "name", "appid");
  // Several people may have one name, and several accounts one application.
  create({ name: "Bob", appid: "till-7" }, "email");
  create({ name: "", appid: null }, "name", "appid");
});

Deno.test("attack: a session without a password to ask for has to be a new login", async () => {
  for (const change of [{ email: "x@evil.example" }, { apikey: key("x") }, { password: NEW }]) {
    await own(change, { opened: 700_001 });
    await own(change);
    await assert.rejects(own(change, { opened: 700_000 }), /log in again first/);
    for (const isLogin of [false, undefined]) {
      await assert.rejects(own(change, { opened: 999_999, isLogin }), /log in again first/);
    }
  }
});
