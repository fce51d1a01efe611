/**
 * HTTP Basic: login and password with every request. The service sends no challenge, so browsers do not open their own
 * login box.
 *
 * @module
 */

import type { AuthHost, AuthPlugin, AuthRequest, AuthResult } from "@/plugins/contract.ts";
import { type Credentials, parseBasic } from "./credentials.ts";
import { Remembered } from "./remembered.ts";

export default {
  contract: 1,
  kind: "auth",
  name: "basic",
  keys: [],
  setup(_section, host) {
    const remembered = new Remembered(host);
    return {
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "Login and password of a user." },
      },
      authenticate: (request) => authenticate(request, remembered, host),
    };
  },
} satisfies AuthPlugin;

function authenticate(
  request: AuthRequest,
  remembered: Remembered,
  host: AuthHost,
): AuthResult | Promise<AuthResult> {
  const header = request.headers.get("authorization");
  if (header === null || !/^basic(?: |$)/i.test(header)) return { outcome: "absent" };
  const credentials = parseBasic(header);
  if (!credentials) return { outcome: "rejected", reason: "a header that cannot be read" };
  return decide(request, credentials, { remembered, host });
}

async function decide(
  { client: { network } }: AuthRequest,
  credentials: Credentials,
  { remembered, host }: { readonly remembered: Remembered; readonly host: AuthHost },
): Promise<AuthResult> {
  const user = await remembered.check(credentials, network, () => verify(credentials, network, host));
  return user
    ? { outcome: "accepted", user }
    : { outcome: "rejected", reason: "a wrong login or password", login: credentials.login, counted: true };
}

async function verify({ login, password }: Credentials, network: string, host: AuthHost) {
  const attempt = await host.throttle.beginPassword(network, login);
  const user = await host.checkPassword(login, password).catch(async (error) => {
    // The password was not checked, so this is not a failed attempt.
    await attempt.succeeded();
    throw error;
  });
  if (user) await attempt.succeeded();
  return user;
}
