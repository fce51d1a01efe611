import assert from "node:assert/strict";
import { join } from "node:path";
import { parseYaml } from "@/config/yaml.ts";
import { makePrivateKey, publicKeyOf, signLicence } from "@/core/identity/licence.ts";
import { runMain } from "@/tests/support/process.ts";
import { ROOT } from "@/tests/support/root.ts";
import { startService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { assertAccepted, assertRefused, attempt, NEXT, rightAnswer } from "./saml/attempt.ts";
import { SsoBrowser } from "./saml/browser.ts";
import { certify, makeIdentity, privateKeyOf } from "./saml/certificate.ts";
import { BERTS_KEY, type Block, blockOf, SAMPLE_SECURITY, startSaml, USERS } from "./saml/home.ts";
import { buildResponse } from "./saml/response.ts";

const key = await makeIdentity("provider");
const DAY = 86_400_000;
const expired = certify(key, "provider", { from: Date.now() - 2 * DAY, until: Date.now() - DAY });

/** A change of a valid block: the value at a path of keys; undefined removes it. */
function changed(block: Block, path: string, value: unknown): Block {
  const [key = "", ...rest] = path.split(".");
  const inner = rest.length === 0 ? value : changed((block[key] ?? {}) as Block, rest.join("."), value);
  return Object.fromEntries(
    Object.entries({ ...block, [key]: inner }).filter(([, each]) => each !== undefined),
  );
}

/** Some of the mistakes of saml_settings_test.ts: the provider's id, the key of the complaint, the value. */
const MISTAKES: readonly (readonly [id: string, key: string, value: unknown])[] = [
  ["attribute", "user_config_attribute", undefined],
  ["spkey", "settings.sp.privatekey", "AAAA"],
  ["file", "settings.idp.metadata", "missing.xml"],
  ["label", "settings.sp.entityId", "https://service/saml"],
];

const withMistakes = (origin: string) => ({
  acme: blockOf(origin, "acme", { key }),
  ...Object.fromEntries(
    MISTAKES.map(([id, path, value]) => [id, changed(blockOf(origin, id, { key }), path, value)]),
  ),
  label2: changed(blockOf(origin, "label2", { key, security: { allowSingleLabelDomains: true } }), ...LABEL),
});
const LABEL = ["settings.sp.entityId", "https://service/saml"] as const;

Deno.test("every mistake of a provider is named at start by file and key, and everything else works", async (test) => {
  await using service = await startSaml({ providers: withMistakes });
  const log = await service.log();
  const named = `${service.home}/config/auth.cfg: authentication_policies.saml.identity_providers.`;
  for (const [id, key] of MISTAKES) {
    await test.step(id, async () => {
      assert.equal(log.includes(`${named}${id}.${key}`), true, `${id}.${key} in ${linesAbout(log, id)}`);
      assert.equal((await new SsoBrowser(service).get(`/login/saml?idp_id=${id}`)).status, 404);
    });
  }
  await test.step("other providers and methods work", async () => {
    assertAccepted(await attempt({ service, id: "acme", key }, (right) => buildResponse(right)));
    const labels = [
      ...(await new SsoBrowser(service).get("/login")).text.matchAll(/Log in with Provider (\w+)</g),
    ];
    assert.deepEqual(labels.map(([, name]) => name), ["acme", "label2"]);
    const answer = await service.fetch("/settings.json", { headers: { apikey: BERTS_KEY } });
    assert.equal((await answer.json()).user, "bert");
  });
  await test.step("a check of the configuration fails with the same words", async () => {
    const { code, stdout, stderr } = await runMain(["check", "--home", service.home]);
    assert.equal(code, 1);
    for (const [id, key] of MISTAKES) {
      assert.equal(`${stdout}${stderr}`.includes(`${named}${id}.${key}`), true, `${id}.${key}`);
    }
  });
  await test.step("no certificate or key is in the log", () => {
    for (const secret of [key.certificate, privateKeyOf(key), expired.certificate]) {
      assert.equal(log.includes(secret.slice(0, 100)), false);
    }
  });
});

const linesAbout = (log: string, id: string) =>
  log.split("\n").filter((line) => line.includes(`identity_providers.${id}.`)).join("\n");

Deno.test("certificates of the service and of the provider that have expired are named, and logins go on", async () => {
  const providers = (origin: string) => {
    const sp = { ...(blockOf(origin, "acme", { key })["settings"] as { sp: Block }).sp };
    const keys = { x509cert: expired.certificate, privatekey: privateKeyOf(expired) };
    return { acme: blockOf(origin, "acme", { key: expired, sp: { ...sp, ...keys } }) };
  };
  await using service = await startSaml({ providers });
  const log = await service.log();
  assert.match(log, /identity_providers\.acme\.settings\.sp\.x509cert: .*expired/);
  assert.match(log, /identity_providers\.acme\.settings\.idp\.x509cert: Has expired/);
  assertAccepted(await attempt({ service, id: "acme", key }, (right) => buildResponse(right)));
});

Deno.test("the sample has the method disabled, with the defaults of the specification", async () => {
  await using service = await startService();
  const text = await Deno.readTextFile(join(ROOT, "config", "sample", "auth.cfg"));
  const { saml } = JSON.parse(JSON.stringify(parseYaml(text).value))["authentication_policies"];
  assert.equal(saml.enabled, false);
  assert.equal(
    (await new SsoBrowser(service).get("/login/saml?idp_id=acme")).status,
    404,
    "there is no such path",
  );
  for (
    const provider of Object.values(saml.identity_providers) as {
      enabled: boolean;
      settings: { security: Block };
    }[]
  ) {
    assert.equal(provider.enabled, false);
    assert.deepEqual(provider.settings.security, SAMPLE_SECURITY);
  }
});

const LICENCE_KEY = makePrivateKey();
const licence = (features: readonly string[]) =>
  signLicence(
    {
      licensee: "Example",
      edition: "enterprise",
      exp: 4_000_000_000,
      maxUsers: 99,
      maxDatabases: 9,
      features,
    },
    LICENCE_KEY,
  );

for (const [features, isOn] of [[["jwt"], false], [["saml"], true]] as const) {
  Deno.test(`with a licence for ${features.join()} logins by SAML are ${isOn ? "on" : "off"}`, async () => {
    await using service = await startSaml({
      providers: (origin) => ({ acme: blockOf(origin, "acme", { key }) }),
      ini: [`license.public_key = ${publicKeyOf(LICENCE_KEY)}`],
      files: { "config/license.key": licence(features) },
    });
    const browser = new SsoBrowser(service);
    const { text } = await browser.get("/login");
    assert.equal(text.includes("Log in with Provider acme"), isOn);
    assert.equal(
      (await service.log()).includes("Authentication by saml is off: the licence does not have it"),
      !isOn,
    );
    const settings = await (await service.fetch("/settings.json")).json();
    const { saml } = settings.auth_settings.authentication_policies;
    assert.equal(saml.enabled, isOn);
    assert.equal(JSON.stringify(saml).includes("Provider acme"), isOn);
    if (isOn) {
      assertAccepted(await attempt({ service, id: "acme", key }, (right) => buildResponse(right)));
      return;
    }
    for (
      const path of [
        "/login/saml?idp_id=acme",
        "/sso/metadata/saml/acme.xml",
        "/sso/callback/saml/acme?note=x",
      ]
    ) {
      assert.notEqual((await browser.arrive(path)).status, 200, path);
    }
  });
}

Deno.test("without user public, logins and metadata are there all the same", async () => {
  await using service = await startSaml({
    users: USERS.replace(/^public: .*\n/, ""),
    providers: (origin) => ({ acme: blockOf(origin, "acme", { key }) }),
  });
  assert.equal((await new SsoBrowser(service).get("/db.html")).status, 403);
  assert.equal(await statusOf(service.fetch("/sso/metadata/saml/acme.xml")), 200);
  const browser = new SsoBrowser(service);
  const begun = await browser.begin("acme", NEXT);
  const right = rightAnswer({ service, id: "acme", key }, begun);
  const landing = await browser.bring("acme", buildResponse(right), begun.relayState);
  assert.deepEqual([landing.user, landing.path], ["anna", NEXT]);
});

Deno.test("below a prefix everything leads below it", async () => {
  const providers = (origin: string) => ({ acme: blockOf(`${origin}/rowhouse`, "acme", { key }) });
  await using service = await startSaml({
    providers,
    args: ["--base-url", "http://service.example/rowhouse"],
  });
  const browser = new SsoBrowser(service);
  const { headers, text } = await browser.get("/rowhouse/login?next=%2Frowhouse%2Fdb%2FDemo.html");
  assert.equal(headers.get("content-type")?.startsWith("text/html"), true);
  assert.match(text, /href="\/rowhouse\/login\/saml\?idp_id=acme&amp;next=%2Frowhouse%2Fdb%2FDemo\.html"/);
  const answer = await browser.get("/rowhouse/login/saml?idp_id=acme");
  assert.match(answer.headers.getSetCookie()[0] ?? "", /^auth_saml=.*; Path=\/rowhouse; HttpOnly/);
  const posted = await browser.sendForm("/rowhouse/sso/callback/saml/acme", { SAMLResponse: "x" });
  assert.match(posted.headers.get("location") ?? "", /^\/rowhouse\/sso\/callback\/saml\/acme\?note=/);
});

Deno.test("a method that is hidden has no buttons, and works", async (test) => {
  const providers = (origin: string) => ({ acme: blockOf(origin, "acme", { key }) });
  const ini = ["login_throttle.burst = 3"];
  await using service = await startSaml({ providers, ini, policy: { gui: { visible: false } } });
  const place = { service, id: "acme", key };
  await test.step("there is no button", async () => {
    assert.equal((await new SsoBrowser(service).get("/login")).text.includes("Provider acme"), false);
  });
  await test.step("logins work, and are in the audit log as refused ones are", async () => {
    assertAccepted(await attempt(place, (right) => buildResponse(right)));
    assertRefused(await attempt(place, (right) => buildResponse({ ...right, nameId: "eve@example.com" })));
    const lines = (await Deno.readTextFile(join(service.home, "log", "audit.log"))).trim().split("\n");
    const events = lines.map((line) => JSON.parse(line)).filter(({ target }) => /saml/.test(target));
    assert.deepEqual(
      events.map(({ user, action, outcome }) => ({ user, action, outcome })),
      [
        { user: "anna", action: "login", outcome: "success" },
        { user: undefined, action: "login", outcome: "refused" },
      ],
    );
    assert.deepEqual(events.map(({ value }) => value), ["anna@example.com", "eve@example.com"]);
    assert.match(events[1].reason, /^identity provider acme: no user has the "email"/);
  });
  await test.step("attack: whoever sends wrong documents has to wait in the end", async () => {
    const browser = new SsoBrowser(service);
    const begun = await browser.begin("acme", NEXT);
    const document = buildResponse({ ...rightAnswer(place, begun), signs: [] });
    const statuses: number[] = [];
    while (statuses.length < 20 && !statuses.includes(429)) {
      statuses.push((await browser.bring("acme", document)).status);
    }
    assert.equal(statuses.at(-1), 429, statuses.join());
  });
  await test.step("attack: nothing that such a sender sends is read, whether right or wrong", async () => {
    const browser = new SsoBrowser(service);
    const begun = await browser.begin("acme", NEXT);
    assert.equal((await browser.bring("acme", buildResponse(rightAnswer(place, begun)))).status, 429);
    const logout = await browser.sendForm("/sso/logout/saml/acme", { SAMLRequest: "x" });
    assert.equal(logout.status, 429);
    for (const path of ["callback", "logout"]) {
      assert.equal((await browser.get(`/sso/${path}/saml/acme?note=x`)).status, 429, path);
    }
  });
  await test.step("attack: pages of other sites that send wrong documents make nobody with a key wait", async () => {
    assert.equal(
      await statusOf(service.fetch("/db.json", { headers: { apikey: "wrong-0123456789abcdef" } })),
      403,
    );
  });
});

Deno.test("a method that is off has no paths", async () => {
  const providers = (origin: string) => ({ acme: blockOf(origin, "acme", { key }) });
  await using service = await startSaml({ providers, policy: { enabled: false } });
  const browser = new SsoBrowser(service);
  for (
    const path of ["/login/saml?idp_id=acme", "/sso/metadata/saml/acme.xml", "/sso/callback/saml/acme?note=x"]
  ) {
    assert.match(String((await browser.get(path)).status), /^40[04]$/, path);
  }
  assert.equal((await browser.get("/login")).text.includes("Provider acme"), false);
});
