/**
 * Sends a browser to a provider, and leaves in it what the provider's response must fit.
 *
 * @module
 */

import type { RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { send } from "./bindings.ts";
import { type Flow, flowCookie } from "./flow.ts";
import { writeAuthnRequest } from "./messages.ts";
import { signerIf, type Surroundings, unknownProvider, unreachable } from "./surroundings.ts";

/** Where logins begin: `?idp_id=…&next=…`. */
export const BEGIN = "/login/saml";

/** Answers with what leads to the provider. */
export async function beginLogin(
  request: RouteRequest,
  { providers, host }: Surroundings,
): Promise<RouteAnswer> {
  const provider = providers.get(request.query.get("idp_id") ?? "");
  if (!provider) return unknownProvider();
  const { settings } = provider;
  const next = host.localPath(request.query.get("next") ?? "") ?? `${host.prefix}/`;
  const peer = await provider.peer();
  if (!peer) return unreachable(provider, next);
  const { id, xml } = writeAuthnRequest(settings, { to: peer.signOn.url, now: host.now() });
  const signer = signerIf(settings.security.authnRequestsSigned, settings);
  const flow: Flow = { idp: settings.id, request: id, next };
  return {
    ...send(peer.signOn, { field: "SAMLRequest", xml, signer }),
    cookies: [flowCookie(host).give(JSON.stringify(flow), request)],
  };
}
