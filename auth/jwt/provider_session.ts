/**
 * The provider's login behind a session, and its end at the provider.
 *
 * @module
 */

import type { AuthSession, Onward, SessionDetails } from "@/plugins/contract.ts";
import type { Surroundings } from "@/plugins/kit/providers/identity_providers.ts";
import { Unreachable } from "@/plugins/kit/providers/login_failure.ts";
import type { Provider } from "./provider.ts";

/** The details of a session that a login at a provider opens. */
export function detailsOf({ settings: { id: idp } }: Pick<Provider, "settings">): SessionDetails {
  return { idp };
}

/**
 * Leads a browser whose session has ended here to the provider, to log out there, too (OpenID Connect
 * RP-Initiated Logout 1.0, section 2), if the configuration says where it comes back to. Undefined: it does
 * not, or the provider has no logout, is unreachable, or did not open the session. The request names the
 * client instead of the ID token, because a stored token is a credential.
 */
export async function afterLogout(
  { details }: AuthSession,
  { providers }: Pick<Surroundings<Provider>, "providers">,
): Promise<Onward | undefined> {
  const provider = providers.get(String(details?.["idp"]));
  const back = provider?.settings.postLogoutRedirectUri;
  if (!provider || back === undefined) return undefined;
  const endpoint = await endpointOf(provider);
  if (endpoint === undefined) return undefined;
  const url = new URL(endpoint);
  url.searchParams.set("client_id", provider.settings.clientId);
  url.searchParams.set("post_logout_redirect_uri", back);
  return { kind: "redirect", status: 302, to: url.href };
}

/** The log has the failure already. */
async function endpointOf(provider: Provider): Promise<string | undefined> {
  try {
    return (await provider.metadata()).end_session_endpoint;
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
}
