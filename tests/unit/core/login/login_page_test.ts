import assert from "node:assert/strict";
import { loginProblemIn, loginProblemLink } from "@/core/login/login_page.ts";
import { createSeals } from "@/core/identity/sessions/seal.ts";
import type { DeriveSecrets } from "@/core/identity/sessions/secret.ts";

const KEY = new Uint8Array(32).fill(1);
const secrets: DeriveSecrets = () => [KEY];

function queryOf(link: string): URLSearchParams {
  return new URL(link, "http://service.example").searchParams;
}

Deno.test("the login page is told what went wrong and where the login leads, and nobody can read it on the way", () => {
  const service = { prefix: "/rest", secrets };
  const link = loginProblemLink({ message: "The login at Acme failed", next: "/rest/db?a=1" }, service);
  assert.equal(link.startsWith("/rest/login?next=%2Frest%2Fdb%3Fa%3D1&problem="), true);
  assert.equal(link.includes("Acme"), false);
  assert.equal(loginProblemIn(queryOf(link), service), "The login at Acme failed");
});

Deno.test("attack: nobody else can make the login page say anything", () => {
  const service = { prefix: "", secrets };
  const sealedByMethod = createSeals("saml", [KEY], Date.now).seal("Call 0900 1234", 60);
  for (const problem of ["Call 0900 1234", "", sealedByMethod]) {
    assert.equal(loginProblemIn(new URLSearchParams({ problem }), service), undefined);
  }
  assert.equal(loginProblemIn(new URLSearchParams(), service), undefined);
});
