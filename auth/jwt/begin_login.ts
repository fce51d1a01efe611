/**
 * Sends a browser to a provider, and stores in a cookie the values that the provider's answer must match.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { type Arrived, unreachable } from "@/plugins/kit/providers/identity_providers.ts";
import { Unreachable } from "@/plugins/kit/providers/login_failure.ts";
import { beginLogin, type Flow, FlowCookie } from "@/plugins/kit/providers/provider_login.ts";
import type { Metadata } from "./metadata.ts";
import type { Provider } from "./provider.ts";

/**
 * The path where logins begin: `?idp_id=…&next=…`, and from a provider's pages with `target_link_uri` and
 * `login_hint`, the `initiate_login_uri` of OpenID Connect.
 */
export const BEGIN = "/login/oidc";

/** A login that has begun; its id is the parameter `state`. */
export interface OidcFlow extends Flow {
  readonly nonce: string;
  /**
   * The PKCE verifier: proves to the provider that the code is redeemed by the service that began the login.
   */
  readonly verifier: string;
  /** The prompt that the provider was asked for. */
  readonly prompt?: string | undefined;
}

/** The cookie of a login that has begun. */
export function cookieOf(host: Pick<AuthHost, "sealedCookie">): FlowCookie<OidcFlow> {
  return new FlowCookie("auth_sso", host);
}

/** Redirects to the provider. */
export async function begin(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  return await beginLogin(arrived, wantedIn(arrived.request), ({ next, chooses }) =>
    leadToProvider(arrived, {
      next,
      prompt: chooses ? "select_account" : undefined,
      hint: arrived.request.query.get("login_hint") ?? "",
    }));
}

/** Only the path of a `target_link_uri` counts, and only if it is an address of this service. */
function wantedIn({ query, baseUrl }: RouteRequest): string {
  const target = URL.parse(query.get("target_link_uri") ?? "");
  const isOwn = target?.origin === URL.parse(baseUrl)?.origin;
  return query.get("next") ?? (target && isOwn ? target.pathname + target.search : "");
}

/** Begins a login and replaces an earlier one of this browser. */
export async function leadToProvider(
  { request, provider, host }: Arrived<Provider>,
  { next, prompt, hint = "" }: Pick<OidcFlow, "next" | "prompt"> & { readonly hint?: string },
): Promise<RouteAnswer> {
  try {
    const metadata = await provider.metadata();
    const endpoint = endpointOf(metadata, provider, host);
    if (endpoint === undefined) return unreachable(provider, next);
    const random = () => randomBytes(24).toString("base64url");
    const flow: OidcFlow = {
      idp: provider.settings.id,
      next,
      prompt: prompt && promptFor(prompt, metadata),
      id: random(),
      nonce: random(),
      verifier: generateRandomCodeVerifier(),
    };
    const to = await authorizationUrl(endpoint, flow, { metadata, provider, hint });
    return { kind: "redirect", status: 302, to, cookies: [cookieOf(host).give(flow, request)] };
  } catch (error) {
    if (error instanceof Unreachable) return unreachable(provider, next);
    throw error;
  }
}

/** Verifying tokens needs no endpoint, so a missing one is only noticed here. */
function endpointOf(
  { authorization_endpoint: endpoint, token_endpoint: tokens }: Metadata,
  { settings: { id, responseType } }: Provider,
  { log }: AuthHost,
): string | undefined {
  if (endpoint !== undefined && (responseType !== "code" || tokens !== undefined)) return endpoint;
  const missing = endpoint === undefined ? "authorization_endpoint" : "token_endpoint";
  log.error(`Nobody can log in at identity provider "${id}": it names no ${missing}`);
  return undefined;
}

async function authorizationUrl(
  endpoint: string,
  { id: state, nonce, verifier, prompt }: OidcFlow,
  { metadata, provider, hint }: {
    readonly metadata: Metadata;
    readonly provider: Provider;
    readonly hint: string;
  },
): Promise<string> {
  const { clientId, redirectUri, responseType, scope } = provider.settings;
  const url = new URL(endpoint);
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: responseType,
    scope,
    state,
    nonce,
    ...(hint === "" ? {} : { login_hint: hint }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(responseType === "code"
      ? { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" }
      : metadata.response_modes_supported?.includes("form_post")
      ? { response_mode: "form_post" }
      : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A provider that lists other prompts would refuse this one; every provider knows "login". */
function promptFor(prompt: string, { prompt_values_supported: prompts }: Metadata): string {
  return prompts?.includes(prompt) ?? true ? prompt : "login";
}
