import assert from "node:assert/strict";
import { userOf } from "@/tests/conformance/users.ts";
import { assertAccepted, assertRefused, attempt, type Place, type Write } from "./saml/attempt.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { type Block, blockOf, sharedSaml, USERS } from "./saml/home.ts";
import { logIn, makeSubject, rightMetadata, xmlOf } from "./saml/method.ts";
import { buildResponse } from "./saml/response.ts";
import type { ResponseOptions } from "./saml/response_options.ts";

const key = await makeIdentity("provider");

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
    `${USERS}aaa: {name: aaa, databases: {Demo: {}}}\nCarl: {email: carl@example.com, databases: {Demo: {}}}\n` +
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

/** Whom a provider's answer is for: the user's login, or nobody. */
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
    "forbidden: The login at Provider acme is not valid here",
  );
});

Deno.test("somebody who is not known here is refused in the same words as a document that is wrong", async () => {
  const unknown = await attempt(at("byname"), nameId("eve@example.com"));
  const unsigned = await attempt(at("byname"), say({ signs: [] }));
  const alert = (text: string) => /role="alert"[^>]*>([^<]*)/.exec(text)?.[1];
  assert.equal(alert(unknown.text), alert(unsigned.text));
});
