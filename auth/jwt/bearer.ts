/**
 * ID tokens in requests: `Authorization: Bearer` with the token, plain or base64-encoded once more, and
 * `X-Identity-Provider-Id` with the provider that issued it.
 *
 * @module
 */

import type { AuthHost, AuthRequest, AuthResult } from "@/plugins/contract.ts";
import { Expired, LoginFailure, Unreachable } from "@/plugins/kit/providers/login_failure.ts";
import { Unmatched } from "@/plugins/kit/providers/match_user.ts";
import { matchUser } from "./match_user.ts";
import type { Provider } from "./provider.ts";
import { verifyToken } from "./verify_token.ts";

/** The header with the provider's id. */
export const PROVIDER_HEADER = "X-Identity-Provider-Id";

/** Most requests have no token, so this check is synchronous. */
export function authenticate(
  request: AuthRequest,
  providers: ReadonlyMap<string, Provider>,
  host: AuthHost,
): AuthResult | Promise<AuthResult> {
  const header = request.headers.get("authorization");
  if (header === null || !/^bearer(?: |$)/i.test(header)) return { outcome: "absent" };
  host.throttle.requireTurn(request.client);
  const token = tokenIn(header);
  const id = request.headers.get(PROVIDER_HEADER);
  if (id === null) {
    const tell = `A token needs the header ${PROVIDER_HEADER} with the id of its identity provider`;
    return { outcome: "rejected", reason: `a token without ${PROVIDER_HEADER}`, tell };
  }
  const provider = providers.get(id);
  if (!provider) return { outcome: "rejected", reason: "a token of an unknown identity provider" };
  if (token === undefined) return { outcome: "rejected", reason: "a token that cannot be read" };
  return verify(token, provider, host);
}

async function verify(token: string, provider: Provider, host: AuthHost): Promise<AuthResult> {
  const { settings } = provider;
  try {
    const claims = await verifyToken(token, { provider, host });
    const endsAt = ((claims.exp ?? 0) + host.setting("clock_skew")) * 1000;
    return { outcome: "accepted", user: matchUser(claims, settings, host), endsAt };
  } catch (error) {
    const reason = `identity provider ${settings.id}`;
    if (error instanceof Unreachable) {
      const tell = "The identity provider of the token cannot be asked at the moment";
      return { outcome: "rejected", reason: `${reason} cannot be asked`, tell };
    }
    if (!(error instanceof LoginFailure)) throw error;
    const rejected = { outcome: "rejected", reason: `${reason}: ${error.message}` } as const;
    // Only the provider could sign these, so they are no guesses: others at the address need not wait.
    if (error instanceof Expired) return { ...rejected, tell: "The token has expired: send a new one" };
    if (!(error instanceof Unmatched)) return rejected;
    return { ...rejected, tell: "The token is that of no single account here" };
  }
}

function tokenIn(header: string): string | undefined {
  const sent = header.slice("bearer".length).trim();
  return sent.includes(".") ? sent : decode(sent);
}

function decode(encoded: string): string | undefined {
  const isUrlSafe = /[-_]/.test(encoded);
  try {
    const bytes = Uint8Array.fromBase64(encoded, { alphabet: isUrlSafe ? "base64url" : "base64" });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
