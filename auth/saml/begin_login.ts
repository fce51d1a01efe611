/**
 * Sends a browser to a provider, and stores in a cookie the values that the provider's response must match.
 *
 * @module
 */

import type { RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { choosesAccount, isNeedless } from "@/plugins/kit/identity_providers.ts";
import { send } from "./bindings.ts";
import { type Flow, flowCookie } from "./flow.ts";
import { writeAuthnRequest } from "./messages.ts";
import { type Arrived, signerIf, type Surroundings, unknownProvider, unreachable } from "./surroundings.ts";

/** The path where logins begin: `?idp_id=…&next=…`. */
export const BEGIN = "/login/saml";

/** Leads the browser to the provider. */
export async function beginLogin(request: RouteRequest, surroundings: Surroundings): Promise<RouteAnswer> {
  const { providers, host } = surroundings;
  const provider = providers.get(request.query.get("idp_id") ?? "");
  if (!provider) return unknownProvider();
  const next = host.localPath(request.query.get("next") ?? "") ?? `${host.prefix}/`;
  if (await isNeedless(request, host)) return { kind: "redirect", status: 303, to: next };
  const chooses = choosesAccount(request.query);
  return await leadToProvider({ request, provider, surroundings }, { next, chooses });
}

/** The options of a new login. */
export interface Beginning {
  /** The destination after the login. */
  readonly next: string;
  /** It began at the provider. */
  readonly isUnasked?: true;
  /** The provider lets the user choose an account, even if one is logged in. */
  readonly chooses?: boolean;
}

/** Begins a login and replaces an earlier one of this browser. */
export async function leadToProvider(
  { request, provider, surroundings: { host } }: Arrived,
  { next, isUnasked, chooses = false }: Beginning,
): Promise<RouteAnswer> {
  const { settings } = provider;
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, next);
  const { id, xml } = writeAuthnRequest(settings, { to: peer.signOn.url, now: host.now(), force: chooses });
  const signer = signerIf(settings.security.authnRequestsSigned, settings);
  const flow: Flow = { idp: settings.id, request: id, next, ...(isUnasked ? { isUnasked } : {}) };
  return {
    ...send(peer.signOn, { field: "SAMLRequest", xml, signer }),
    cookies: [flowCookie(host).give(JSON.stringify(flow), request)],
  };
}
