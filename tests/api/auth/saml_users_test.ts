import assert from "node:assert/strict";
import { userOf } from "@/tests/conformance/users.ts";
import {
  assertAccepted,
  assertRefused,
  attempt,
  type Place,
  problemOf,
  rightAnswer,
  type Write,
} from "./saml/attempt.ts";
import { readBegun, SsoBrowser } from "./saml/browser.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { type Block, blockOf, sharedSaml, USERS } from "./saml/home.ts";
import { HAS_XMLLINT, validate } from "./saml/judges.ts";
import { logIn, makeSubject, rightMetadata, xmlOf } from "./saml/method.ts";
import { buildResponse } from "./saml/response.ts";
import type { ResponseOptions } from "./saml/response_options.ts";

const key = await makeIdentity("provider");
const ADMINS_KEY = "admin-0123456789abcdef0123456789abcdef";

/** Providers that differ in how they find users. */
const MATCHES: Readonly<Record<string, Block>> = {
  byname: { saml_auth_attribute: "NameID" },
  bymail: { saml_auth_attribute: "mail" },
  byfriend: { saml_auth_attribute: "Friendly" },
  bylogin: { user_config_attribute: "login" },
  group: { saml_auth_attribute: "groups", saml_auth_regex: "cn=(staff),.*", user_config_attribute: "login" },
  domain: { saml_auth_regex: ".*@(acme\\.com)" },
  whole: { saml_auth_regex: "(?:anna|carl)@example\\.com" },
  either: { saml_auth_regex: "anna|evil@x", user_config_attribute: "login" },
  named: { saml_auth_regex: "(?P<user>\\w+)@example\\.com", user_config_attribute: "login" },
  nested: { saml_auth_regex: "((\\w)\\w+)@example\\.com", user_config_attribute: "login" },
  optional: { saml_auth_regex: "(x)?anna@example\\.com", user_config_attribute: "login" },
  slow: { saml_auth_regex: "(a+)+$", user_config_attribute: "login" },
  lines: { saml_auth_regex: "(\\w+)", user_config_attribute: "login" },
};

const running = sharedSaml({
  users:
    `${
      USERS.replace("admin: {}", `admin: {apikey: ${ADMINS_KEY}}`)
    }aaa: {name: aaa, databases: {Demo: {}}}\nCarl: {email: carl@example.com, databases: {Demo: {}}}\n` +
    `dora: {email: dora@example.com, enabled: false}\nold: {email: moved@example.com, enabled: false}\n` +
    `new: {email: moved@example.com, databases: {Demo: {}}}\n`,
  providers: (origin) => ({
    ...Object.fromEntries(
      Object.entries(MATCHES).map(([id, block]) => [id, blockOf(origin, id, { key, block })]),
    ),
    nameless: blockOf(origin, "nameless", {
      key,
      security: { wantNameId: false },
      block: { saml_auth_attribute: "mail" },
    }),
    statement: blockOf(origin, "statement", { key, security: { wantAttributeStatement: true } }),
  }),
});
const at = (id: string): Place => ({ service: running(), id, key });
const say = (changes: Partial<ResponseOptions>): Write => (right) => buildResponse({ ...right, ...changes });
const nameId = (name: string) => say({ nameId: name });
const attribute = (name: string, ...values: readonly string[]) =>
  say({ nameId: "somebody", attributes: [{ name, values }] });

const MAIL = { name: "mail", values: ["anna@example.com"] };

/** The user of a provider's answer: a login, or none. */
const CASES: readonly (readonly [what: string, id: string, write: Write, user?: string])[] = [
  ["the NameID of a user", "byname", nameId("anna@example.com"), "anna"],
  ["the NameID in another case", "byname", nameId("Anna@example.com")],
  ["the NameID with a blank", "byname", nameId("anna@example.com ")],
  ["the NameID of nobody", "byname", nameId("eve@example.com")],
  ["an empty NameID", "byname", nameId("")],
  ["no NameID", "byname", say({ nameId: null })],
  ["the e-mail address of public", "byname", nameId("public@example.com")],
  ["the login public", "bylogin", nameId("public")],
  ["a value that two users have", "byname", nameId("twin@example.com")],
  ["the address of a user who is disabled", "byname", nameId("dora@example.com")],
  ["the login of a user who is disabled", "bylogin", nameId("dora")],
  ["a value that a disabled user has, too,", "byname", nameId("moved@example.com"), "new"],
  ["a name of JavaScript", "bylogin", nameId("__proto__")],
  ["a login", "bylogin", nameId("anna"), "anna"],
  ["a login in another case", "bylogin", nameId("carl")],
  ["an attribute", "bymail", attribute("mail", "anna@example.com"), "anna"],
  ["an attribute in another case", "bymail", attribute("Mail", "anna@example.com")],
  ["another attribute", "bymail", attribute("email", "anna@example.com")],
  ["an attribute without value", "bymail", attribute("mail")],
  [
    "an attribute of several values, one of a user",
    "bymail",
    attribute("mail", "x@x", "anna@example.com"),
    "anna",
  ],
  [
    "an attribute of the same value twice",
    "bymail",
    attribute("mail", "anna@example.com", "anna@example.com"),
    "anna",
  ],
  ["an attribute of two users", "bymail", attribute("mail", "anna@example.com", "bert@example.com")],
  [
    "an attribute that is there twice, of two users",
    "bymail",
    say({
      attributes: [{ name: "mail", values: ["anna@example.com"] }, {
        name: "mail",
        values: ["bert@example.com"],
      }],
    }),
  ],
  ["a name with a letter of another script", "byname", nameId("\u0430nna@example.com")],
  ["a name with a letter that has no width", "byname", nameId("anna@example.com\u200b")],
  ["a name in full width", "bylogin", nameId("\uff41nna")],
  ["no attribute", "bymail", say({ attributes: null })],
  [
    "an attribute of a friendly name",
    "byfriend",
    say({ attributes: [{ name: "urn:oid:1", friendlyName: "Friendly", values: ["anna@example.com"] }] }),
    "anna",
  ],
  ["a group", "group", attribute("groups", "cn=crew,dc=x", "cn=staff,dc=x"), "staff"],
  [
    "groups without the one",
    "group",
    attribute("groups", "cn=crew,dc=x", "xcn=staff,dc=x", "cn=staffs,dc=x"),
  ],
  ["anybody of a domain", "domain", nameId("whoever@acme.com"), "staff"],
  ["anybody of a longer domain", "domain", nameId("whoever@acme.com.evil.example")],
  ["anybody of a domain like it", "domain", nameId("whoever@acmeXcom")],
  ["a line behind the domain", "domain", nameId("whoever@acme.com\nx")],
  ["a line before the domain", "domain", nameId("x\nwhoever@acme.com")],
  ["a line's end behind the domain", "domain", nameId("whoever@acme.com\n")],
  ["the whole value without groups", "whole", nameId("anna@example.com"), "anna"],
  ["something before the whole value", "whole", nameId("xanna@example.com")],
  ["something behind the whole value", "whole", nameId("anna@example.comx")],
  ["the first alternative", "either", nameId("anna"), "anna"],
  ["something behind the first alternative", "either", nameId("annabel")],
  ["something before the last alternative", "either", nameId("an evil@x")],
  ["a named group", "named", nameId("anna@example.com"), "anna"],
  ["the outer of two groups", "nested", nameId("anna@example.com"), "anna"],
  ["a group that takes no part", "optional", nameId("anna@example.com")],
  ["a pattern of nested repetitions that fits", "slow", nameId("aaa"), "aaa"],
  ["a pattern that would run for ever", "slow", nameId(`${"a".repeat(5_000)}!`)],
  ["a value of 1,024 characters", "domain", nameId(`${"x".repeat(1_015)}@acme.com`), "staff"],
  ["a value that is longer", "domain", nameId(`${"x".repeat(1_016)}@acme.com`)],
  ["a pattern with a newline", "lines", nameId("anna\nbert")],
  ["an attribute without NameID", "nameless", say({ nameId: null, attributes: [MAIL] }), "anna"],
  ["no NameID where wantNameId is true", "bymail", say({ nameId: null, attributes: [MAIL] })],
  ["attributes where wantAttributeStatement is true", "statement", nameId("anna@example.com"), "anna"],
  ["no attributes where wantAttributeStatement is true", "statement", say({ attributes: null })],
];

for (const [what, id, write, user] of CASES) {
  Deno.test(`${what} ${user === undefined ? "is nobody here" : `is ${user}`}, with ${JSON.stringify(id)}`, async () => {
    const result = await attempt(at(id), write);
    if (user === undefined) assertRefused(result);
    else assertAccepted(result, user);
  });
}

Deno.test("attack: whoever is disabled or removed while the answer is on its way gets no session", async () => {
  const anna = userOf("anna", { email: "anna@example.com" });
  const users = new Map([["anna", anna]]);
  const host = { findUser: (login: string) => users.get(login), findUsersBy: () => [...users.values()] };
  await using subject = await makeSubject({ answer: () => xmlOf(rightMetadata(key)), host });
  assert.equal(await logIn(subject, key), "anna");
  const onTheWay = () => users.clear();
  assert.equal(
    await logIn(subject, key, undefined, { onTheWay }),
    "forbidden: The answer of Provider acme is not valid (request request-1): try again, or tell the administrator",
  );
});

/** Messages for the person and for operators. */
const TOLD: readonly (readonly [what: string, name: string, told: string, reason: string, id?: string])[] = [
  [
    "nobody here",
    "eve@example.com",
    "There is no account for you here: Provider byname says that you are &quot;eve@example.com&quot;. " +
    "Ask the administrator for one, or log in with another",
    'no user has the "email" that the assertion has as "NameID"',
  ],
  [
    "two people here",
    "twin@example.com",
    "Provider byname says that you are &quot;twin@example.com&quot;, and two accounts here have that: " +
    "ask the administrator which one is yours",
    'several users have the "email" that the assertion has as "NameID"',
  ],
  [
    "named by something else",
    "somebody",
    "Provider group has logged you in, but leaves out what your account here is found by: ask the administrator",
    'an assertion without "groups"',
    "group",
  ],
];

for (const [what, name, told, reason, id = "byname"] of TOLD) {
  Deno.test(`who is ${what} is told so, and admin sees what the provider said`, async () => {
    const result = await attempt(at(id), nameId(name));
    assert.equal(problemOf(result).replaceAll('"', "&quot;"), told);
    const audit = (await Deno.readTextFile(`${running().home}/log/audit.log`)).trim().split("\n");
    const line = audit.map((each) => JSON.parse(each)).findLast(({ action }) => action === "login");
    assert.deepEqual([line.value, line.reason], [name, `identity provider ${id}: ${reason}`]);
    const status = await running().fetch("/reqstatus.json", { headers: { apikey: ADMINS_KEY } });
    const { refused_logins: [refused], recent } = await status.json();
    assert.deepEqual([refused.value, refused.reason, refused.request_id], [name, line.reason, line.request]);
    assert.equal((await running().log()).includes(name), false, "the log has no values");
    const callbacks = recent.filter(({ path }: { path: string }) => path === `/sso/callback/saml/${id}`);
    assert.ok(callbacks.length >= 2, "the provider's answer and the note that follows it are listed");
    assert.ok(callbacks.every(({ query }: { query: string }) => query === ""));
  });
}

Deno.test("the audit log tells which person of a group has logged in, and no refusal is listed for that", async () => {
  const refusals = async () => {
    const status = await running().fetch("/reqstatus.json", { headers: { apikey: ADMINS_KEY } });
    return (await status.json()).refused_logins;
  };
  const before = await refusals();
  assertAccepted(await attempt(at("group"), attribute("groups", "cn=staff,dc=acme")), "staff");
  const audit = (await Deno.readTextFile(`${running().home}/log/audit.log`)).trim().split("\n");
  const { user, outcome, value } = JSON.parse(audit.at(-1) ?? "");
  assert.deepEqual([user, outcome, value], ["staff", "success", "somebody"]);
  assert.deepEqual(await refusals(), before);
});

Deno.test("the button after a failure asks the provider which account is meant", async () => {
  const { text } = await attempt(at("byname"), nameId("eve@example.com"));
  const [, href = ""] = /href="([^"]*idp_id=byname[^"]*)"/.exec(text) ?? [];
  const begun = readBegun(await new SsoBrowser(running()).get(href.replaceAll("&amp;", "&")));
  assert.match(begun.request, / ForceAuthn="true"/);
  if (HAS_XMLLINT) assert.equal(await validate(begun.request, "protocol"), "ok");
  const usual = await new SsoBrowser(running()).begin("byname");
  assert.equal(usual.request.includes("ForceAuthn"), false);
});

Deno.test("attack: what a provider says of somebody is told in no other browser", async () => {
  const [victim, attacker] = [new SsoBrowser(running()), new SsoBrowser(running())];
  const begun = await victim.begin("byname", "/db/Demo.html");
  const right = rightAnswer(at("byname"), begun);
  const document = buildResponse({ ...right, nameId: "eve@example.com" });
  const landing = await attacker.bring("byname", document);
  assert.match(
    problemOf(landing),
    /^The login at Provider byname has expired, or was not begun in this browser/,
  );
  assert.equal(landing.text.includes("eve@example.com"), false);
});

Deno.test("an answer that is wrong names the request in the log, and one that is late says so", async () => {
  const wrong = await attempt(at("byname"), say({ signs: [] }));
  const [, id = ""] =
    /^The answer of Provider byname is not valid \(request ([\w-]+)\)/.exec(problemOf(wrong)) ?? [];
  assert.match(wrong.logged, new RegExp(`a response without signature \\(${id}\\)`));
  const late = await attempt(at("byname"), say({ notOnOrAfter: -100 }));
  assert.equal(problemOf(late), "The login at Provider byname has expired: try again");
});
