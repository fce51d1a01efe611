/**
 * Sends a browser to a provider, and leaves in it what the provider's answer must fit.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { choosesAccount, isNeedless } from "@/plugins/kit/begin_login.ts";
import { DocumentError } from "./documents.ts";
import { type Flow, flowCookie } from "./flow.ts";
import type { Metadata } from "./metadata.ts";
import type { Provider } from "./provider.ts";
import { type Surroundings, unknownProvider, unreachable } from "./surroundings.ts";

/**
 * Where logins begin: `?idp_id=…&next=…`, and from a provider's own pages with `target_link_uri` and `login_hint`, as
 * OpenID Connect has it for `initiate_login_uri`.
 */
export const BEGIN = "/login/oidc";

/** Answers with a redirect to the provider. */
export async function beginLogin(
  request: RouteRequest,
  { providers, host }: Surroundings,
): Promise<RouteAnswer> {
  const provider = providers.get(request.query.get("idp_id") ?? "");
  if (!provider) return unknownProvider();
  const next = nextOf(request, host);
  if (await isNeedless(request, host)) return { kind: "redirect", status: 303, to: next };
  try {
    const metadata = await provider.metadata();
    const endpoint = endpointOf(metadata, provider, host);
    if (endpoint === undefined) return unreachable(provider, next);
    const flow = newFlow(provider.settings.id, next);
    const to = await authorizationUrl(endpoint, flow, { metadata, provider, asked: request.query });
    return { kind: "redirect", status: 302, to, cookies: [flowCookie(flow, request, host)] };
  } catch (error) {
    if (error instanceof DocumentError) return unreachable(provider, next);
    throw error;
  }
}

/** Only the path of a `target_link_uri` counts, and only where it is an address of this service. */
function nextOf({ query, baseUrl }: RouteRequest, { localPath, prefix }: AuthHost): string {
  const target = URL.parse(query.get("target_link_uri") ?? "");
  const isOwn = target?.origin === URL.parse(baseUrl)?.origin;
  const wanted = query.get("next") ?? (target && isOwn ? target.pathname + target.search : "");
  return localPath(wanted) ?? `${prefix}/`;
}

/** Tokens of programs are verified without any endpoint, so it is only missed here. */
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

function newFlow(idp: string, next: string): Flow {
  const random = () => randomBytes(24).toString("base64url");
  return { idp, next, state: random(), nonce: random(), verifier: generateRandomCodeVerifier() };
}

async function authorizationUrl(
  endpoint: string,
  { state, nonce, verifier }: Flow,
  { metadata, provider, asked }: {
    readonly metadata: Metadata;
    readonly provider: Provider;
    readonly asked: URLSearchParams;
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
    ...hintIn(asked),
    ...(choosesAccount(asked) ? promptFor(metadata) : {}),
    ...(responseType === "code"
      ? { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" }
      : metadata.responseModes.includes("form_post")
      ? { response_mode: "form_post" }
      : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A provider that lists its prompts, and this one not among them, would refuse it. */
function promptFor({ prompts }: Metadata): { readonly prompt?: string } {
  const prompt = ["select_account", "login"].find((each) => prompts?.includes(each) ?? true);
  return prompt === undefined ? {} : { prompt };
}

const LONGEST_HINT = 256;

function hintIn(asked: URLSearchParams): { readonly login_hint?: string } {
  const hint = asked.get("login_hint") ?? "";
  return hint !== "" && hint.length <= LONGEST_HINT ? { login_hint: hint } : {};
}
