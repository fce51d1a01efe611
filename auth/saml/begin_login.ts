/**
 * Sends a browser to a provider, and stores in a cookie the values that the provider's response must match.
 *
 * @module
 */

import type { AuthHost, RouteAnswer } from "@/plugins/contract.ts";
import type { Arrived } from "@/plugins/kit/providers/identity_providers.ts";
import { beginLogin, type Flow, FlowCookie } from "@/plugins/kit/providers/provider_login.ts";
import { send } from "./bindings.ts";
import { writeAuthnRequest } from "./messages.ts";
import { type Provider, withPeer } from "./provider.ts";
import { signerIf } from "./signature.ts";

/** The path where logins begin: `?idp_id=…&next=…`. */
export const BEGIN = "/login/saml";

/** A login that has begun; its id is that of the request. */
export interface SamlFlow extends Flow {
  /** It continues a login that began at the provider. */
  readonly isUnasked?: boolean;
}

/** The cookie of a login that has begun. */
export function cookieOf(host: Pick<AuthHost, "sealedCookie">): FlowCookie<SamlFlow> {
  return new FlowCookie("auth_saml", host);
}

/** Leads the browser to the provider. */
export async function begin(arrived: Arrived<Provider>): Promise<RouteAnswer> {
  return await beginLogin(
    arrived,
    arrived.request.query.get("next") ?? "",
    (login) => leadToProvider(arrived, login),
  );
}

/** Begins a login and replaces an earlier one of this browser. */
export async function leadToProvider(
  arrived: Arrived<Provider>,
  { next, isUnasked = false, chooses = false }: Pick<SamlFlow, "next" | "isUnasked"> & {
    /** The provider lets the user choose an account, even if one is logged in. */
    readonly chooses?: boolean;
  },
): Promise<RouteAnswer> {
  return await withPeer(arrived, next, ({ request, provider: { settings }, peer: { signOn }, host }) => {
    const { id, xml } = writeAuthnRequest(settings, { to: signOn.url, now: host.now(), force: chooses });
    const signer = signerIf(settings.security.authnRequestsSigned, settings);
    const cookies = [cookieOf(host).give({ idp: settings.id, id, next, isUnasked }, request)];
    return { ...send(signOn, { field: "SAMLRequest", xml, signer }), cookies };
  });
}
