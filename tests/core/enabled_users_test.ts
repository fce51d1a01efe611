import assert from "node:assert/strict";
import { enabledUsers, switchOf } from "@/core/identity/enabled_users.ts";
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

Deno.test("only a change from one to the other is a switch", () => {
  assert.equal(switchOf(anna, bert), "disable");
  assert.equal(switchOf(bert, anna), "enable");
  for (const [before, after] of [[anna, anna], [bert, bert], [undefined, anna], [bert, undefined]]) {
    assert.equal(switchOf(before, after), undefined);
  }
});
