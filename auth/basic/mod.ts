/**
 * HTTP Basic: login and password with every request. The service sends no challenge, so browsers
 * do not open their own login box.
 *
 * @module
 */

import type { AuthHost, AuthPlugin, AuthRequest, AuthResult, User } from "@/plugins/contract.ts";
import { NetworkTurns } from "@/plugins/kit/network_turns.ts";
import { settleAttempt } from "@/plugins/kit/password_attempt.ts";
import { type Credentials, Remembered } from "./remembered.ts";

export default {
  contract: 2,
  kind: "auth",
  name: "basic",
  setup(_section, host) {
    const parts = { remembered: new Remembered(host), turns: new NetworkTurns(), host };
    return {
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "Login and password of a user." },
      },
      authenticate: (request) => authenticate(request, parts),
    };
  },
} satisfies AuthPlugin;

interface Parts {
  readonly remembered: Remembered;
  readonly turns: NetworkTurns;
  readonly host: AuthHost;
}

function authenticate(
  request: AuthRequest,
  { remembered, turns, host }: Parts,
): AuthResult | Promise<AuthResult> {
  const header = request.headers.get("authorization");
  if (header === null || !/^basic(?: |$)/i.test(header)) return { outcome: "absent" };
  const credentials = parseBasic(header);
  if (!credentials) return { outcome: "rejected", reason: "a header that cannot be read" };
  const { network } = request.client;
  const verified = remembered.check(
    credentials,
    network,
    () => turns.take(network, () => verify(credentials, network, host)),
  );
  const resultOf = (user: User | undefined): AuthResult =>
    user
      ? { outcome: "accepted", user }
      : { outcome: "rejected", reason: "a wrong login or password", login: credentials.login, counted: true };
  // Without a promise, which costs as much as the rest of the stage.
  return verified instanceof Promise ? verified.then(resultOf) : resultOf(verified);
}

async function verify({ login, password }: Credentials, network: string, host: AuthHost) {
  const attempt = await host.throttle.beginPassword(network, login);
  return await settleAttempt(attempt, host.checkPassword(login, password));
}

/** Largest header value; no real password needs more. */
const LONGEST = 8192;

/** Login and password of `Basic <base64 of login:password>`, in UTF-8; undefined for any other header. */
export function parseBasic(header: string): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header.trim())?.[1];
  const text = encoded === undefined || encoded.length > LONGEST ? undefined : decode(encoded);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon < 0) return undefined;
  return { login: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decode(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(encoded);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
