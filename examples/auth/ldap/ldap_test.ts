import assert from "node:assert/strict";
import { testAuth } from "@/tests/conformance/auth.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { sectionOf as typed } from "@/tests/support/section_of.ts";
import { shared, startService, type TestService } from "@/tests/support/service.ts";
import { NO_SLAPD, startSlapd, SUFFIX } from "@/tests/support/slapd.ts";
import ldap from "./mod.ts";

const EXAMPLES = new URL("../../", import.meta.url).pathname;
const READER = `cn=reader,${SUFFIX}`;
const host = hostOf();

/** An entry of a person. */
function person(uid: string, password: string | undefined, place = ""): string {
  return `
dn: uid=${uid},${place}${SUFFIX}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: Person
employeeType: ${uid === "guest" ? "guest" : "staff"}
${password === undefined ? "" : `userPassword: ${password}\n`}`;
}

const ENTRIES = `dn: ${SUFFIX}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ${READER}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: reads

dn: ou=others,${SUFFIX}
objectClass: organizationalUnit
ou: others
${person("anna", "geheim")}${person("bert", "pass wörd")}${person("guest", "welcome")}${
  person("empty", undefined)
}
${person("twice", "geheim")}${person("twice", "geheim", "ou=others,")}`;

const slapd = shared(() => startSlapd(ENTRIES), NO_SLAPD);

/** The block in auth.cfg; the address is known while tests run. */
function sectionOf(changes: Readonly<Record<string, unknown>> = {}) {
  const { ldaps, ca } = slapd();
  return {
    ...{ url: ldaps, ca, base: SUFFIX, bind_dn: READER, bind_password: "reads" },
    filter: "(employeeType=staff)",
    ...changes,
  };
}

function check(login: string, password: string, changes?: Readonly<Record<string, unknown>>) {
  return ldap.setup(typed(ldap, sectionOf(changes))).checkPassword(login, password);
}

/** A test that needs the directory. */
function test(name: string, fn: () => Promise<void>): void {
  const title = NO_SLAPD === undefined ? name : `${name} (${NO_SLAPD})`;
  Deno.test({ name: `ldap: ${title}`, ignore: NO_SLAPD !== undefined, fn });
}

// The suite sets the method up when tests are registered, so it gets the address with its first password.
testAuth("ldap", () => ({
  ...ldap,
  setup: (section) => ({ ...ldap.setup(typed(ldap, section)), checkPassword: check }),
}), {
  section: { url: "ldaps://127.0.0.1", base: SUFFIX },
  host,
  accepted: [],
  rejected: [],
  passwords: {
    accepted: [{ login: "anna", password: "geheim" }, { login: "bert", password: "pass wörd" }],
    rejected: [
      { login: "ANNA", password: "geheim" },
      { login: " anna", password: "geheim" },
      { login: "guest", password: "welcome" },
      { login: "empty", password: "x" },
      { login: "twice", password: "geheim" },
      { login: "reader", password: "reads" },
      { login: `uid=anna,${SUFFIX}`, password: "geheim" },
      { login: "anna)(uid=*", password: "geheim" },
      { login: "PLAIN", password: "geheim" },
    ],
  },
  ...(NO_SLAPD === undefined
    ? {}
    : { skip: { "checks passwords": NO_SLAPD, "finds nobody by hostile logins and passwords": NO_SLAPD } }),
});

test("attack: a bind without password proves nothing", async () => {
  assert.equal(await check("anna", ""), false);
});

test("without the filter everybody of the directory has a password", async () => {
  assert.equal(await check("guest", "welcome", { filter: undefined }), true);
});

test("StartTLS and clear text lead to the same answers", async () => {
  const { ldap: url, ca } = slapd();
  for (const changes of [{ url, ca }, { url, unencrypted: true }]) {
    assert.deepEqual([await check("anna", "geheim", changes), await check("anna", "x", changes)], [
      true,
      false,
    ]);
  }
});

test("attack: no password goes to a server whose certificate is not the expected one", async () => {
  const { ldap: plain, ldaps } = slapd();
  for (const url of [plain, ldaps]) {
    await assert.rejects(check("anna", "geheim", { url, ca: undefined }), /certificate/);
    const named = url.replace("127.0.0.1", "localhost");
    await assert.rejects(check("anna", "geheim", { url: named }), /does not match/);
  }
});

test("a directory that refuses the search cannot tell, and the failure has no password in it", async () => {
  await assert.rejects(check("anna", "geheim", { bind_password: "wrong-reader" }), (error) => {
    assert.match(String(error), /refuses bind_dn/);
    assert.ok(!/geheim|wrong-reader/.test(String(error)));
    return true;
  });
});

for (
  const [section, message] of [
    [{ url: "https://ldap.example.com" }, /^Error: url must be an address such as ldaps:/],
    [{ url: "ldaps://ldap.example.com/dc=x" }, /^Error: url must be/],
    [{ base: "" }, /^Error: options\.base: Expected text, found empty text$/],
    [{ filter: "(uid=" }, /^Error: filter must be a filter such as/],
    [{ attribute: "uid=*" }, /^Error: options\.attribute: Expected the name of an attribute, found text$/],
    [{ bind_dn: READER }, /^Error: bind_dn and bind_password belong together$/],
    [{ timeout: 31 }, /^Error: options\.timeout: Expected a number from 0\.1 to 30, found 31$/],
    [{ unencrypted: "perhaps" }, /^Error: options\.unencrypted: Expected True or False, found text$/],
  ] as const
) {
  Deno.test(`ldap: the setup refuses ${JSON.stringify(section)}`, () => {
    const whole = { url: "ldaps://ldap.example.com", base: SUFFIX, ...section };
    assert.throws(() => ldap.setup(typed(ldap, whole)), message);
  });
}

async function withService(work: (service: TestService) => Promise<void>): Promise<void> {
  const policies = {
    ldap: { enabled: true, priority: 1, timeout: 1, ...sectionOf() },
    basic: { enabled: true, priority: 2 },
    login_form: { enabled: true, priority: 3 },
    cookie: { enabled: true, priority: 4 },
  };
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${EXAMPLES}\nlogin_throttle.burst = 50\n`,
      "config/auth.cfg": `authentication_policies: ${JSON.stringify(policies)}\n`,
      "config/users.cfg":
        "public: {databases: {Demo: {access: {Country: [read]}}}}\nadmin: {}\nanna: {databases: {Demo: {}}}\n" +
        "local: {password: own-password}\nbert: {enabled: false}\n",
    },
  });
  await work(service);
}

async function byForm(service: TestService, login: string, password: string) {
  const headers = { "Content-Type": "application/json" };
  const answer = await service.fetch("/login", {
    method: "POST",
    headers,
    body: JSON.stringify({ login, password }),
  });
  const [cookie = ""] = answer.headers.getSetCookie().map((each) => each.split(";", 1)[0]);
  return { status: answer.status, text: await answer.text(), cookie };
}

async function read(service: TestService, headers: Readonly<Record<string, string>>): Promise<number> {
  const answer = await service.fetch("/db/Demo/Port/PortId/1/Name.json", { headers });
  await answer.body?.cancel();
  return answer.status;
}

const basic = (login: string, password: string) => ({
  Authorization: `Basic ${new TextEncoder().encode(`${login}:${password}`).toBase64()}`,
});

test("people of the directory log in by form and by Basic", async () => {
  await withService(async (service) => {
    const { status, cookie } = await byForm(service, "anna", "geheim");
    assert.equal(status, 200);
    assert.equal(await read(service, { Cookie: cookie }), 200);
    assert.equal(await read(service, basic("anna", "geheim")), 200);
    const wrong = [["anna", "x"], ["bert", "pass wörd"], ["guest", "welcome"], ["local", "geheim"]] as const;
    for (const [login, password] of wrong) {
      const refused = await byForm(service, login, password);
      assert.deepEqual([refused.status, refused.text.includes("login or the password is not right")], [
        403,
        true,
      ]);
      assert.equal(await read(service, basic(login, password)), 403);
    }
    assert.ok(!/geheim|pass wörd|reads|own-password/.test(await service.log()));
  });
});

test("while the directory is down or silent, its logins are 503, never public, and others go on", async () => {
  await withService(async (service) => {
    const outages = [
      [() => slapd().stop(), () => slapd().start()],
      [() => Promise.resolve(slapd().hang()), () => Promise.resolve(slapd().goOn())],
    ] as const;
    for (const [begin, end] of outages) {
      await begin();
      try {
        assert.equal((await byForm(service, "anna", "geheim")).status, 503);
        assert.equal(await read(service, basic("anna", "geheim")), 503);
        assert.equal((await byForm(service, "local", "own-password")).status, 200);
        const page = await service.fetch("/login", { headers: { Accept: "text/html" } });
        assert.match(await page.text(), /The directory cannot be asked/);
      } finally {
        await end();
      }
      assert.equal((await byForm(service, "anna", "geheim")).status, 200);
    }
    assert.match(await service.log(), /The authentication method "ldap" failed in checkPassword\(\)/);
  });
});
