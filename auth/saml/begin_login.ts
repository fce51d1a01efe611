/**
 * Sends a browser to a provider, and leaves in it what the provider's response must fit.
 *
 * @module
 */

import type { RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { choosesAccount, isNeedless } from "@/plugins/kit/begin_login.ts";
import { send } from "./bindings.ts";
import { type Flow, flowCookie } from "./flow.ts";
import { writeAuthnRequest } from "./messages.ts";
import { type Arrived, signerIf, type Surroundings, unknownProvider, unreachable } from "./surroundings.ts";

/** Where logins begin: `?idp_id=…&next=…`. */
export const BEGIN = "/login/saml";

/** Answers with what leads to the provider. */
export async function beginLogin(request: RouteRequest, surroundings: Surroundings): Promise<RouteAnswer> {
  const { providers, host } = surroundings;
  const provider = providers.get(request.query.get("idp_id") ?? "");
  if (!provider) return unknownProvider();
  const next = host.localPath(request.query.get("next") ?? "") ?? `${host.prefix}/`;
  if (await isNeedless(request, host)) return { kind: "redirect", status: 303, to: next };
  const chooses = choosesAccount(request.query);
  return await leadToProvider({ request, provider, surroundings }, { next, chooses });
}

/** How a login begins. */
export interface Beginning {
  /** Where it leads. */
  readonly next: string;
  /** It began at the provider. */
  readonly isUnasked?: true;
  /** The provider asks people who they are, although it may know. */
  readonly chooses?: boolean;
}

/** Begins a login; one that has begun before in this browser is given up. */
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
