/**
 * Redeems the code of a provider's answer for tokens.
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import type { AuthHost } from "@/plugins/contract.ts";
import { DocumentError } from "./documents.ts";
import type { Flow } from "./flow.ts";
import type { Metadata } from "./metadata.ts";
import type { Provider } from "./provider.ts";
import type { ProviderSettings } from "./provider_settings.ts";
import { Refusal, Rejection } from "./rejection.ts";

/** The tokens of a provider. */
export interface Redeemed {
  readonly idToken: string;
  /** Grants access to UserInfo. */
  readonly accessToken: string;
}

/**
 * Returns the tokens. The claims of the ID token match the login; its signature is not verified yet. Throws {@link
 * Rejection}, {@link Refusal}, and DocumentError while the provider is unreachable.
 */
export async function exchangeCode(
  query: URLSearchParams,
  flow: Flow,
  { provider, host }: { readonly provider: Provider; readonly host: AuthHost },
): Promise<Redeemed> {
  const { settings } = provider;
  const metadata = await provider.metadata();
  const server = serverOf(metadata);
  const client = { client_id: settings.clientId, [oauth.clockTolerance]: host.setting("clock_skew") };
  try {
    const answer = oauth.validateAuthResponse(server, client, query, flow.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(settings, metadata),
      answer,
      settings.redirectUri,
      flow.verifier,
      {
        [oauth.customFetch]: (url, { headers, body }) => {
          const request = { method: "POST", headers, body: String(body) } as const;
          return askFor("The tokens", url, request, { provider, host });
        },
        [oauth.allowInsecureRequests]: host.setting("sso.allow_private_addresses"),
      },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: flow.nonce,
      requireIdToken: true,
    });
    return { idToken: tokens.id_token ?? "", accessToken: tokens.access_token };
  } catch (error) {
    throw named(error);
  }
}

/** The provider's metadata in the form of oauth4webapi. */
export function serverOf(
  { issuer, tokenEndpoint, algorithms, namesIssuer }: Metadata,
): oauth.AuthorizationServer {
  return {
    issuer,
    ...(tokenEndpoint === undefined ? {} : { token_endpoint: tokenEndpoint }),
    id_token_signing_alg_values_supported: [...algorithms],
    authorization_response_iss_parameter_supported: namesIssuer,
  };
}

/** Without a secret the service is a public client, and PKCE alone proves that the code belongs to this login. */
function authenticationOf(
  { clientSecret, tokenAuthentication: configured }: ProviderSettings,
  { tokenAuthentication }: Metadata,
): oauth.ClientAuth {
  if (clientSecret === undefined || configured === "none") return oauth.None();
  const chosen = configured ?? SECRET_METHODS.find((method) => tokenAuthentication.includes(method));
  return chosen === "client_secret_post"
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

/** The method that every provider must support comes first. */
const SECRET_METHODS = ["client_secret_basic", "client_secret_post"] as const;

/** Sends a request to a provider. Throws DocumentError if it is unreachable; the log has the reason. */
export async function askFor(
  what: string,
  url: string,
  request: Parameters<AuthHost["fetch"]>[1],
  { provider: { settings }, host }: { readonly provider: Provider; readonly host: AuthHost },
): Promise<Response> {
  try {
    return await host.fetch(url, request);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = `${what} of identity provider "${settings.id}" cannot be asked for: ${error.message}`;
    host.log.error(message);
    throw new DocumentError(message, error);
  }
}

function named(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError) return new Refusal(codeOf(error.error));
  if (error instanceof oauth.ResponseBodyError) {
    return new Rejection(`the provider does not redeem the code: ${codeOf(error.error)}`);
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return new Rejection(error.message);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new Rejection("the provider does not know this client");
  }
  return error;
}

/** The text comes from the address, so it may be anything. */
export function codeOf(text: string): string {
  return /^[a-z_]{1,60}$/.test(text) ? text : "an error";
}
