import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runMain, startProcess, type TestProcess } from "@/tests/support/process.ts";
import type { StartOptions } from "@/tests/support/service.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { Browser, hiddenFields, whoIs } from "@/tests/api/login/home.ts";

const PASSWORD = "walrus-teapot-meridian-42";
const DETAILS = { first_name: "Ada", last_name: "Lovelace", email: "ada@example.com" };
const FIELDS = { ...DETAILS, password: PASSWORD, repeated: PASSWORD };

function start(ini: readonly string[] = [], args: readonly string[] = []): Promise<TestProcess> {
  const lines = ["[service]", "argon2.memory_cost = 8", "argon2.time_cost = 1", ...ini, ""];
  const options: StartOptions = { files: { "config/service.ini": lines.join("\n") }, args };
  return startProcess(options);
}

function isPending({ home }: TestProcess): boolean {
  return existsSync(join(home, "config", "regular-initial"));
}

function users({ home }: TestProcess): string {
  return Deno.readTextFileSync(join(home, "config", "users.cfg"));
}

/** The one-time token of the link that was printed. */
async function tokenOf(service: TestProcess): Promise<string> {
  const [, token = ""] = await service.said(/first-run\?token=(\S+)\n/);
  return token;
}

Deno.test("people are led to the first run, programs read what public may read", async () => {
  await using service = await start();
  const root = await new Browser(service).get("/");
  assert.deepEqual([root.status, root.headers.get("location")], [302, "/first-run"]);
  const data = await service.fetch("/db/Demo/Country/CountryCode/NO/Name.json");
  assert.equal(await data.text(), '"Norway"');
  assert.equal(await statusOf(service.fetch("/")), 200);
  const login = await new Browser(service).get("/login");
  assert.match(login.text, /<a class="button" href="\/first-run">Set the password of &quot;admin&quot;<\/a>/);
});

Deno.test("the link that is printed sets the password and leaves one signed in, and the first run is over", async () => {
  await using service = await start();
  const browser = new Browser(service);
  const token = await tokenOf(service);
  const page = await browser.get(`/first-run?token=${token}`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /<input id="field-token"/);
  const login =
    /<label for="field-login">Login<.*\n<input [^>]*autocomplete="username" value="admin"([^>]*)>/;
  const password = /<input id="field-password" [^>]*autocomplete="new-password" ([^>]*)>/;
  const [, readOnly = ""] = login.exec(page.text) ?? [];
  const [, described = ""] = password.exec(page.text) ?? [];
  assert.match(readOnly, /readonly="readonly"/);
  assert.match(described, /aria-describedby="field-password-hint"/);
  assert.doesNotMatch(page.text, /aria-invalid/);
  assert.ok(
    page.text.search(login) < page.text.search(password),
    "password managers look above the password",
  );
  assert.match(
    page.text,
    /<p class="hint" id="field-password-hint">Three unrelated words, or ten mixed characters, are enough/,
  );
  assert.match(page.text, /<a class="button" href="\/db">Look at the data first<\/a>/);
  const answer = await browser.post("/first-run", { ...hiddenFields(page.text), ...FIELDS });
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/"]);
  const Cookie = `auth_tkt=${browser.cookies.get("auth_tkt")}`;
  assert.equal(await whoIs(service, { Cookie }), "admin");
  assert.equal(isPending(service), false);
  assert.match(users(service), /\n {2}password: \$argon2id\$.*\n {2}email: ada@example.com\n/);
  assert.equal(users(service).includes(PASSWORD), false);
  const again = await browser.get("/first-run");
  assert.deepEqual([again.status, again.headers.get("location")], [302, "/login"]);
  assert.equal((await browser.post("/first-run", { ...FIELDS, token })).status, 404);
  assert.equal((await browser.get("/")).status, 200);
  assert.match(await service.log(), /The first run is over: 127\.0\.0\.1 has set the password of admin/);
  const audit = await Deno.readTextFile(join(service.home, "log", "audit.log"));
  assert.match(
    audit,
    /"user":"admin","action":"password","target":"\/first-run","outcome":"success".*"request":"/,
  );
  assert.equal(audit.includes(PASSWORD), false);
  const asLogin = await service.fetch("/userdef/admin.json", {
    method: "PUT",
    headers: { Cookie, "Content-Type": "application/json" },
    body: JSON.stringify({ email: "lovelace@example.com" }),
  });
  assert.equal(asLogin.status, 204, await asLogin.text());
});

const MISTAKES: readonly (readonly [
  what: string,
  fields: Readonly<Record<string, string>>,
  problem: RegExp,
  field: string,
])[] = [
  [
    "a weak password",
    { ...FIELDS, password: "password", repeated: "password" },
    /it is too easy to guess, choose a longer one\. Three unrelated words/,
    "password",
  ],
  [
    "the own name as password",
    { ...FIELDS, password: "AdaLovelace", repeated: "AdaLovelace" },
    /it is too easy to guess/,
    "password",
  ],
  ["two passwords", { ...FIELDS, repeated: "another" }, /the two passwords differ/, "repeated"],
  ["no password", DETAILS, /it is empty/, "password"],
  ["no first name", { ...FIELDS, first_name: " " }, /&quot;First name&quot; is missing/, "first_name"],
  ["no e-mail", { ...FIELDS, email: "ada" }, /&quot;E-mail&quot; is no e-mail address/, "email"],
  [
    "a line break in a name",
    { ...FIELDS, last_name: "a\nb" },
    /&quot;Last name&quot; is missing or cannot be read/,
    "last_name",
  ],
];

Deno.test("what has to be corrected is said on the page, which keeps everything but the password", async () => {
  await using service = await start();
  const browser = new Browser(service);
  const token = await tokenOf(service);
  for (const [what, fields, problem, field] of MISTAKES) {
    const answer = await browser.post("/first-run", { ...fields, token, login: "ada" });
    const wrong = answer.text.matchAll(
      /<input id="field-(\w+)"[^>]* aria-describedby="problem[^"]*" aria-invalid="true"/g,
    );
    assert.deepEqual([...wrong].map(([, name]) => name), [field], what);
    assert.match(answer.text, /<div id="problem">.*role="alert"/, what);
    assert.match(answer.text, /name="login" [^>]*value="admin"/, "the login is no choice");
    assert.equal(hiddenFields(answer.text)["token"], token, what);
    assert.equal(answer.status, 400, what);
    const words = `role="alert">Cannot set password of &quot;admin&quot;: ${problem.source}`;
    assert.match(answer.text, new RegExp(words), what);
    assert.match(answer.text, /name="last_name" [^>]*value="/);
    assert.equal(answer.text.includes(PASSWORD), false, what);
    assert.equal(isPending(service), true, what);
  }
});

Deno.test("details are not asked for where they are not required", async () => {
  await using service = await start(["require_details_in_terms_and_conditions = False"]);
  const browser = new Browser(service);
  assert.doesNotMatch((await browser.get("/first-run")).text, /first_name|email/);
  const fields = { password: PASSWORD, repeated: PASSWORD, token: await tokenOf(service) };
  assert.equal((await browser.post("/first-run", fields)).status, 303);
  assert.match(users(service), /name: Administrator\n(?: .*\n)* {2}password: \$argon2id/);
});

Deno.test("standard error says where everything is, how to begin and how to stop; the token stands in no log", async () => {
  await using service = await start();
  const token = await tokenOf(service);
  const { stdout, stderr } = await service.stop();
  assert.equal(token.length, 20);
  assert.deepEqual(stderr.split("\n"), [
    `Configuration: ${service.home}/config`,
    `Data that needs no login, such as the demo: ${service.url}/db`,
    `First run: set the password of "admin" on ${service.url}/first-run?token=${token}`,
    "Ctrl-C stops the service",
    "",
  ]);
  assert.equal(stdout, `listening on ${service.url}/\n`);
  assert.equal((await service.log()).includes(token), false);
});

for (const [host, here] of [["0.0.0.0", "127.0.0.1"], ["[::]", "[::1]"]] as const) {
  Deno.test({
    name: `the links of a service on every address lead to this machine (${host})`,
    ignore: here === "[::1]" && !hasIpv6(),
    async fn() {
      await using service = await startProcess({ args: ["--host", host] });
      const { stdout, stderr } = await service.stop();
      const links = stderr.match(/http:\/\/[^/]+\/(?:db$|first-run)/gm);
      assert.deepEqual(links, ["db", "first-run"].map((path) => `http://${here}:${service.port}/${path}`));
      assert.equal(stdout, `listening on http://${host}:${service.port}/\n`);
    },
  });
}

function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

Deno.test("without a first run nothing is printed", async () => {
  await using service = await startProcess({
    isAdministered: true,
  });
  assert.equal((await service.stop()).stderr, "");
});

/** Proxies may add no headers, so the way of a request makes no difference. */
const WAYS: readonly Readonly<Record<string, string>>[] = [
  {},
  { "X-Forwarded-For": "203.0.113.5" },
  { "X-Forwarded-For": "127.0.0.1" },
  { Forwarded: "for=127.0.0.1" },
  { Host: "rowhouse.example.com" },
];

const encode = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();

Deno.test("nobody sets the password without the one-time token, wherever a request seems to come from", async () => {
  const args = ["--base-url", "https://rowhouse.example.com"];
  await using service = await start(["trusted_proxies = 127.0.0.1", "login_throttle.burst = 1000"], args);
  for (const headers of WAYS) {
    const page = await sendRaw(service.port, { target: "/first-run?token=wrong", headers });
    assert.match(page.text, /<input id="field-token" name="token"/);
    const sent = {
      ...headers,
      Origin: "https://rowhouse.example.com",
      Accept: "text/html",
      "Content-Type": "application/x-www-form-urlencoded",
    };
    for (const token of [undefined, "", "x".repeat(20)]) {
      const body = encode({ ...FIELDS, ...(token === undefined ? {} : { token }) });
      const request = { method: "POST", target: "/first-run", headers: sent, body };
      const answer = await sendRaw(service.port, request);
      assert.equal(answer.status, 403);
      assert.match(answer.text, /role="alert">The one-time token is not right/);
      assert.match(answer.text, /<input id="field-token"[^>]* aria-invalid="true"/);
    }
  }
  assert.equal(isPending(service), true);
});

Deno.test("every worker knows the same token", async () => {
  await using service = await start([], ["--workers", "3"]);
  const headers = { Origin: service.url, Connection: "close" };
  const weak = { ...FIELDS, password: "x", repeated: "x", token: await tokenOf(service) };
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => {
    return (await new Browser(service).post("/first-run", weak, headers)).status;
  }));
  assert.deepEqual(new Set(statuses), new Set([400]));
});

Deno.test("no other site can end the first run", async () => {
  await using service = await start();
  const attacks: readonly Readonly<Record<string, string>>[] = [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { "Sec-Fetch-Site": "cross-site" },
    {},
  ];
  const fields = { ...FIELDS, token: await tokenOf(service) };
  for (const headers of attacks) {
    assert.equal((await new Browser(service).post("/first-run", fields, headers)).status, 403);
  }
  assert.equal(isPending(service), true);
});

Deno.test("main.ts set-password ends the first run for a service that runs", async () => {
  await using service = await start();
  const env = { ROWHOUSE_PASSWORD: PASSWORD };
  assert.equal((await runMain(["set-password", "admin", "--home", service.home], { env })).code, 0);
  assert.equal((await new Browser(service).get("/")).status, 200);
});

Deno.test("a password that stands in users.cfg ends the first run, and no token replaces it", async () => {
  const users = `public: {}\nadmin: {password: ${PASSWORD}}\n`;
  await using service = await startProcess({ files: { "config/users.cfg": users } });
  assert.equal(isPending(service), false);
  assert.equal((await new Browser(service).get("/first-run")).status, 302);
  assert.equal(
    (await new Browser(service).post("/first-run", { ...FIELDS, token: "x".repeat(20) })).status,
    404,
  );
  const { stderr } = await service.stop();
  assert.equal(stderr, "");
});
