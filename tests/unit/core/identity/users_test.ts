import assert from "node:assert/strict";
import { accountActions, enabledUsers, findUsersBy } from "@/core/identity/users.ts";
import type { User } from "@/core/model.ts";
import { userOf } from "@/tests/conformance/users.ts";

const anna = userOf("anna");
const bert = userOf("bert", { enabled: false });
const users = new Map([anna, bert].map((user) => [user.login, user]));

Deno.test("users who are disabled are not among those who can act", () => {
  assert.deepEqual([...enabledUsers(users)], [["anna", anna]]);
  assert.deepEqual([...enabledUsers(new Map())], []);
});

Deno.test("users are looked through once, because each request with a licence asks for their number", () => {
  assert.equal(enabledUsers(users), enabledUsers(users));
});

const CHANGES:
  readonly (readonly [before: User | undefined, after: User | undefined, actions: readonly string[]])[] = [
    [anna, bert, ["disable"]],
    [bert, anna, ["enable"]],
    [anna, userOf("anna", { apikeyHash: "a" }), ["key"]],
    [userOf("anna", { apikeyHash: "a" }), userOf("anna", { apikeyHash: "b" }), ["key"]],
    [userOf("anna", { apikeyHash: "a", password: "p" }), bert, ["disable", "password", "key"]],
    [anna, userOf("anna", { email: "anna@example.com" }), []],
    [undefined, userOf("anna", { password: "p" }), []],
    [userOf("anna", { password: "p" }), undefined, []],
  ];

for (const [before, after, actions] of CHANGES) {
  Deno.test(`a change of ${JSON.stringify(before)} to ${JSON.stringify(after)} is ${actions.join() || "none of its own"}`, () => {
    assert.deepEqual(accountActions(before, after), actions);
  });
}

const list = [
  userOf("public", { email: "public@example.com" }),
  userOf("anna", { email: "anna@example.com", appid: "app" }),
  userOf("bert", { email: "shared@example.com" }),
  userOf("carl", { email: "shared@example.com" }),
  userOf("dora"),
];
const people = new Map(list.map((user) => [user.login, user]));
const logins = (attribute: "login" | "name" | "email" | "appid", value: string) =>
  findUsersBy(attribute, value, { users: people }).map(({ login }) => login);

const FOUND: readonly (readonly ["login" | "name" | "email" | "appid", string, readonly string[]])[] = [
  ["email", "anna@example.com", ["anna"]],
  ["email", "Anna@example.com", []],
  ["email", "shared@example.com", ["bert", "carl"]],
  ["email", "", []],
  ["name", "", []],
  ["login", "dora", ["dora"]],
  ["login", "public", []],
  ["email", "public@example.com", []],
  ["appid", "app", ["anna"]],
  ["appid", "undefined", []],
];

for (const [attribute, value, expected] of FOUND) {
  Deno.test(`${JSON.stringify(value)} as ${attribute} leads to ${expected.join(" and ") || "nobody"}`, () => {
    assert.deepEqual(logins(attribute, value), expected);
  });
}

Deno.test("another snapshot of users has an index of its own", () => {
  assert.deepEqual(logins("login", "anna"), ["anna"]);
  assert.deepEqual(findUsersBy("login", "anna", { users: new Map() }), []);
});

Deno.test("letters A to Z count in any case where that is wanted, and no other letters", () => {
  const people = [
    ...list,
    userOf("eva", { email: "Eva@Example.com" }),
    userOf("kim", { email: "kim@example.com" }),
    userOf("kim2", { email: "KIM@example.com" }),
  ];
  const find = (value: string) =>
    findUsersBy("email", value, {
      users: new Map(people.map((user) => [user.login, user])),
      ignoreCase: true,
    })
      .map(({ login }) => login);
  assert.deepEqual(find("ANNA@example.COM"), ["anna"]);
  assert.deepEqual(find("eva@example.com"), ["eva"]);
  assert.deepEqual(find("kim@example.com"), ["kim", "kim2"], "two people are told apart by nothing else");
  assert.deepEqual(find("\u212aim@example.com"), [], "the Kelvin sign is no k");
  assert.deepEqual(find("PUBLIC@example.com"), []);
  assert.deepEqual(find(""), []);
});
