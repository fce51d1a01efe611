/**
 * Login and password from the form of the login page, or as JSON: opens a session.
 *
 * @module
 */

import type { AuthHost, AuthPlugin, Form, LoginPage, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { settleAttempt } from "@/plugins/kit/password_attempt.ts";

export default {
  contract: 2,
  kind: "auth",
  name: "login_form",
  setup(_section, host) {
    return {
      authenticate: () => ({ outcome: "absent" }),
      routes: [{ method: "POST", path: "/login", handle: (request) => logIn(request, host) }],
      form: (page) => describeForm(page, host),
    };
  },
} satisfies AuthPlugin;

function describeForm({ next }: LoginPage, { prefix }: AuthHost): Form {
  return {
    action: `${prefix}/login`,
    fields: [
      { name: "login", label: "Login", kind: "text", required: true, autocomplete: "username" },
      {
        name: "password",
        label: "Password",
        kind: "password",
        required: false,
        autocomplete: "current-password",
      },
    ],
    hidden: { next },
    submit: "Log in",
  };
}

/** An unknown login and a wrong password get the same answer after the same time. */
async function logIn(request: RouteRequest, host: AuthHost): Promise<RouteAnswer> {
  const fields = await request.fields();
  // Keyboards of phones add a space to a word that they complete; no login has one.
  const login = fields.get("login")?.trim();
  const password = fields.get("password");
  const next = host.localPath(fields.get("next") ?? "");
  const back = next === undefined ? {} : { next };
  if (login === undefined || password === undefined) {
    const missing = login === undefined ? "login" : "password";
    return {
      kind: "refused",
      code: "bad-request",
      message: `Cannot log in: the text "${missing}" is missing`,
      ...back,
    };
  }
  const attempt = await host.throttle.beginForm(request.client.network, login);
  const user = await settleAttempt(attempt, host.checkPassword(login, password));
  if (!user) {
    const event = {
      action: "login",
      outcome: "refused",
      user: login,
      reason: "a wrong login or password",
    } as const;
    const message = "The login or the password is not right";
    return { kind: "refused", code: "forbidden", message, values: { login }, event, ...back };
  }
  return {
    kind: "done",
    to: next ?? `${host.prefix}/`,
    status: 303,
    result: { user: user.login },
    cookies: await host.sessions.open(user, request),
    event: { action: "login", outcome: "success", user: user.login },
  };
}
