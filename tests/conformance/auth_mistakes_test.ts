import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { AuthMethod, AuthPlugin, AuthRequest, AuthResult } from "@/plugins/contract.ts";
import { AUTH_TESTS, type AuthSubject, testAuth } from "@/tests/conformance/auth.ts";
import { requestOf } from "@/tests/conformance/auth_attempt.ts";
import { hostOf, taking } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";

const anna = userOf("anna");

function subjectOf(method: AuthMethod, more: Partial<AuthSubject>): AuthSubject {
  const setup = taking(method, ["signature"]);
  const plugin: AuthPlugin = { contract: 2, kind: "auth", name: "odd", setup };
  return { name: "odd", plugin, method, host: hostOf(), accepted: [], rejected: [], ...more };
}

const PASSWORDS: Readonly<Record<string, string>> = { anna: "open-sesame", bert: "abracadabra" };
const known = Object.entries(PASSWORDS).map(([login, password]) => ({ login, password }));
const isRight = (login: string, password: string) =>
  Object.hasOwn(PASSWORDS, login) && PASSWORDS[login] === password;

/** A method that only checks passwords. */
function directory(checkPassword: (login: string, password: string) => unknown): AuthSubject {
  const method = { authenticate: (): AuthResult => ({ outcome: "absent" }), checkPassword };
  return subjectOf(method as AuthMethod, { passwords: { accepted: known } });
}

const right = directory(isRight);
testAuth("odd", () => right.plugin, right);

const PASSWORD_MISTAKES: readonly (readonly [
  mistake: string,
  test: string,
  check: (login: string, password: string) => unknown,
])[] = [
  ["yes to everybody", "checks passwords", () => true],
  ["no to everybody", "checks passwords", () => false],
  ["the login instead of yes", "checks passwords", (login, password) => isRight(login, password) && login],
  [
    "nothing instead of no",
    "checks passwords",
    (login, password) => isRight(login, password) || undefined,
  ],
  [
    "yes to the password of another",
    "checks passwords",
    (login, password) => login in PASSWORDS && Object.values(PASSWORDS).includes(password),
  ],
  [
    "yes to the beginning of a password",
    "checks passwords",
    (login, password) => Object.hasOwn(PASSWORDS, login) && password.startsWith(PASSWORDS[login] ?? "?"),
  ],
  ["the answer of somebody else", "checks passwords", lastAnswer()],
  [
    "yes to a login that is a pattern",
    "finds nobody by hostile logins and passwords",
    (login, password) => login === "*" || isRight(login, password),
  ],
  ["an exception for odd logins", "finds nobody by hostile logins and passwords", (login, password) => {
    if (/[^\w-]/.test(login)) throw new Error("an odd login");
    return isRight(login, password);
  }],
];

function lastAnswer(): (login: string, password: string) => Promise<boolean> {
  let last = false;
  return async (login, password) => {
    last = isRight(login, password);
    await Promise.resolve();
    return last;
  };
}

for (const [mistake, test, check] of PASSWORD_MISTAKES) {
  Deno.test(`the suite notices a method that gives ${mistake}`, async () => {
    await assert.rejects(async () => await AUTH_TESTS[test]?.(directory(check)));
  });
}

type Part = "method" | "path" | "query" | "body";

async function signature(request: AuthRequest, left?: Part, digest = request.digest): Promise<string> {
  const [path, query = ""] = request.target.split("?");
  const parts = { method: request.method, path, query, body: (await digest("sha-256")).toBase64() };
  const covered = Object.entries(parts).filter(([name]) => name !== left);
  return createHmac("sha256", "key").update(JSON.stringify(covered)).digest("base64");
}

/** A method with signatures of everything, or of all parts but one. */
function signing(left?: Part, readsAtOnce = false): AuthSubject {
  const method: AuthMethod = {
    async authenticate(request) {
      const { headers } = request;
      if (readsAtOnce) await request.digest("sha-256");
      const sent = headers.get("signature");
      if (sent === null) return { outcome: "absent" };
      const digest = headers.get("digest") ?? "";
      const told = () => Promise.resolve(bytesOf(digest));
      if (sent !== await signature(request, left, told)) {
        return { outcome: "rejected", reason: "a wrong signature" };
      }
      const isSame = left === "body" || (await request.digest("sha-256")).toBase64() === digest;
      return isSame ? { outcome: "accepted", user: anna } : { outcome: "rejected", reason: "another body" };
    },
  };
  const attempt = async (name: string, more = "") => {
    const sent = { method: "POST", url: "/db/Demo/Port?limit=1", body: "{}" };
    const request = requestOf(sent);
    const headers = {
      signature: await signature(request, left) + more,
      digest: (await request.digest("sha-256")).toBase64(),
    };
    return { name, ...sent, headers, secrets: [] };
  };
  return subjectOf(method, {
    covers: ["method", "target", "body"],
    accepted: [{ name: "a signature", login: "anna", secrets: [], renew: () => attempt("a signature") }],
    rejected: [{ name: "a wrong signature", secrets: [], renew: () => attempt("a wrong signature", "x") }],
  });
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return new Uint8Array();
  }
}

testAuth("odd", () => signing().plugin, signing());

for (const part of ["method", "path", "query", "body"] as const) {
  Deno.test(`the suite notices a signature that does not cover the ${part}`, async () => {
    const test = AUTH_TESTS["rejects a request that was changed on its way"];
    await assert.rejects(async () => await test?.(signing(part)), assert.AssertionError);
  });
}

Deno.test("the suite notices a method that reads bodies before it knows the sender", async () => {
  const test = AUTH_TESTS["reads no body of a sender it does not know"];
  await assert.rejects(async () => await test?.(signing(undefined, true)), assert.AssertionError);
});

Deno.test("the suite asks for attempts, or for passwords", () => {
  assert.throws(() => testAuth("odd", () => right.plugin, { host: hostOf(), accepted: [], rejected: [] }));
});
