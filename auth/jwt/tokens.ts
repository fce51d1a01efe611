/**
 * Redeems the code of a provider's answer for tokens, and reads UserInfo for claims that the ID token lacks:
 * many providers send an address only there.
 *
 * @module
 */

import type { JWTPayload } from "jose";
import * as oauth from "oauth4webapi";
import type { OutgoingRequest } from "@/plugins/contract.ts";
import type { Arrived } from "@/plugins/kit/providers/identity_providers.ts";
import { Refusal, Rejection, Unreachable } from "@/plugins/kit/providers/login_failure.ts";
import type { OidcFlow } from "./begin_login.ts";
import { isComplete } from "./match_user.ts";
import type { Metadata } from "./metadata.ts";
import type { Provider } from "./provider.ts";
import type { ProviderSettings } from "./provider_settings.ts";

/** An answer of a provider that is asked for more. */
type Asking = Pick<Arrived<Provider>, "provider" | "host">;

/**
 * Returns the tokens. The claims of the ID token match the login; its signature is not verified yet. Throws
 * {@link Rejection}, {@link Refusal} or {@link Unreachable}.
 */
export async function exchangeCode(
  query: URLSearchParams,
  flow: OidcFlow,
  asking: Asking,
): Promise<oauth.TokenEndpointResponse> {
  const { settings } = asking.provider;
  const server = await asking.provider.metadata();
  const client = clientOf(asking);
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(settings, server),
      oauth.validateAuthResponse(server, client, query, flow.id),
      settings.redirectUri,
      flow.verifier,
      optionsFor("The tokens", asking),
    );
    return await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: flow.nonce,
      requireIdToken: true,
    });
  } catch (error) {
    throw failureOf(error, "the provider does not know this client");
  }
}

/**
 * The claims that identify the user: those of the ID token if they are complete, else those of UserInfo
 * alone, which must have the same subject. Throws {@link Rejection} or {@link Unreachable}.
 */
export async function completeClaims(
  claims: JWTPayload,
  { access_token: accessToken }: oauth.TokenEndpointResponse,
  asking: Asking,
): Promise<JWTPayload> {
  const server = await asking.provider.metadata();
  if (server.userinfo_endpoint === undefined || isComplete(claims, asking.provider.settings)) return claims;
  const client = clientOf(asking);
  try {
    const response = await oauth.userInfoRequest(server, client, accessToken, optionsFor("UserInfo", asking));
    return await oauth.processUserInfoResponse(server, client, claims.sub ?? "", response);
  } catch (error) {
    throw failureOf(error, "the provider does not take its own access token for UserInfo", "UserInfo: ");
  }
}

function clientOf({ provider, host }: Asking): oauth.Client {
  return { client_id: provider.settings.clientId, [oauth.clockTolerance]: host.setting("clock_skew") };
}

/**
 * Without a secret the service is a public client, and PKCE alone proves that the code belongs to this login.
 */
function authenticationOf(
  { clientSecret, tokenAuthentication: configured }: ProviderSettings,
  { token_endpoint_auth_methods_supported: supported = ["client_secret_basic"] }: Metadata,
): oauth.ClientAuth {
  if (clientSecret === undefined || configured === "none") return oauth.None();
  const chosen = configured ?? SECRET_METHODS.find((method) => supported.includes(method));
  return chosen === "client_secret_post"
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

/** The method that every provider must support comes first. */
const SECRET_METHODS = ["client_secret_basic", "client_secret_post"] as const;

/** Requests go through the host, which checks their addresses. */
function optionsFor(what: string, asking: Asking) {
  return {
    [oauth.customFetch]: (
      url: string,
      { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
    ) => {
      const post = { method: "POST", headers, body: String(body) } as const;
      return askFor(what, url, method === "POST" ? post : { headers }, asking);
    },
    [oauth.allowInsecureRequests]: asking.host.setting("sso.allow_private_addresses"),
  };
}

async function askFor(
  what: string,
  url: string,
  request: OutgoingRequest,
  { provider: { settings }, host }: Asking,
): Promise<Response> {
  try {
    const answer = await host.fetch(url, request);
    if (answer.status >= 500) throw new Error(`it answers with status ${answer.status}`);
    return answer;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = `${what} of identity provider "${settings.id}" cannot be asked for: ${error.message}`;
    host.log.error(message);
    throw new Unreachable(message, { cause: error });
  }
}

/** Messages of oauth4webapi name members and never show values. */
function failureOf(error: unknown, challenged: string, prefix = ""): unknown {
  if (error instanceof oauth.AuthorizationResponseError) return new Refusal(codeOf(error.error));
  if (error instanceof oauth.ResponseBodyError) {
    return new Rejection(`the provider does not redeem the code: ${codeOf(error.error)}`);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) return new Rejection(challenged);
  const isOfPackage = error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError;
  return isOfPackage ? new Rejection(prefix + error.message) : error;
}

/** The text comes from the address, so it may be anything. */
export function codeOf(text: string): string {
  return /^[a-z_]{1,60}$/.test(text) ? text : "an error";
}
