/**
 * Sends a browser to a provider, and stores in a cookie the values that the provider's answer must match.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { choosesAccount, isNeedless } from "@/plugins/kit/identity_providers.ts";
import { DocumentError } from "./documents.ts";
import { type Flow, flowCookie } from "./flow.ts";
import type { Metadata } from "./metadata.ts";
import type { Provider } from "./provider.ts";
import { type Surroundings, unknownProvider, unreachable } from "./surroundings.ts";

/**
 * The path where logins begin: `?idp_id=…&next=…`, and from a provider's pages with `target_link_uri` and `login_hint`,
 * the `initiate_login_uri` of OpenID Connect.
 */
export const BEGIN = "/login/oidc";

/** Redirects to the provider. */
export async function beginLogin(
  request: RouteRequest,
  { providers, host }: Surroundings,
): Promise<RouteAnswer> {
  const { query } = request;
  const provider = providers.get(query.get("idp_id") ?? "");
  if (!provider) return unknownProvider();
  const next = nextOf(request, host);
  if (await isNeedless(request, host)) return { kind: "redirect", status: 303, to: next };
  const prompt = choosesAccount(query) ? "select_account" : undefined;
  return await leadToProvider({ request, provider, host }, { next, prompt, hint: hintIn(query) });
}

/** The context of a new login. */
export interface Beginning {
  readonly request: RouteRequest;
  readonly provider: Provider;
  readonly host: AuthHost;
}

/** Begins a login and replaces an earlier one of this browser. */
export async function leadToProvider(
  { request, provider, host }: Beginning,
  { next, prompt, hint }: Pick<Flow, "next" | "prompt"> & { readonly hint?: string | undefined },
): Promise<RouteAnswer> {
  try {
    const metadata = await provider.metadata();
    const endpoint = endpointOf(metadata, provider, host);
    if (endpoint === undefined) return unreachable(provider, next);
    const flow = newFlow(provider.settings.id, { next, prompt: prompt && promptFor(prompt, metadata) });
    const to = await authorizationUrl(endpoint, flow, { metadata, provider, hint });
    return { kind: "redirect", status: 302, to, cookies: [flowCookie(flow, request, host)] };
  } catch (error) {
    if (error instanceof DocumentError) return unreachable(provider, next);
    throw error;
  }
}

/** Only the path of a `target_link_uri` counts, and only if it is an address of this service. */
function nextOf({ query, baseUrl }: RouteRequest, { localPath, prefix }: AuthHost): string {
  const target = URL.parse(query.get("target_link_uri") ?? "");
  const isOwn = target?.origin === URL.parse(baseUrl)?.origin;
  const wanted = query.get("next") ?? (target && isOwn ? target.pathname + target.search : "");
  return localPath(wanted) ?? `${prefix}/`;
}

/** Verifying tokens needs no endpoint, so a missing one is only noticed here. */
function endpointOf(
  { authorizationEndpoint, tokenEndpoint }: Metadata,
  { settings: { id, responseType } }: Provider,
  { log }: AuthHost,
): string | undefined {
  const isMissingToken = responseType === "code" && tokenEndpoint === undefined;
  if (authorizationEndpoint !== undefined && !isMissingToken) return authorizationEndpoint;
  const missing = authorizationEndpoint === undefined ? "authorization_endpoint" : "token_endpoint";
  log.error(`Nobody can log in at identity provider "${id}": it names no ${missing}`);
  return undefined;
}

function newFlow(idp: string, beginning: Pick<Flow, "next" | "prompt">): Flow {
  const random = () => randomBytes(24).toString("base64url");
  return { idp, ...beginning, state: random(), nonce: random(), verifier: generateRandomCodeVerifier() };
}

async function authorizationUrl(
  endpoint: string,
  { state, nonce, verifier, prompt }: Flow,
  { metadata, provider, hint }: {
    readonly metadata: Metadata;
    readonly provider: Provider;
    readonly hint: string | undefined;
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
    ...(hint === undefined ? {} : { login_hint: hint }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(responseType === "code"
      ? { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" }
      : metadata.responseModes.includes("form_post")
      ? { response_mode: "form_post" }
      : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A provider that lists other prompts would refuse this one; every provider knows "login". */
function promptFor(prompt: string, { prompts }: Metadata): string {
  return prompts?.includes(prompt) ?? true ? prompt : "login";
}

const LONGEST_HINT = 256;

function hintIn(query: URLSearchParams): string | undefined {
  const hint = query.get("login_hint") ?? "";
  return hint !== "" && hint.length <= LONGEST_HINT ? hint : undefined;
}
