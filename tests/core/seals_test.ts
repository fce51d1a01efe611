import assert from "node:assert/strict";
import { createSeals } from "@/core/identity/sessions/seals.ts";

const KEY = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const at = (time: number, secrets = { current: KEY }, method = "jwt") =>
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
  assert.equal(at(0, { current: OTHER }).unseal(sealed), undefined);
  assert.equal(createSeals("jwt", { current: OTHER, previous: KEY }, () => 0).unseal(sealed), "text");
});

Deno.test("attack: another method's seal, a changed one and a made-up one are not opened", () => {
  const sealed = at(0).seal("text", 60);
  assert.equal(at(0, { current: KEY }, "saml").unseal(sealed), undefined);
  const middle = Math.floor(sealed.length / 2);
  const changed = sealed.slice(0, middle) + (sealed[middle] === "A" ? "B" : "A") + sealed.slice(middle + 1);
  for (const text of [changed, sealed.slice(1), `${sealed}A`, `${sealed}=`, "", "x", "Ä".repeat(50)]) {
    assert.equal(at(0).unseal(text), undefined, text);
  }
});
