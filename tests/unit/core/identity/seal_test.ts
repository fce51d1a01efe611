import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { createSealedCookie, createSeals } from "@/core/identity/sessions/seal.ts";
import type { Secrets } from "@/core/identity/sessions/secret.ts";
import type { SealedCookie, Sender } from "@/plugins/contract.ts";

const KEY = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const at = (time: number, secrets: Secrets = [KEY], method = "jwt") =>
  createSeals(method, secrets, () => time);

Deno.test("what is sealed can be opened until its time is over, and shows nothing", () => {
  const sealed = at(0).seal("anna@example.com ä", 60);
  assert.match(sealed, /^[\w-]+$/);
  assert.equal(atob(sealed.replaceAll("-", "+").replaceAll("_", "/")).includes("anna"), false);
  assert.equal(at(59_999).unseal(sealed), "anna@example.com ä");
  assert.equal(at(60_000).unseal(sealed), undefined);
  assert.notEqual(at(0).seal("a", 60), at(0).seal("a", 60));
});

Deno.test("the previous secret opens what was sealed before the change", () => {
  const sealed = at(0).seal("text", 60);
  assert.equal(at(0, [OTHER]).unseal(sealed), undefined);
  assert.equal(createSeals("jwt", [OTHER, KEY], () => 0).unseal(sealed), "text");
});

Deno.test("attack: another method's seal, a changed one and a made-up one are not opened", () => {
  const sealed = at(0).seal("text", 60);
  assert.equal(at(0, [KEY], "saml").unseal(sealed), undefined);
  const middle = Math.floor(sealed.length / 2);
  const changed = sealed.slice(0, middle) + (sealed[middle] === "A" ? "B" : "A") + sealed.slice(middle + 1);
  for (const text of [changed, sealed.slice(1), `${sealed}A`, `${sealed}=`, "", "x", "Ä".repeat(50)]) {
    assert.equal(at(0).unseal(text), undefined, text);
  }
});

interface Options {
  readonly at?: number;
  readonly name?: string;
  readonly method?: string;
  readonly prefix?: string;
}

function cookieOf({ at = 0, name = "auth_sso", method = "jwt", prefix = "" }: Options = {}): SealedCookie {
  return createSealedCookie(name, 60, { ...createSeals(method, [KEY], () => at), prefix });
}

function sender(cookie = "", isHttps = false): Sender {
  return { headers: new Headers(cookie === "" ? {} : { Cookie: cookie }), client: clientOf({ isHttps }) };
}

const given = (options?: Options) => cookieOf(options).give("a text; with = ä", sender()).split(";")[0] ?? "";

Deno.test("a browser brings back what it was given, beside other cookies, until its time is over", () => {
  const cookie = given();
  assert.equal(cookieOf().read(sender(`a=b; ${cookie}; auth_tkt=x`)), "a text; with = ä");
  assert.equal(cookieOf({ at: 59_999 }).read(sender(cookie)), "a text; with = ä");
  assert.equal(cookieOf({ at: 60_000 }).read(sender(cookie)), undefined);
  assert.equal(cookieOf().read(sender()), undefined);
});

Deno.test("the cookie is for this service only, and no script reads it", () => {
  assert.match(
    cookieOf().give("text", sender()),
    /^auth_sso=[\w-]+; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.match(
    cookieOf({ prefix: "/rest" }).give("text", sender("", true)),
    /^auth_sso=[\w-]+; Max-Age=60; Path=\/rest; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.equal(cookieOf().clear(sender()), "auth_sso=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
});

Deno.test("attack: what another host of the domain plants is not read, and two different ones are none", () => {
  const [own = ""] = cookieOf().give("own", sender("", true)).split(";", 1);
  assert.match(own, /^__Host-auth_sso=/);
  assert.equal(cookieOf().read(sender(`${given()}; ${own}`, true)), "own");
  assert.equal(cookieOf().read(sender(given(), true)), undefined);
  assert.equal(cookieOf().read(sender(`${given()}; ${given()}`)), undefined);
});

Deno.test("attack: neither another method's cookie, nor another one, nor what was sealed otherwise is read", () => {
  const { seal } = createSeals("jwt", [KEY], () => 0);
  const value = given({ name: "other" }).replace("other=", "auth_sso=");
  for (const cookie of [given({ method: "saml" }), value, `auth_sso=${seal("text", 60)}`, "auth_sso=text"]) {
    assert.equal(cookieOf().read(sender(cookie)), undefined);
  }
});
