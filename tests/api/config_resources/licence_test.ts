import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { type LicenceClaims, makePrivateKey, publicKeyOf, signLicence } from "@/core/identity/licence.ts";
import { runMain } from "@/tests/support/process.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { logIn } from "@/tests/api/login/home.ts";
import { key, SECRETS, send, START } from "./people.ts";

const KEY = makePrivateKey();
const CLAIMS: LicenceClaims = {
  licensee: "Example Ferries",
  edition: "enterprise",
  exp: Math.floor(Date.now() / 1000) + 86_400,
  features: [],
};
const licence = (claims: Partial<LicenceClaims> = {}) => signLicence({ ...CLAIMS, ...claims }, KEY);

function start(
  token: string | undefined,
  files: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const ini = `[service]\nlogin_throttle.burst = 100000\nlicense.public_key = ${publicKeyOf(KEY)}\n`;
  return startService({
    ...START,
    files: {
      ...START.files,
      "config/service.ini": ini,
      ...(token === undefined ? {} : { "config/license.key": token }),
      ...files,
    },
  });
}

const stateOf = async (service: TestService) =>
  JSON.parse((await send(service, "admin", "GET /license.json")).text);
const statusOf = async (service: TestService, login: string, path = "/db.json") =>
  (await send(service, login, `GET ${path}`)).status;

Deno.test("without a licence everything is on", async () => {
  await using service = await start(undefined);
  const state = await stateOf(service);
  assert.deepEqual([state.state, state.edition, state.users, state.databases], ["open", "open", 6, 3]);
  assert.equal(await statusOf(service, "public"), 200);
});

Deno.test("a valid licence locks nobody out", async () => {
  await using service = await start(licence({ maxUsers: 6, maxDatabases: 3 }));
  for (const login of ["public", "reader", "admin"]) assert.equal(await statusOf(service, login), 200);
  assert.deepEqual(await stateOf(service), {
    state: "valid",
    reason: null,
    licensee: "Example Ferries",
    edition: "enterprise",
    expires: new Date(CLAIMS.exp * 1000).toISOString().slice(0, 19),
    max_users: 6,
    max_databases: 3,
    features: [],
    users: 6,
    databases: 3,
  });
});

Deno.test("users who are disabled do not count: one less ends the lock, one more again does not lock", async () => {
  await using service = await start(licence({ maxUsers: 5 }));
  assert.equal(await statusOf(service, "reader"), 402);
  assert.equal((await send(service, "admin", "PUT /userdef/friend.json", { enabled: false })).status, 204);
  assert.equal(await statusOf(service, "reader"), 200);
  assert.equal((await stateOf(service)).users, 5);
  assert.equal((await send(service, "admin", "PUT /userdef/reader.json", { edit: ["boss"] })).status, 204);
  assert.equal((await send(service, "boss", "PUT /userdef/reader.json", { enabled: false })).status, 204);
  assert.equal((await send(service, "admin", "PUT /userdef/friend.json", { enabled: true })).status, 204);
  const { status, text } = await send(service, "boss", "PUT /userdef/reader.json", { enabled: true });
  assert.equal(status, 402);
  assert.match(JSON.parse(text).description, /does not allow this change/);
  assert.equal(await statusOf(service, "boss"), 200, "nobody is locked out");
});

const SIGN_ON = `authentication_policies:
  apikey: {enabled: true, priority: 1}
  jwt:
    enabled: true
    priority: 2
    identity_providers:
      acme:
        enabled: true
        claim_attribute: email
        user_config_attribute: email
        client_id: rowhouse
        redirect_uri: https://rowhouse.example/login/callback?idp_id=acme
        response_type: code
        well_known_configuration: http://127.0.0.1:1/
`;

for (const [features, status] of [[["jwt"], 503], [["saml"], 404], [undefined, 503]] as const) {
  const title = features === undefined ? "without a licence" : `with a licence for ${features.join()}`;
  Deno.test(`OpenID Connect is ${status === 404 ? "off" : "on"} ${title}`, async () => {
    const token = features && licence({ features });
    await using service = await start(token, { "config/auth.cfg": SIGN_ON });
    const begun = await service.fetch("/login/oidc?idp_id=acme");
    await begun.body?.cancel();
    assert.equal(begun.status, status);
    const page = await (await service.fetch("/login", { headers: { Accept: "text/html" } })).text();
    assert.equal(page.includes("Log in with acme"), status !== 404);
    const note = "Authentication by jwt is off: the licence does not have it";
    assert.equal((await service.log()).includes(note), status === 404);
  });
}

Deno.test("the features of a licence that comes while the service runs need a restart, and its page says so", async () => {
  await using service = await start(licence(), { "config/auth.cfg": SIGN_ON });
  const token = licence({ features: ["jwt"] });
  assert.equal((await send(service, "admin", "POST /license.json", { license: token })).status, 200);
  assert.deepEqual((await stateOf(service)).features, ["jwt"]);
  assert.equal((await read(await service.fetch("/login/oidc?idp_id=acme"))).status, 404);
  const { text } = await send(service, "admin", "GET /license.html?ui.done=licence");
  assert.match(text, /The licence is in force\. A change of its features needs a restart\./);
});

const LOCKED: readonly (readonly [title: string, token: string, reason: RegExp])[] = [
  ["has expired", licence({ exp: 1_600_000_000 }), /^It expired on 2020-09-13$/],
  ["is no licence", "hello", /^It is no JSON Web Token$/],
  ["is signed by somebody else", signLicence(CLAIMS, makePrivateKey()), /signature/],
  ["is for fewer users", licence({ maxUsers: 5 }), /^Its limit of users is 5, and there are 6$/],
  ["is for fewer databases", licence({ maxDatabases: 2 }), /^Its limit of databases is 2, and there are 3$/],
];

/** Data, a document, the bytes of a value, and a request that cannot be read. */
const REFUSED = [
  "/db/Demo.json",
  "/settings.csv",
  "/ui/raw/db/Demo/Customer/CustomerId/1/FirstName",
  "/db/Demo/Customer.json?limit=x",
];

for (const [title, token, reason] of LOCKED) {
  Deno.test(`a licence that ${title} locks everybody but admin out, until it is replaced`, async () => {
    await using service = await start(token);
    for (const path of REFUSED) assert.equal(await statusOf(service, "reader", path), 402, path);
    assert.equal(await statusOf(service, "public", "/db.json"), 402);
    const { text } = await send(service, "reader", "PUT /userdef/reader.json", { name: "x" });
    assert.equal(JSON.parse(text).http_code, 402);
    assert.doesNotMatch(text, /expired|users and|signature/, "only admin is told why");
    assert.equal(await statusOf(service, "admin", "/userdef.json"), 200);
    assert.match((await stateOf(service)).reason, reason);
    assert.equal((await service.fetch("/healthz").then(read)).status, 200);
    assert.equal((await service.fetch("/login").then(read)).status, 200);
    const page = { headers: { apikey: key("reader"), Accept: "text/html" } };
    for (
      const answer of [await logIn(service, "reader", SECRETS.plain), await service.fetch("/db.html", page)]
    ) {
      await answer.body?.cancel();
      assert.deepEqual([answer.status, answer.headers.getSetCookie()], [402, []]);
    }
    const replaced = await send(service, "admin", "POST /license.json", { license: licence() });
    assert.equal(replaced.status, 200, replaced.text);
    assert.equal(await statusOf(service, "reader"), 200);
  });
}

async function read(answer: Response): Promise<Response> {
  await answer.body?.cancel();
  return answer;
}

Deno.test("a licence is only looked at with only-validate, and one that would lock the service is not taken", async () => {
  await using service = await start(licence());
  const file = () => Deno.readTextFileSync(join(service.home, "config", "license.key"));
  const before = file();
  const post = (path: string, body: string, type = "application/jwt") =>
    service.fetch(path, {
      method: "POST",
      headers: { apikey: key("admin"), "Content-Type": type },
      body,
    });
  const trial = await post("/license.json?only-validate", licence({ licensee: "Others" }));
  assert.deepEqual([trial.status, (await trial.json()).licensee], [200, "Others"]);
  assert.equal(file(), before);
  const bodies = [
    "",
    " ",
    "hello",
    licence({ exp: 1_600_000_000 }),
    licence({ maxUsers: 1 }),
    "x".repeat(70_000),
  ];
  const statuses: number[] = [];
  for (const body of bodies) {
    for (const path of ["/license.json", "/license.json?only-validate"]) {
      statuses.push((await read(await post(path, body))).status);
    }
  }
  assert.deepEqual(statuses, [400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 413, 413]);
  assert.equal((await read(await post("/license.json", "<x/>", "text/xml"))).status, 415);
  const list = await post("/license.json", "[1]", "application/json");
  // A licence has neither login nor password.
  const told = "Could not parse JSON: expected an object of texts";
  assert.deepEqual([list.status, (await list.json()).description], [400, told]);
  // curl sends a file with this type by default.
  const untyped = await post("/license.json", licence(), "application/x-www-form-urlencoded");
  assert.match((await untyped.json()).description, /send it as text\/plain, or as "license" in a form or/);
  assert.equal(file(), before);
  const form = `license=${licence({ licensee: "Third" })}`;
  const sent = await post("/license.json", form, "application/x-www-form-urlencoded");
  assert.deepEqual([sent.status, (await sent.json()).licensee], [200, "Third"]);
  const upload = new FormData();
  upload.append("license", new File([licence({ licensee: "Fourth" })], "license.key"));
  const looked = await service.fetch("/license?only-validate=", {
    method: "POST",
    headers: { apikey: key("admin") },
    body: upload,
  });
  assert.deepEqual([looked.status, (await looked.json()).licensee], [200, "Fourth"]);
  assert.equal((Deno.statSync(join(service.home, "config", "license.key")).mode ?? 0) & 0o777, 0o644);
});

Deno.test("a licence that cannot be stored is 409, and the log has the reason", async () => {
  const ini = `[service]\nlicense = nowhere/own.key\nlicense.public_key = ${publicKeyOf(KEY)}\n`;
  await using service = await start(undefined, { "config/service.ini": ini });
  const { status, text } = await send(service, "admin", "POST /license.json", { license: licence() });
  const description = "Cannot store the licence: its file cannot be written, and the log tells why";
  assert.deepEqual([status, JSON.parse(text).description], [409, description]);
  assert.match(await service.log(), /WARN Cannot store the licence: .*nowhere\/own\.key/);
});

Deno.test("the log tells why everybody is locked out, when that begins and ends, and when a licence expires", async () => {
  const soon = Math.floor(Date.now() / 1000) + 4;
  await using service = await start(licence({ maxUsers: 5 }));
  const logged = async () =>
    (await service.log()).split("\n").filter((line) => line.includes("The licence locks"))
      .map((line) => line.replace(/^\S+ /, ""));
  const many = "ERROR The licence locks out everybody but admin: Its limit of users is 5, and there are 6";
  assert.deepEqual(await logged(), [many]);
  assert.equal((await send(service, "admin", "POST /license.json", { license: licence() })).status, 200);
  const none = "INFO The licence locks out nobody any more";
  assert.deepEqual(await logged(), [many, none]);
  Deno.writeTextFileSync(join(service.home, "config", "license.key"), licence({ exp: soon }));
  await until(async () => (await logged()).length >= 3);
  const [, , expired] = await logged();
  assert.match(
    expired ?? "",
    /^ERROR The licence locks out everybody but admin: It expired on \d{4}-\d\d-\d\d$/,
  );
  assert.equal(await statusOf(service, "reader"), 402);
});

Deno.test("only admin sees and replaces the licence", async () => {
  await using service = await start(licence());
  for (const login of ["public", "reader", "personnel", "architect"]) {
    assert.equal(await statusOf(service, login, "/license.json"), 403);
    assert.equal((await send(service, login, "POST /license.json", { license: licence() })).status, 403);
  }
  assert.equal((await send(service, "admin", "DELETE /license.json")).status, 405);
  assert.equal((await send(service, "admin", "GET /license/more.json")).status, 404);
  assert.equal((await send(service, "admin", "GET /db.json?only-validate")).status, 400);
});

Deno.test("whoever may create users cannot lock everybody out with one too many; admin can, and undo it", async () => {
  await using service = await start(licence({ maxUsers: 6, maxDatabases: 3 }));
  assert.equal((await send(service, "personnel", "POST /userdef.json", { user_id: "one" })).status, 402);
  const database = { db_id: "One", db_type: "postgresql", db_name: "one", autoconnect: false };
  assert.equal((await send(service, "architect", "POST /dbdef.json", database)).status, 402);
  assert.equal(await statusOf(service, "reader"), 200);
  const created = await send(service, "admin", "POST /userdef.json", { user_id: "one" });
  const told = "The licence locks out everybody but admin: Its limit of users is 6, and there are 7";
  assert.deepEqual([created.status, created.headers.get("warning")], [201, told]);
  assert.equal(await statusOf(service, "reader"), 402);
  const renamed = await send(service, "admin", "PUT /userdef/one.json", { name: "One" });
  assert.deepEqual([renamed.status, renamed.headers.get("warning")], [204, null]);
  const home = async () => (await send(service, "admin", "GET /.html")).text;
  assert.ok((await home()).includes(told), "so does the home page");
  assert.equal((await send(service, "admin", "DELETE /userdef/one.json")).status, 204);
  assert.equal(await statusOf(service, "reader"), 200);
  assert.doesNotMatch(await home(), /locks out everybody/);
});

Deno.test("a licence that is put there while the service runs is in force", async () => {
  await using service = await start(undefined);
  Deno.writeTextFileSync(join(service.home, "config", "license.key"), licence({ maxUsers: 1 }));
  await until(async () => await statusOf(service, "reader") === 402);
});

Deno.test("licences are made and shown on the command line", async () => {
  const home = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    const file = join(home, "private.pem");
    const issue = [
      "licence",
      "issue",
      "--private-key",
      file,
      "--licensee",
      "Example Ferries",
      "--max-users",
      "9",
    ];
    const first = await runMain([...issue, "--features", "jwt,saml", "--days", "30"]);
    assert.equal(first.code, 0, first.stderr);
    assert.equal((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);
    const [, publicKey = ""] = /^license\.public_key = ([\w-]{43})\n$/.exec(first.stderr) ?? [];
    const second = await runMain(issue);
    assert.equal(second.stderr, first.stderr, "the same key is used again");
    await Deno.mkdir(join(home, "config"));
    await Deno.writeTextFile(
      join(home, "config", "service.ini"),
      `[service]\nlicense.public_key = ${publicKey}\n`,
    );
    const open = await runMain(["licence", "show", "--home", home]);
    assert.deepEqual([open.code, JSON.parse(open.stdout).state], [0, "open"]);
    await Deno.writeTextFile(join(home, "config", "license.key"), first.stdout);
    const shown = await runMain(["licence", "show", "--home", home]);
    const { expires, ...members } = JSON.parse(shown.stdout);
    assert.deepEqual([shown.code, members], [0, {
      state: "valid",
      reason: null,
      licensee: "Example Ferries",
      edition: "enterprise",
      max_users: 9,
      max_databases: null,
      features: ["jwt", "saml"],
      users: 0,
      databases: 0,
    }]);
    assert.ok(Math.abs(Date.parse(`${expires}Z`) - Date.now() - 30 * 86_400_000) < 600_000);
    await Deno.writeTextFile(join(home, "config", "license.key"), "hello");
    const broken = await runMain(["licence", "show", "--home", home]);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /license\.key: It is no JSON Web Token\n$/);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("licence issue signs nothing with a file that has no key, and leaves it as it is", async () => {
  const file = await Deno.makeTempFile({ prefix: "rowhouse-test-" });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  try {
    for (const text of ["", "hello\n", privateKey.export({ type: "pkcs8", format: "pem" }).toString()]) {
      await Deno.writeTextFile(file, text);
      assert.deepEqual(await runMain(["licence", "issue", "--private-key", file, "--licensee", "Ferries"]), {
        code: 1,
        stdout: "",
        stderr: "The private key is no Ed25519 key in PEM\n",
      });
      assert.equal(await Deno.readTextFile(file), text);
    }
  } finally {
    await Deno.remove(file);
  }
});

const USAGE: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [["licence"], /There is no command "licence"/],
  [["licence", "steal"], /There is no command "licence"/],
  [["licence", "issue"], /--private-key FILE is needed/],
  [["licence", "issue", "--private-key", "x"], /--licensee NAME is needed/],
  [["licence", "issue", "--private-key", "x", "--licensee", ""], /^--licensee must not be empty\n/],
  [["licence", "issue", "--private-key", "x", "--licensee", "y", "--days", "0"], /--days is a whole number/],
  [
    ["licence", "issue", "--private-key", "x", "--licensee", "y", "--features", "fly"],
    /knows jwt and saml, not "fly"/,
  ],
];

for (const [args, message] of USAGE) {
  Deno.test(`main.ts ${args.join(" ")} tells what is wrong`, async () => {
    const { code, stderr } = await runMain(args);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
}
