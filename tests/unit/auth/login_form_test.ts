import assert from "node:assert/strict";
import type { AuthHost, RouteAnswer } from "@/plugins/contract.ts";
import loginForm from "@/auth/login_form/mod.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { routeRequestOf, testAuth } from "@/tests/conformance/auth.ts";
import { userOf } from "@/tests/conformance/users.ts";

const PASSWORD = "walrus-teapot";
const USERS = [userOf("anna", { password: PASSWORD }), userOf("keyed")];
const ROUTE = { method: "POST", path: "/login" } as const;

const attempt = (name: string, fields: Readonly<Record<string, string>>) => ({
  name,
  route: ROUTE,
  fields,
  secrets: Object.entries(fields).flatMap(([key, text]) => key === "password" && text !== "" ? [text] : []),
});

testAuth("login_form", () => loginForm, {
  host: hostOf({ users: USERS }),
  accepted: [
    { ...attempt("login and password", { login: "anna", password: PASSWORD }), login: "anna" },
    { ...attempt("a login with a space behind it", { login: "anna ", password: PASSWORD }), login: "anna" },
  ],
  rejected: [
    attempt("a wrong password", { login: "anna", password: "teapot" }),
    attempt("an unknown login", { login: "nobody", password: PASSWORD }),
    attempt("an empty password", { login: "keyed", password: "" }),
    attempt("no password", { login: "anna" }),
    attempt("no login", { password: PASSWORD }),
    attempt("nothing", {}),
  ],
  skip: {
    "never accepts and never throws for hostile credentials": "its credentials come to its route only",
  },
});

async function logIn(fields: Readonly<Record<string, string>>, host: AuthHost): Promise<RouteAnswer> {
  const [route] = loginForm.setup({}, host).routes ?? [];
  if (!route) throw new Error("There is no route");
  return await route.handle(routeRequestOf({ route: ROUTE, fields }));
}

Deno.test("an unknown login and a wrong password get the same answer", async () => {
  const host = hostOf({ users: USERS });
  const message = "The login or the password is not right";
  const event = (user: string) =>
    ({ action: "login", outcome: "refused", user, reason: "a wrong login or password" }) as const;
  for (const [login, password] of [["nobody", PASSWORD], ["anna", "wrong"], ["keyed", "wrong"]] as const) {
    assert.deepEqual(await logIn({ login, password }, host), {
      kind: "refused",
      code: "forbidden",
      message,
      values: { login },
      event: event(login),
    });
  }
});

Deno.test("a login leads to the page that it was made for, else to the first page", async () => {
  const host = hostOf({ users: USERS });
  const cases = [["/db/Demo.html", "/db/Demo.html"], ["//evil.example", "/"], ["", "/"]] as const;
  for (const [next, to] of cases) {
    const answer = await logIn({ login: "anna", password: PASSWORD, next }, host);
    assert.equal(answer.kind === "done" && answer.to, to);
  }
});

Deno.test("a refused login keeps the page that it was made for and the login, never the password", async () => {
  const answer = await logIn({ login: "anna", password: "wrong", next: "/db" }, hostOf({ users: USERS }));
  assert.equal(answer.kind === "refused" && answer.next, "/db");
  assert.deepEqual(answer.kind === "refused" && answer.values, { login: "anna" });
});

Deno.test("an attempt counts before the password is checked, and a success is given back", async () => {
  const order: string[] = [];
  const note = (what: string) => void order.push(what);
  const host = hostOf({
    users: USERS,
    changes: {
      throttle: {
        requireTurn: () => {},
        countMessage: () => assert.fail("this is no message"),
        beginForm: (network, login) => {
          note(`begin ${network} ${login}`);
          return Promise.resolve({ succeeded: () => Promise.resolve(note("succeeded")) });
        },
        beginPassword: () => Promise.reject(new Error("this is no header")),
      },
      checkPassword: (login) => {
        note("check");
        return Promise.resolve(login === "anna" ? USERS[0] : undefined);
      },
    },
  });
  await logIn({ login: "anna", password: PASSWORD }, host);
  await logIn({ login: "bert", password: PASSWORD }, host);
  assert.deepEqual(order, [
    "begin 192.0.2.7 anna",
    "check",
    "succeeded",
    "begin 192.0.2.7 bert",
    "check",
  ]);
});

Deno.test("the form goes to the service below its prefix and comes back to the page", () => {
  const form = loginForm.setup({}, hostOf({ changes: { prefix: "/api" } })).form?.({ next: "/api/db" });
  assert.equal(form?.action, "/api/login");
  assert.deepEqual(form?.hidden, { next: "/api/db" });
  assert.deepEqual(form?.fields.map(({ name, kind, autocomplete }) => [name, kind, autocomplete]), [
    ["login", "text", "username"],
    ["password", "password", "current-password"],
  ]);
});
