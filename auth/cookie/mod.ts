/**
 * The session cookie. An expired, unknown or broken cookie counts as none and is cleared.
 *
 * @module
 */

import type {
  AuthHost,
  AuthPlugin,
  AuthRequest,
  AuthResult,
  RouteAnswer,
  RouteRequest,
} from "@/plugins/contract.ts";

const NAME = "auth_tkt";

export default {
  contract: 2,
  kind: "auth",
  name: "cookie",
  setup(_section, host) {
    const handle = (request: RouteRequest) => logOut(request, host);
    return {
      securitySchemes: {
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: NAME,
          description: `The session that a login opened. Over HTTPS its name is \`__Host-${NAME}\`.`,
        },
      },
      authenticate: (request) => authenticate(request, host),
      routes: [
        { method: "GET", path: "/logout", from: "same-site", handle },
        { method: "POST", path: "/logout", from: "same-site", handle },
      ],
    };
  },
} satisfies AuthPlugin;

/** Most requests have no cookie, so this check is synchronous. */
function authenticate(request: AuthRequest, host: AuthHost): AuthResult | Promise<AuthResult> {
  const header = request.headers.get("cookie");
  if (header === null || !header.includes(NAME)) return { outcome: "absent" };
  return resume(request, host);
}

async function resume(request: AuthRequest, host: AuthHost): Promise<AuthResult> {
  const { session, cookies } = await host.sessions.resume(request);
  return session
    ? { outcome: "accepted", user: session.user, session, cookies }
    : { outcome: "absent", cookies };
}

async function logOut(request: RouteRequest, host: AuthHost): Promise<RouteAnswer> {
  const { session, cookies, onward } = await host.logOut(request);
  const event = session
    ? { event: { action: "logout", outcome: "success", user: session.user.login } as const }
    : {};
  if (onward && request.wantsPage) return { ...onward, cookies, ...event };
  const result = { logged_out: true };
  return { kind: "done", to: `${host.prefix}/`, status: 302, result, cookies, ...event };
}
