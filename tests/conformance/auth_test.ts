import assert from "node:assert/strict";
import type { AuthHost, AuthMethod, AuthPlugin, AuthResult, User } from "@/plugins/contract.ts";
import { AUTH_TESTS, type AuthSubject, testAuth } from "./auth.ts";
import { userOf } from "./users.ts";

const anna = userOf("anna");
const host: AuthHost = {
  log: { info: () => {}, warn: () => {}, error: () => {} },
  setting: ((key: "appid_name") => key) as AuthHost["setting"],
  findUserByApiKey: () => undefined,
};

/** A method that knows one token, unless told otherwise. */
function subject(
  authenticate: (token: string) => AuthResult | Promise<AuthResult>,
  more: Partial<AuthMethod> = {},
) {
  const method: AuthMethod = {
    authenticate: ({ headers }) => {
      const token = headers.get("token");
      return token === null ? { outcome: "absent" } : authenticate(token);
    },
    ...more,
  };
  const plugin: AuthPlugin = { contract: 1, kind: "auth", name: "token", setup: () => method };
  const attempt = (token: string) => ({ name: token, headers: { token }, secrets: [token] });
  const made: AuthSubject = {
    name: "token",
    plugin,
    method,
    host,
    accepted: [{ ...attempt("open-sesame"), login: "anna" }],
    rejected: [attempt("abracadabra")],
  };
  return made;
}

const REJECTED: AuthResult = { outcome: "rejected", reason: "an unknown token" };

function decide(token: string): AuthResult {
  return token === "open-sesame" ? { outcome: "accepted", user: anna } : REJECTED;
}

testAuth("token", () => subject(decide).plugin, subject(decide));

Deno.test("the suite refuses to skip a test that does not exist", () => {
  const options = { ...subject(decide), skip: { "writes poems": "it is prose" } };
  assert.throws(() => testAuth("token", () => subject(decide).plugin, options), assert.AssertionError);
});

/** Methods with one mistake each, and the test that notices it. */
const MISTAKES: readonly (readonly [mistake: string, test: string, broken: AuthSubject])[] = [
  ["another name", "keeps the contract", { ...subject(decide), name: "other" }],
  [
    "a secret in what clients are told",
    "tells clients no secret",
    subject(decide, { clientSettings: { example: "open-sesame" } }),
  ],
  [
    "that is never absent",
    "is absent without credentials",
    subject(decide, { authenticate: () => REJECTED }),
  ],
  ["that accepts nobody", "accepts valid credentials", subject(() => REJECTED)],
  [
    "that takes everybody for one user",
    "accepts valid credentials",
    subject(() => ({ outcome: "accepted", user: userOf("eve") })),
  ],
  [
    "that lets wrong credentials pass as absent",
    "rejects invalid credentials",
    subject(() => ({ outcome: "absent" })),
  ],
  [
    "that repeats a wrong token",
    "shows no secret in what it says about a rejection",
    subject((token) => ({ outcome: "rejected", reason: `unknown token ${token}` })),
  ],
  [
    "that accepts an empty token",
    "never accepts and never throws for hostile credentials",
    subject((token) => token === "" ? { outcome: "accepted", user: anna } : decide(token)),
  ],
  ["that remembers the last user", "keeps requests apart that come at the same time", subject(lastUser())],
  [
    "that takes the header away",
    "changes nothing of the request",
    subject(decide, {
      authenticate: ({ headers }) => {
        headers.delete("token");
        return REJECTED;
      },
    }),
  ],
];

for (const [mistake, test, broken] of MISTAKES) {
  Deno.test(`the suite notices a method with a mistake: ${mistake}`, async () => {
    await assert.rejects(async () => await AUTH_TESTS[test]?.(broken), assert.AssertionError);
  });
}

function lastUser(): (token: string) => Promise<AuthResult> {
  let user: User | undefined;
  return async (token) => {
    if (token === "open-sesame") user = anna;
    await Promise.resolve();
    return user ? { outcome: "accepted", user } : REJECTED;
  };
}
