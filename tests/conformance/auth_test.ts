import assert from "node:assert/strict";
import type { AuthMethod, AuthPlugin, AuthResult, RouteAnswer, User } from "@/plugins/contract.ts";
import { AUTH_TESTS, type AuthSubject, testAuth } from "@/tests/conformance/auth.ts";
import { hostOf, sessionOf, taking } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";

const anna = userOf("anna");
const host = hostOf();

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
  const plugin: AuthPlugin = {
    contract: 1,
    kind: "auth",
    name: "token",
    setup: taking(method, ["token", "signature"]),
  };
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
  [
    "a requirement of what is no scheme",
    "keeps the contract",
    subject(decide, { securitySchemes: { token: {} }, securityRequirements: [["key"]] }),
  ],
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

const DONE: RouteAnswer = { kind: "done", to: "/", status: 303, result: { user: "anna" }, cookies: [] };
const ENTER = { method: "POST", path: "/enter" } as const;

/** A method whose route takes a token. */
function routed(answer: (token: string, next: string) => RouteAnswer, more: Partial<AuthMethod> = {}) {
  const plain = subject(decide, {
    authenticate: () => ({ outcome: "absent" }),
    routes: [{
      ...ENTER,
      handle: async ({ fields }) => {
        const given = await fields();
        return answer(given.get("token") ?? "", given.get("next") ?? "/");
      },
    }],
    ...more,
  });
  const attempt = (token: string) => ({ name: token, route: ENTER, fields: { token }, secrets: [token] });
  return {
    ...plain,
    accepted: [{ ...attempt("open-sesame"), login: "anna" }],
    rejected: [attempt("abracadabra")],
  };
}

function enter(token: string): RouteAnswer {
  return token === "open-sesame" ? DONE : { kind: "refused", code: "forbidden", message: "An unknown token" };
}

testAuth("token", () => routed(enter).plugin, routed(enter));

const OLD_COOKIE = { name: "an old cookie", headers: { Cookie: "old" }, secrets: [] };

/** Mistakes with sessions, cookies, routes and pages. */
const PAGE_MISTAKES: readonly (readonly [mistake: string, test: string, broken: AuthSubject])[] = [
  [
    "that rejects what is over",
    "ignores what is over, and takes it back",
    { ...subject(decide, { authenticate: () => REJECTED }), ignored: [OLD_COOKIE] },
  ],
  [
    "that leaves an old cookie",
    "ignores what is over, and takes it back",
    { ...subject(decide), ignored: [OLD_COOKIE] },
  ],
  [
    "whose cookie begins a header",
    "gives cookies that are whole",
    subject(() => ({ outcome: "accepted", user: anna, cookies: ["a=b; SameSite=Lax\r\nX: y"] })),
  ],
  [
    "whose cookie goes to every site",
    "gives cookies that are whole",
    subject(() => ({ outcome: "accepted", user: anna, cookies: ["a=b; SameSite=None"] })),
  ],
  [
    "with the session of somebody else",
    "knows the user of a session",
    subject(() => ({ outcome: "accepted", user: anna, session: sessionOf(userOf("eve")) })),
  ],
  [
    "that opens sessions for nonsense",
    "has routes that answer whatever comes",
    routed(() => ({ ...DONE, event: { action: "login", outcome: "success" } })),
  ],
  [
    "whose route takes bodies without end",
    "has routes that answer whatever comes",
    routed(enter, { routes: [{ ...ENTER, maxBody: Infinity, handle: () => DONE }] }),
  ],
  ["whose route accepts nobody", "accepts valid credentials", routed(() => enter(""))],
  ["whose route lets everybody in", "rejects invalid credentials", routed(() => DONE)],
  [
    "whose route has no path",
    "has routes that answer whatever comes",
    routed(enter, { routes: [{ method: "GET", path: "login*", handle: () => DONE }] }),
  ],
  [
    "whose button leads elsewhere",
    "describes a form and buttons that can be shown",
    subject(decide, { buttons: () => [{ label: "Enter", href: "//evil.example" }] }),
  ],
  [
    "whose form has a password in it",
    "describes a form and buttons that can be shown",
    subject(decide, {
      form: () => ({
        action: "/enter",
        submit: "Enter",
        hidden: {},
        fields: [{
          name: "token",
          label: "Token",
          kind: "password",
          required: true,
          autocomplete: "off",
          value: "open-sesame",
        }],
      }),
    }),
  ],
  [
    "that sends people wherever they ask",
    "sends nobody to another site after a login",
    routed((token, next) => token === "open-sesame" ? { ...DONE, to: next } : enter(token)),
  ],
];

/** A method whose requests have a method, an address and a number that counts only once. */
function signed(mistake?: "address" | "method" | "replay" | "parameter"): AuthSubject {
  const seen = new Set<string>();
  const made = subject(decide, {
    queryParameters: mistake === "parameter" ? [] : ["nonce"],
    authenticate({ method, headers, credentials, client }) {
      const signature = headers.get("signature");
      if (signature === null) return { outcome: "absent" };
      const nonce = credentials.get("nonce") ?? "";
      const isNew = !seen.has(nonce) && /^[0-9a-f-]{36}$/.test(nonce);
      if (mistake !== "replay") seen.add(nonce);
      const verb = mistake === "method" ? "GET" : method;
      const address = mistake === "address" ? "192.0.2.7" : client.address;
      if (signature === `${verb} ${address} ${nonce}` && isNew) return { outcome: "accepted", user: anna };
      return REJECTED;
    },
  });
  const fresh = (change: string) => ({
    name: `a signature with ${change || "everything"}`,
    method: "PUT",
    address: "198.51.100.9",
    secrets: [],
    renew: () => {
      const nonce = crypto.randomUUID();
      return { url: `/db/Demo?nonce=${nonce}`, headers: { signature: `PUT 198.51.100.9 ${nonce}${change}` } };
    },
  });
  return {
    ...made,
    once: true,
    accepted: [{ ...fresh(""), login: "anna" }],
    rejected: [fresh(" and more")],
  };
}

const right = signed();
testAuth("token", () => right.plugin, right);

for (const mistake of ["address", "method", "parameter"] as const) {
  Deno.test(`the suite notices a signature without its ${mistake}`, async () => {
    const test = AUTH_TESTS["accepts valid credentials"];
    await assert.rejects(async () => await test?.(signed(mistake)), assert.AssertionError);
  });
}

Deno.test("the suite notices a method that answers while a network has to wait", async () => {
  const test = AUTH_TESTS["lets a network wait that has sent too many wrong credentials"];
  const made = subject(decide);
  const asksLate: AuthPlugin = {
    ...made.plugin,
    setup: (_section, { throttle }) => ({
      authenticate(request) {
        const result = made.method.authenticate(request);
        if ("outcome" in result && result.outcome === "rejected") throttle.requireTurn(request.client);
        return result;
      },
    }),
  };
  for (const plugin of [asksLate, { ...made.plugin, setup: () => made.method }]) {
    await assert.rejects(async () => await test?.({ ...made, plugin }), assert.AssertionError);
  }
});

Deno.test("the suite notices a login form whose guesses nobody counts", async () => {
  const test = AUTH_TESTS["lets a network wait that has sent too many wrong credentials"];
  const path = "/enter";
  const handle =
    () => ({ kind: "done", to: "/", status: 303, result: { user: "anna" }, cookies: [] } as const);
  const made = subject(decide);
  const method: AuthMethod = {
    ...made.method,
    form: () => ({ action: path, fields: [], hidden: {}, submit: "Log in" }),
    routes: [{ method: "POST", path, handle }],
  };
  const accepted = [{ name: "a form", login: "anna", route: { method: "POST", path }, secrets: [] }] as const;
  const plugin: AuthPlugin = { ...made.plugin, setup: () => method };
  await assert.rejects(
    async () => await test?.({ ...made, plugin, method, accepted }),
    assert.AssertionError,
  );
});

Deno.test("the suite notices a signature that is accepted again", async () => {
  const test = AUTH_TESTS["accepts a request only once"];
  await assert.rejects(async () => await test?.(signed("replay")), assert.AssertionError);
});

for (const [mistake, test, broken] of [...MISTAKES, ...PAGE_MISTAKES]) {
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
